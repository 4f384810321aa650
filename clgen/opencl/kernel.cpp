// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "clgen/index_width.h"
#include "clgen/names.h"
#include "clgen/numbering.h"
#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_cells.h"
#include "clgen/opencl/kernel_tiles.h"
#include "clgen/writer/writer.h"
#include "lang/body_walk.h"
#include "lang/check.h"
#include "lang/source.h"

namespace pb {
namespace {

bool is_tiled(const InputBox& box) {
  const auto is_one = [](const IndexExpr& extent) { return extent.is_const(1); };
  return box.extent_is_uniform && !std::all_of(box.extent.begin(), box.extent.end(), is_one);
}

bool is_same_for_all(const Step& step, std::size_t input) {
  const InputBox* box = box_of(step, input);
  return box != nullptr && box->is_same_for_all_instances;
}

/// The parameter for a matrix that is a single number. Bodies know those of `from` by the matrix's name.
std::string number_name(const Matrix& matrix) {
  return (matrix.role == MatrixRole::From ? "" : "pb_number_") + matrix.name;
}

class KernelBuilder {
 public:
  KernelBuilder(const Program& program, const Transform& transform, const Rule& rule, const Step& step, Kernel& kernel,
                const KernelContext& context)
      : program_(program), transform_(transform), rule_(rule), step_(step), kernel_(kernel), context_(context) {}

  void build() {
    facts_ = find_rule_facts(rule_);
    for (const RuleMatrix& use : matrices_of_rule(transform_, rule_, facts_)) {
      const Matrix& matrix = transform_.matrices[use.matrix];
      if (matrix.extents.empty()) {  // read only: no kernel has a single number as output
        const bool is_small = matrix.element == ElementType::Short || matrix.element == ElementType::UChar ||
                              matrix.element == ElementType::UShort;
        const std::string type = is_small ? "int" : element_word(matrix);
        kernel_.scalars.push_back({number_name(matrix), type,
                                   (is_small ? "static_cast<std::int32_t>(" : "(") + matrix.name + ".cell())", false});
      } else {
        kernel_.matrices.push_back(use);
      }
    }
    add_scalars();
    if (kernel_.version == Version::OpenClLocal) add_tiles();
    kernel_.needs_fp64 = has_doubles(transform_, rule_) || has_real_default(rule_);
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i)
      if (is_same_for_all(step_, i) || tile_of(i) != nullptr) kernel_.pointers.push_back(i);
    print();
    kernel_.source = out_.text();
  }

 private:
  int num_loops() const { return static_cast<int>(step_.loops.size()); }
  /// Loop `d`, the fastest first.
  const LoopDim& loop(int d) const { return step_.loops[step_.loops.size() - 1 - static_cast<std::size_t>(d)]; }

  // ---- parameters

  void add_scalars() {
    const std::set<std::string> specialized = specialized_names();
    for (const SizeVar& var : transform_.size_vars)
      kernel_.scalars.push_back(
          {var.name, "int", "static_cast<std::int32_t>(" + var.name + ")", specialized.contains(var.name)});
    for (const UserTunable& tunable : transform_.tunables) {
      const std::string type = tunable.is_real ? "double" : "int";
      if (tunable.array_extent == 0) kernel_.scalars.push_back({tunable.name, type, tunable.name, false});
      if (!is_used_array(tunable)) continue;
      for (int k = 0; k < tunable.array_extent; ++k)
        kernel_.scalars.push_back({element_of(tunable, k), type, tunable.name + "[" + std::to_string(k) + "]", false});
    }
  }

  bool is_used_array(const UserTunable& tunable) const {
    return tunable.array_extent > 0 && facts_.used_names.contains(tunable.name);
  }

  /// The parameter that brings one value of an array.
  static std::string element_of(const UserTunable& tunable, int k) {
    return "pb_" + tunable.name + "_" + std::to_string(k);
  }

  /// Size variables that limit loops of the body and the box that one instance reads: few values, small ones.
  std::set<std::string> specialized_names() const {
    std::set<std::string> in_boxes;
    for (const InputBox& box : step_.input_boxes) {
      if (!box.extent_is_uniform || rule_.inputs[box.input].kind != AccessKind::Region) continue;
      for (const IndexExpr& extent : box.extent)
        for (const std::string& name : symbols_of(extent)) in_boxes.insert(name);
    }
    std::set<std::string> out;
    walk(
        rule_.body, rule_.body.root,
        [&](StmtId id) {
          const auto* loop = std::get_if<ForStmt>(&rule_.body.stmts[id].node);
          if (loop == nullptr || loop->condition.is_none()) return;
          walk_expr(rule_.body, loop->condition, [&](ExprId expr) {
            const auto* name = std::get_if<NameExpr>(&rule_.body.exprs[expr].node);
            const bool is_size = name != nullptr && rule_.body_types.bindings[expr.index()].kind == NameKind::SizeVar;
            if (is_size && in_boxes.contains(name->text)) out.insert(name->text);
          });
        },
        [](ExprId) {});
    return out;
  }

  /// Boxes that move with the instances. One that is the same for all is read by all work-items at once: caches
  /// serve that as well as local memory would, without the copy; so it is tiled only if it is all there is.
  void add_tiles() {
    const bool has_moving = std::any_of(step_.input_boxes.begin(), step_.input_boxes.end(), [](const InputBox& box) {
      return is_tiled(box) && !box.is_same_for_all_instances;
    });
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i) {
      const InputBox* box = box_of(step_, i);
      if (box == nullptr || !is_tiled(*box) || (has_moving && is_same_for_all(step_, i))) continue;
      KernelTile tile;
      tile.input = i;
      tile.extent = box->extent;
      for (const IndexExpr& lo : box->lo) {
        std::array<std::int64_t, 3> steps = {0, 0, 0};
        for (int d = 0; d < num_loops(); ++d) {
          const bool is_affine = affine_coefficient(lo, loop(d).var, steps[static_cast<std::size_t>(d)]);
          PB_CHECK(is_affine, "the box of a tiled input is affine in the loop variables");
        }
        tile.step.push_back(steps);
      }
      kernel_.tiles.push_back(std::move(tile));
    }
  }

  const KernelTile* tile_of(std::size_t input) const {
    for (const KernelTile& tile : kernel_.tiles)
      if (tile.input == input) return &tile;
    return nullptr;
  }

  // ---- text

  void print() {
    out_.line("// rule " + transform_.name + "." + rule_.name + "   " + origin_of(context_.sources, rule_.span));
    if (kernel_.needs_fp64) out_.verbatim("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    // Else compilers may round once where C++ rounds twice.
    if (context_.is_strict) out_.verbatim("#pragma OPENCL FP_CONTRACT OFF\n");
    out_.line("typedef " + opencl_type(program_.element) + " ElementT;");
    print_kernel_functions(out_, rule_);
    if (const std::string functions = border_functions(rule_); !functions.empty()) out_.verbatim(functions);
    out_.blank();
    out_.open("__kernel void " + kernel_.name + "(" + joined(params(), ",\n    ") + ")");
    print_scalars();
    print_strides();
    if (!kernel_.tiles.empty()) {
      print_tiles(out_, transform_, rule_, step_, kernel_);
      out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    }
    print_instance();
    std::vector<std::string> inside;
    for (int d = 0; d < num_loops(); ++d)
      inside.push_back("pb_i" + std::to_string(d) + " < pb_extent" + std::to_string(d));
    out_.open("if (" + joined(inside, " && ") + ")");
    print_work();
    out_.close();
    out_.close();
  }

  std::vector<std::string> params() const {
    std::vector<std::string> list;
    for (const RuleMatrix& use : kernel_.matrices) {
      const Matrix& matrix = transform_.matrices[use.matrix];
      const std::string name = "pb_" + matrix.name;
      std::vector<std::string> group = {std::string("__global ") + (use.is_output ? "" : "const ") +
                                            element_word(matrix) + "* restrict " + name + "_data",
                                        "const long " + name + "_offset"};
      for (int d = 0; d < matrix.num_dims(); ++d) group.push_back("const long " + name + "_stride" + std::to_string(d));
      for (int d = 0; d < matrix.num_dims(); ++d) group.push_back("const int " + name + "_size" + std::to_string(d));
      list.push_back(joined(group));
    }
    std::vector<std::string> scalars;
    for (const KernelScalar& scalar : kernel_.scalars)
      scalars.push_back("const " + scalar.type + " " +
                        (scalar.is_specialized ? "pb_given_" + scalar.name : opencl_name(scalar.name)));
    if (!scalars.empty()) list.push_back(joined(scalars));
    std::vector<std::string> range;
    for (int d = 0; d < num_loops(); ++d) range.push_back("const int pb_lo" + std::to_string(d));
    for (int d = 0; d < num_loops(); ++d) range.push_back("const int pb_extent" + std::to_string(d));
    list.push_back(joined(range));
    for (const KernelTile& tile : kernel_.tiles) {
      const RegionAccess& input = rule_.inputs[tile.input];
      list.push_back("__local " + element_word(transform_.matrices[input.matrix]) + "* restrict pb_tile_" +
                     input.binding);
    }
    return list;
  }

  /// Values that the build may know.
  void print_scalars() {
    for (const KernelScalar& scalar : kernel_.scalars) {
      if (!scalar.is_specialized) continue;
      out_.verbatim("#ifdef PB_" + scalar.name + "\n");
      out_.line("const int " + opencl_name(scalar.name) + " = PB_" + scalar.name + ";");
      out_.verbatim("#else\n");
      out_.line("const int " + opencl_name(scalar.name) + " = pb_given_" + scalar.name + ";");
      out_.verbatim("#endif\n");
    }
    for (const UserTunable& tunable : transform_.tunables) {
      if (!is_used_array(tunable)) continue;
      std::vector<std::string> values;
      for (int k = 0; k < tunable.array_extent; ++k) values.push_back(element_of(tunable, k));
      out_.line(std::string("const ") + (tunable.is_real ? "double " : "int ") + opencl_name(tunable.name) + "[" +
                std::to_string(tunable.array_extent) + "] = {" + joined(values) + "};");
    }
  }

  void print_strides() {
    for (const RuleMatrix& use : kernel_.matrices) {
      const Matrix& matrix = transform_.matrices[use.matrix];
      for (int d = 0; d < matrix.num_dims(); ++d) {
        const std::string stride = "pb_" + matrix.name + "_stride" + std::to_string(d);
        out_.line("const PB_INDEX pb_" + matrix.name + "_s" + std::to_string(d) + " = " +
                  (d == 0 ? "PB_STRIDE0(" + stride + ")" : "(PB_INDEX)" + stride) + ";");
      }
    }
  }

  /// The instance of this work-item. Below the barrier: compilers for CPUs keep what is computed above it in memory,
  /// one value per work-item, and then cannot see that neighbours are neighbours.
  void print_instance() {
    for (int d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      const std::string global = "(int)get_global_id(" + dim + ")";
      out_.line("const int pb_i" + dim + " = " +
                (kernel_.tiles.empty() ? global : "pb_group" + dim + " + (int)get_local_id(" + dim + ")") + ";");
      out_.line("const int " + opencl_name(loop(d).var) + " = pb_lo" + dim + " + pb_i" + dim + ";");
    }
  }

  // ---- the instance's own work

  std::string offset_of(const RegionAccess& access) const {
    const Matrix& matrix = transform_.matrices[access.matrix];
    std::string text = "pb_" + matrix.name + "_offset";
    for (std::size_t d = 0; d < access.lo.size(); ++d) {
      const auto* number = std::get_if<IntLiteral>(&access.lo[d].node);
      if (number != nullptr && number->value == 0) continue;
      const std::string at = kernel_formula(access.lo[d]);
      const bool is_plain =
          number != nullptr ? number->value > 0 : std::holds_alternative<SymbolRef>(access.lo[d].node);
      text += " + " + (is_plain ? at : "(" + at + ")") + " * pb_" + matrix.name + "_s" + std::to_string(d);
    }
    return text;
  }

  /// A header formula with names as the kernel spells them.
  static std::string kernel_formula(const Formula& formula) {
    if (fits_int(formula, kEndInside)) return to_c(renamed(formula));
    return to_c(with_spelling(renamed(formula), [](const std::string& name) { return "(long)" + name; }));
  }
  static Formula renamed(Formula formula) {
    if (auto* symbol = std::get_if<SymbolRef>(&formula.node)) {
      symbol->name = opencl_name(symbol->name);
    } else if (auto* binary = std::get_if<BinaryFormula>(&formula.node)) {
      for (Formula& operand : binary->operands) operand = renamed(operand);
    } else if (auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
      for (Formula& operand : negated->operand) operand = renamed(operand);
    }
    return formula;
  }

  /// `pb_from_<name>` and `pb_at_<name>`, the first cell of an access. Compilers for CPUs vectorise along a pointer of
  /// the instance's own; those for GPUs want an index that is a sum of ints, of which neighbouring cells share a part.
  void print_address(const RegionAccess& access, const std::string& name, bool is_output) {
    const Matrix& matrix = transform_.matrices[access.matrix];
    const std::string pointer = std::string("__global ") + (is_output ? "" : "const ") + element_word(matrix) +
                                "* const pb_from_" + name + " = pb_" + matrix.name + "_data";
    const std::string offset = offset_of(access);
    out_.verbatim("#ifdef PB_CPU\n");
    out_.line(pointer + " + " + offset + ";");
    out_.line("const int pb_at_" + name + " = 0;");
    out_.verbatim("#else\n");
    out_.line(pointer + ";");
    out_.line("const PB_INDEX pb_at_" + name + " = (PB_INDEX)" + offset + ";");
    out_.verbatim("#endif\n");
  }

  void print_region(const RegionAccess& access, std::size_t input, bool is_output) {
    const Matrix& matrix = transform_.matrices[access.matrix];
    const std::string name = "pb_at_" + access.binding;
    // Dimensions of the matrix that the body indexes.
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < access.lo.size(); ++d)
      if (!access.is_fixed_dim(d)) dims.push_back(d);
    const KernelTile* tile = is_output ? nullptr : tile_of(input);
    if (tile == nullptr) {
      if (!is_output && is_same_for_all(step_, input)) {
        out_.line("__global const " + element_word(matrix) + "* const " + name + " = pb_" + matrix.name + "_data + " +
                  offset_of(access) + ";");
      } else {
        print_address(access, access.binding, is_output);
      }
      for (std::size_t k = 0; k < dims.size(); ++k)
        out_.line("const PB_INDEX " + name + "_s" + std::to_string(k) + " = pb_" + matrix.name + "_s" +
                  std::to_string(dims[k]) + ";");
    } else {
      print_tile_region(out_, transform_, access, *tile, num_loops(), name, dims);
    }
    if (!uses_sizes(rule_, access.binding)) return;
    for (std::size_t k = 0; k < dims.size(); ++k)
      out_.line("const int " + name + "_size" + std::to_string(k) + " = (" + kernel_formula(access.hi[dims[k]]) +
                ") - (" + kernel_formula(access.lo[dims[k]]) + ");");
  }

  static std::string element_cell(const RegionAccess& access) {
    return "pb_from_" + access.binding + "[pb_at_" + access.binding + "]";
  }

  std::string cell_of(const RegionAccess& access) const {
    return "pb_" + transform_.matrices[access.matrix].name + "_data[" + offset_of(access) + "]";
  }

  void print_work() {
    // Addresses come first: the body may declare the rule's variables again.
    std::string result;
    if (rule_.is_return_form) {
      result = "pb_from_return[pb_at_return]";
      print_address(rule_.outputs[0], "return", true);
    } else {
      for (std::size_t i = 0; i < rule_.outputs.size(); ++i) {
        const RegionAccess& output = rule_.outputs[i];
        if (!is_element(output)) {
          print_region(output, i, true);
          continue;
        }
        print_address(output, output.binding, true);
        const std::string first = facts_.outputs[i].is_overwritten ? "0" : element_cell(output);
        out_.line(element_word(transform_.matrices[output.matrix]) + " " + opencl_name(output.binding) + " = " + first +
                  ";");
      }
    }
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i) {
      const RegionAccess& input = rule_.inputs[i];
      const Matrix& matrix = transform_.matrices[input.matrix];
      if (!is_element(input)) {
        print_region(input, i, false);
      } else if (matrix.extents.empty()) {
        if (input.binding != number_name(matrix))
          out_.line("const " + element_word(matrix) + " " + opencl_name(input.binding) + " = " +
                    opencl_name(number_name(matrix)) + ";");
      } else if (input.may_be_outside()) {
        print_cell_with_border(out_, transform_, input, program_.element);
      } else {
        out_.line("const " + element_word(matrix) + " " + opencl_name(input.binding) + " = " + cell_of(input) + ";");
      }
    }
    out_.open("");
    const bool jumps = print_kernel_body(out_, rule_, kernel_, result);
    out_.close();
    if (jumps) out_.line("pb_done:;");
    if (rule_.is_return_form) return;
    for (const RegionAccess& output : rule_.outputs)
      if (is_element(output)) out_.line(element_cell(output) + " = " + opencl_name(output.binding) + ";");
  }

  const Program& program_;
  const Transform& transform_;
  const Rule& rule_;
  const Step& step_;
  Kernel& kernel_;
  const KernelContext& context_;
  RuleFacts facts_;
  Writer out_;
};

/// A name of a length that drivers take: they make file names of it. Long ones end in a number made of all of it
/// (FNV-1a).
std::string short_name(const std::string& name) {
  constexpr std::size_t kLongest = 100;
  if (name.size() <= kLongest) return name;
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{}_{:016x}", name.substr(0, kLongest - 17), hash);
}

/// Describes and prints the kernel of `step` in `version`. The name says of which step it is if `is_for_step`.
Kernel make_kernel(const Program& program, const Plan& plan, TransformId transform_id, StepId step_id, Version version,
                   const KernelContext& context, bool is_for_step) {
  const Transform& transform = program.transforms[transform_id];
  const Step& step = plan.transforms[transform_id.index()].steps[step_id];
  Kernel kernel;
  kernel.transform = transform_id;
  kernel.rule = step.rule;
  kernel.steps = {step_id};
  kernel.version = version;
  kernel.name = short_name(rule_stem(program, transform_id, step.rule) +
                           (is_for_step ? "_s" + std::to_string(step_id.index()) : "")) +
                (version == Version::OpenClLocal ? "_local" : "_basic");
  KernelBuilder(program, transform, transform.rules[step.rule], step, kernel, context).build();
  return kernel;
}

}  // namespace

std::vector<Kernel> make_kernels(const Program& program, const Plan& plan, const KernelContext& context) {
  std::vector<Kernel> out;
  const auto add = [&](TransformId transform, StepId step, Version version) {
    Kernel kernel = make_kernel(program, plan, transform, step, version, context, false);
    const auto has = [&](auto Kernel::*member) {
      return std::find_if(out.begin(), out.end(), [&](const Kernel& other) { return other.*member == kernel.*member; });
    };
    if (const auto same = has(&Kernel::source); same != out.end()) {
      same->steps.push_back(step);
    } else {
      const bool is_taken = has(&Kernel::name) != out.end();
      out.push_back(is_taken ? make_kernel(program, plan, transform, step, version, context, true) : std::move(kernel));
    }
  };
  for (const TransformId id : program.transforms.ids()) {
    const TransformPlan& transform_plan = plan.transforms[id.index()];
    for (const StepId step_id : transform_plan.steps.ids())
      for (const Version version : {Version::OpenCl, Version::OpenClLocal})
        if (!choices_running(transform_plan, transform_plan.steps[step_id], version).empty()) add(id, step_id, version);
  }
  return out;
}

}  // namespace pb
