// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_printer.h"

#include <algorithm>
#include <vector>

#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/opencl/divided_fold.h"
#include "clgen/opencl/kernel_blocks.h"
#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_cells.h"
#include "clgen/opencl/kernel_look_back.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/opencl/kernel_panels.h"
#include "clgen/opencl/kernel_products.h"
#include "clgen/opencl/kernel_scans.h"
#include "clgen/opencl/kernel_tiles.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/parts/block_parts.h"
#include "clgen/opencl/parts/instance_tests.h"
#include "clgen/opencl/parts/kernel_instance.h"
#include "clgen/opencl/parts/kernel_parts.h"
#include "clgen/opencl/parts/kernel_vectors.h"
#include "clgen/opencl/parts/matrix_tiles.h"
#include "clgen/opencl/parts/scan_records.h"
#include "clgen/opencl/parts/time_tile.h"
#include "clgen/opencl/stores/bin_updates.h"
#include "clgen/opencl/stores/running_ranks.h"
#include "clgen/opencl/waves/kernel_waves.h"
#include "clgen/writer/writer.h"
#include "lang/check.h"
#include "lang/source.h"

namespace pb {
namespace {

/// Prints a kernel's head, and the values that every instance shares.
class KernelHeadPrinter {
 public:
  KernelHeadPrinter(Writer& out, const Program& program, const KernelTree& kernel, const std::string& name,
                    const KernelContext& context)
      : out_(out),
        program_(program),
        name_(name),
        lowered_(kernel),
        context_(context),
        dialect_(context.dialect),
        transform_(program.transforms[lowered_.transform]) {}

  /// `tiles` spells the parameters of buffers.
  void print(const KernelTilePrinter& tiles) {
    print_head(tiles);
    print_scalars();
    print_strides();
  }

 private:
  int num_loops() const { return static_cast<int>(lowered_.vars.size()); }
  /// With those of batches.
  int num_all_loops() const { return num_loops() + static_cast<int>(lowered_.batches.size()); }

  void print_head(const KernelTilePrinter& tiles) {
    const std::vector<const Rule*> rules = rules_of(transform_, lowered_);
    for (const Rule* rule : rules)
      out_.line("// rule " + transform_.name + "." + rule->name + "   " + origin_of(context_.sources, rule->span));
    if (lowered_.needs_fp64 && !dialect_.fp64.empty()) out_.verbatim(dialect_.fp64 + "\n");
    if (context_.is_strict && !dialect_.no_contraction.empty()) out_.verbatim(dialect_.no_contraction + "\n");
    out_.line("typedef " + opencl_type(program_.element) + " ElementT;");
    print_kernel_functions(out_, rules, dialect_.function);
    const RuleInstance* const blocked = instance_in_blocks(lowered_.tree);
    if (blocked != nullptr && blocked->blocks->products) print_matrix_units(out_, *blocked->blocks->products);
    if (scans_of(lowered_.tree) != nullptr) print_record_functions(out_, dialect_);
    if (const std::string functions = border_functions(rules, dialect_.function); !functions.empty())
      out_.verbatim(functions);
    out_.blank();
    const bool keeps = instance_that_keeps(lowered_.tree) != nullptr;
    const bool has_blocks = blocked != nullptr, has_tile = lowered_.time_tile || !lowered_.tiles.empty();
    if (has_blocks) print_block_bound("PB_BLOCK_ROUNDS");
    if (has_tile) print_block_bound("PB_GROUP0");
    if (keeps)
      out_.verbatim(std::string(has_blocks ? "#elif defined(PB_KEPT_ROUNDS)" : "#ifdef PB_KEPT_ROUNDS") +
                    "\n#define PB_GROUP_BOUND " + dialect_.group_bound + "\n");
    const bool has_bound = keeps || has_blocks || has_tile;
    if (has_bound) out_.verbatim("#else\n#define PB_GROUP_BOUND\n#endif\n");
    const bool has_lanes = keeps || instance_with_lanes(lowered_.tree) != nullptr;
    const bool has_warps = has_lanes || scans_of(lowered_.tree) != nullptr;
    out_.open(dialect_.kernel + (has_warps ? dialect_.warp_size : "") + (has_bound ? "PB_GROUP_BOUND " : "") + name_ +
              "(" + joined(params(tiles), ",\n    ") + " PB_SCRATCH)");
  }

  /// Builds that define the macro know the shape of their groups.
  void print_block_bound(const std::string& macro) {
    out_.verbatim("#ifdef " + macro + "\n#define PB_GROUP_BOUND " + dialect_.block_bound + "\n");
    for (int d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      out_.verbatim("#undef PB_SPAN" + dim + "\n#define PB_SPAN" + dim + " (PB_GROUP" + dim + " * PB_ITEMS" + dim +
                    ")\n");
    }
  }

  std::string type_of(const KernelScalar& scalar) const {
    if (scalar.type == ScalarType::OfMatrix) return element_word(transform_.matrices[scalar.matrix]);
    return scalar.type == ScalarType::Double ? "double" : "int";
  }

  /// Whether the parameter is an `int` that has a number of a smaller type.
  bool is_widened(const KernelScalar& scalar) const {
    return scalar.source == ScalarSource::Matrix && scalar.type != ScalarType::OfMatrix;
  }

  std::string restrict_of(MatrixId matrix) const {
    return is_shared_in_wave(lowered_, matrix) ? "" : dialect_.restrict_ + " ";
  }

  std::vector<std::string> params(const KernelTilePrinter& tiles) const {
    std::vector<std::string> list;
    for (const RuleMatrix& use : lowered_.matrices) {
      const Matrix& matrix = transform_.matrices[use.matrix];
      const std::string name = name_in_kernel(lowered_, transform_, use.matrix, use.is_output);
      std::vector<std::string> group = {dialect_.global + (use.is_output ? "" : "const ") + element_word(matrix) +
                                            "* " + restrict_of(use.matrix) + name + "_data",
                                        "const long " + name + "_offset"};
      for (int d = 0; d < matrix.num_dims(); ++d) group.push_back("const long " + name + "_stride" + std::to_string(d));
      for (int d = 0; d < matrix.num_dims(); ++d) group.push_back("const int " + name + "_size" + std::to_string(d));
      list.push_back(joined(group));
    }
    std::vector<std::string> scalars;
    for (const KernelScalar& scalar : lowered_.scalars)
      scalars.push_back(
          "const " + type_of(scalar) + " " +
          (scalar.is_specialized || is_widened(scalar) ? "pb_given_" + scalar.name : opencl_name(scalar.name)));
    if (!scalars.empty()) list.push_back(joined(scalars));
    std::vector<std::string> range;
    for (int d = 0; d < num_all_loops(); ++d) range.push_back("const int pb_lo" + std::to_string(d));
    for (int d = 0; d < num_all_loops(); ++d) range.push_back("const int pb_extent" + std::to_string(d));
    list.push_back(joined(range));
    if (const Waves* waves = waves_of(lowered_.tree)) list.push_back(joined(wave_parameters(*waves)));
    for (const Buffer& buffer : parameter_buffers(lowered_.tree)) list.push_back(tiles.parameter(buffer));
    if (lowered_.time_tile)
      for (std::string& buffer : time_tile_parameters(program_, lowered_, dialect_)) list.push_back(std::move(buffer));
    for (std::string& buffer : matrix_tile_parameters(program_, lowered_, dialect_)) list.push_back(std::move(buffer));
    return list;
  }

  /// Declares the scalars whose values the build may know, those of small types, and arrays, whose elements are single
  /// parameters.
  void print_scalars() {
    for (const KernelScalar& scalar : lowered_.scalars) {
      if (is_widened(scalar)) {
        const std::string type = element_word(transform_.matrices[scalar.matrix]);
        out_.line("const " + type + " " + opencl_name(scalar.name) + " = (" + type + ")pb_given_" + scalar.name + ";");
      }
      if (!scalar.is_specialized) continue;
      out_.verbatim("#ifdef " + size_macro(scalar.name) + "\n");
      out_.line("const int " + opencl_name(scalar.name) + " = " + size_macro(scalar.name) + ";");
      out_.verbatim("#else\n");
      out_.line("const int " + opencl_name(scalar.name) + " = pb_given_" + scalar.name + ";");
      out_.verbatim("#endif\n");
    }
    const auto& scalars = lowered_.scalars;
    for (std::size_t i = 0; i < scalars.size();) {
      std::vector<std::string> elements;
      const KernelScalar& first = scalars[i++];
      if (first.source != ScalarSource::OfTunable) continue;
      elements.push_back(first.name);
      for (; i < scalars.size() && scalars[i].source == ScalarSource::OfTunable && scalars[i].origin == first.origin;
           ++i)
        elements.push_back(scalars[i].name);
      out_.line("const " + type_of(first) + " " + opencl_name(first.origin) + "[" + std::to_string(elements.size()) +
                "] = {" + joined(elements) + "};");
    }
  }

  void print_strides() {
    for (const RuleMatrix& use : lowered_.matrices) {
      const Matrix& matrix = transform_.matrices[use.matrix];
      const auto& wide = lowered_.with_versions;
      const bool has_versions = std::find(wide.begin(), wide.end(), use.matrix) != wide.end();
      const std::string name = name_in_kernel(lowered_, transform_, use.matrix, use.is_output);
      for (int d = 0; d < matrix.num_dims(); ++d) {
        const std::string stride = name + "_stride" + std::to_string(d);
        if (has_versions && d + 1 == matrix.num_dims()) {
          out_.line("const long " + stride_name(name, d) + " = " + stride + ";");
          continue;
        }
        out_.line("const PB_INDEX " + stride_name(name, d) + " = " +
                  (d == 0 ? "PB_STRIDE0(" + stride + ")" : "(PB_INDEX)" + stride) + ";");
      }
    }
  }

  Writer& out_;
  const Program& program_;
  const std::string& name_;
  const KernelTree& lowered_;
  const KernelContext& context_;
  const KernelDialect& dialect_;
  const Transform& transform_;
};

/// Returns what stands inside of a nest of loops.
const TreeBlock& innermost(const TreeLoop& loop) {
  const TreeLoop* at = &loop;
  while (at->body.size() == 1 && std::holds_alternative<TreeLoop>(at->body.front().node))
    at = &std::get<TreeLoop>(at->body.front().node);
  return at->body;
}

class KernelPrinter {
 public:
  KernelPrinter(const Program& program, const KernelTree& kernel, const std::string& name, const KernelContext& context)
      : program_(program),
        name_(name),
        lowered_(kernel),
        context_(context),
        dialect_(context.dialect),
        transform_(program.transforms[lowered_.transform]),
        rule_(transform_.rules[lowered_.rule]),
        tiles_(out_, transform_, rule_, lowered_, dialect_),
        operands_(out_, program, lowered_, dialect_, tiles_) {}

  std::string print() {
    if (scans_of(lowered_.tree) != nullptr) return print_scans();
    if (const Waves* waves = waves_of(lowered_.tree)) return print_wavefront(*waves);
    KernelHeadPrinter(out_, program_, lowered_, name_, context_).print(tiles_);
    if (lowered_.time_tile || !lowered_.tiles.empty()) {
      if (lowered_.time_tile)
        print_time_tile(out_, program_, lowered_, dialect_);
      else
        print_matrix_tiles(out_, program_, lowered_, dialect_);
      out_.close();
      return out_.text();
    }
    tiles_.print_pointers();
    print_parts_arrays(out_, lowered_.tree, dialect_.local_array);
    print_bin_array(out_, lowered_.tree, dialect_.local_array);
    print_rank_arrays(out_, lowered_.tree, dialect_.local_array);
    if (const RuleInstance* const blocked = instance_in_blocks(lowered_.tree)) {
      print_panel_arrays(out_, tiles_, lowered_.tree, dialect_.local_array);
      if (blocked->blocks->has_parts) BlockPartPrinter(out_, lowered_, dialect_).print_arrays();
    }
    print_block(lowered_.tree.root);
    out_.close();
    return out_.text();
  }

 private:
  int num_loops() const { return static_cast<int>(lowered_.vars.size()); }

  // ---- scans

  std::string print_scans() {
    KernelScanPrinter scans(out_, program_, lowered_, dialect_, operands_,
                            [this](bool stores) { print_part_of_scan(stores); });
    KernelHeadPrinter(out_, program_, lowered_, name_, context_).print(tiles_);
    scans.print();
    out_.close();
    return out_.text();
  }

  std::string print_wavefront(const Waves& waves) {
    KernelHeadPrinter(out_, program_, lowered_, name_, context_).print(tiles_);
    done_ = "pb_done";
    print_waves(out_, lowered_, dialect_, [&] { print_instance(waves.instance); });
    out_.close();
    return out_.text();
  }

  /// Prints the instance of a scan. If it does not store, it says what the values become, and the factors.
  void print_part_of_scan(bool stores) {
    const LineScans& scans = *scans_of(lowered_.tree);
    out_.open("");
    done_ = "pb_done" + std::to_string(num_labels_++);
    if (stores) {
      print_instance(scans.instance, &scans);
    } else {
      operands_.print(scans.instance);
      if (rule_.is_return_form)
        out_.line(element_word(transform_.matrices[rule_.outputs.front().matrix]) + " pb_result;");
      BodyWords words{"pb_result", done_, {}, &scans, true};
      out_.open("");
      const bool jumps = print_kernel_body(out_, rule_, lowered_, scans.instance, words);
      out_.close();
      if (jumps) out_.line(done_ + ":;");
    }
    out_.close();
  }

  // ---- lanes

  /// Prints what a lane does. Work-groups stand along loop 0 alone.
  void print_lane(const TreeBlock& block) {
    const bool are_neighbours = lanes_are_neighbours(lowered_.tree);
    const std::string local = "(int)" + dialect_.local_id(0), size = "(int)" + dialect_.group_size(0);
    out_.open("");
    out_.line("const int pb_local = " + local + ";");
    out_.line("const int pb_span0 = " + size + " / PB_LANES;");
    out_.line("const int pb_lane_distance = " + std::string(are_neighbours ? "1;" : "pb_span0;"));
    // Unsigned, because LLVM 16 (PoCL 5) takes some tests of a signed remainder in vector code for false that are true.
    out_.line(std::string("const int pb_lane = ") +
              (are_neighbours ? "(int)((uint)pb_local % PB_LANES);" : "pb_local / pb_span0;"));
    const std::string group = "(int)" + dialect_.group_id(0);
    out_.line("const int pb_fold_group = " + group + " % PB_FOLD_GROUPS;");
    out_.line("const int pb_worker = pb_lane + PB_LANES * pb_fold_group;");
    out_.line("const int pb_place0 = " + group + " / PB_FOLD_GROUPS * pb_span0 + pb_local " +
              (are_neighbours ? "/ PB_LANES;" : "% pb_span0;"));
    out_.line("const bool pb_is_first = pb_lane == 0 && pb_place0 < pb_extent0;");
    for (int d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      out_.line("const int pb_i" + dim + " = " +
                (d == 0 ? "PB_MIN(pb_place0, pb_extent0 - 1);" : "(int)" + group_id_text(lowered_, dialect_, d) + ";"));
      print_variable(d);
    }
    const int num_all = num_loops() + static_cast<int>(lowered_.batches.size());
    std::string number = "pb_i" + std::to_string(num_all - 1);
    for (int d = num_all - 1; d-- > 0;)
      number = "pb_i" + std::to_string(d) + " + (long)pb_extent" + std::to_string(d) + " * (" + number + ")";
    out_.line("const long pb_instance = " + number + ";");
    done_ = "pb_done_lane";
    print_block(block);
    out_.close();
  }

  /// Prints what lanes do, whether or not they keep cells.
  void print_lanes(const TreeNode& node) {
    if (const auto* loop = std::get_if<TreeLoop>(&node.node)) return print_lane(innermost(*loop));
    const auto& branch = std::get<TreeBranch>(node.node);
    PB_CHECK(branch.condition == keeps_cells(), "lanes branch on what they keep");
    out_.verbatim("#ifdef PB_KEPT_ROUNDS\n");
    print_lanes(branch.then.front());
    out_.verbatim("#else\n");
    print_lanes(branch.otherwise.front());
    out_.verbatim("#endif\n");
  }

  // ---- the tree

  void print_block(const TreeBlock& block) {
    for (const TreeNode& node : block) std::visit([this](const auto& inner) { print_node(inner); }, node.node);
  }

  void print_node(const TreeLoop& loop) {
    if (loop.role == LoopRole::Batch) {
      tiles_.print_batch(loop);
      return print_block(loop.body);
    }
    if (loop.role == LoopRole::Group) {
      // The place of a group is needed only if something stands between its loop and the loops of its items.
      if (loop.dim + 1 == num_loops() && has_barrier(lowered_.tree)) {
        tiles_.print_group();
        print_group_exit(out_, dialect_, lowered_.vars, instance_of(lowered_.tree).conditions);
      }
      return print_block(loop.body);
    }
    if (loop.role == LoopRole::Item) return print_block(loop.body);
    PB_CHECK(loop.role == LoopRole::Unrolled && loop.tail == LoopTail::Peeled && loop.dim + 1 == num_loops(),
             "a kernel's loops are those of groups, of items and of their instances");
    print_instances(innermost(loop));
  }

  /// Prints the loops over the instances of a work-item. Builds with one instance per work-item have no such loops.
  /// Where there are more, groups that lie inside as a whole run them without a test, so that the driver's compiler may
  /// move the loads of all instances ahead of their stores. Not so on a CPU, where PoCL takes minutes to compile 16
  /// copies of a body with loops.
  void print_instances(const TreeBlock& instance) {
    out_.verbatim("#if PB_ITEMS > 1\n");
    if (dialect_.may_run_on_cpus) out_.verbatim("#ifndef PB_CPU\n");
    std::vector<std::string> first, is_whole;
    for (int d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      first.push_back(has_barrier(lowered_.tree) ? "pb_group" + dim
                                                 : "(int)" + group_id_text(lowered_, dialect_, d) + " * PB_SPAN" + dim);
      is_whole.push_back(first.back() + " + PB_SPAN" + dim + " <= pb_extent" + dim);
    }
    const std::vector<std::string> is_in_first =
        lowered_.parts.empty() ? std::vector<std::string>() : group_in_first_part(lowered_, first);
    is_whole.insert(is_whole.end(), is_in_first.begin(), is_in_first.end());
    out_.open("if (" + joined(is_whole, " && ") + ")");
    // The first part's instances are the kernel's own. Groups that may have others run no vectors.
    const bool has_vectors = lowered_.vectors && (lowered_.parts.empty() || !is_in_first.empty());
    if (has_vectors) {
      print_vectors(out_, program_, lowered_, dialect_, operands_);
      out_.verbatim("#else\n");
    }
    print_instance_loops("#pragma unroll\n");
    out_.open("");
    declare_place();
    done_ = "pb_done_whole";
    if (is_in_first.empty())
      print_any(instance);
    else
      print_block(instance);
    out_.close();
    if (has_vectors) out_.verbatim("#endif\n");
    out_.line("return;");
    out_.close();
    if (dialect_.may_run_on_cpus) out_.verbatim("#endif\n");
    print_instance_loops("");
    out_.verbatim("#endif\n");
    out_.open("");
    declare_place();
    std::vector<std::string> is_inside;
    for (int d = 0; d < num_loops(); ++d)
      is_inside.push_back("pb_i" + std::to_string(d) + " < pb_extent" + std::to_string(d));
    out_.open("if (" + joined(is_inside, " && ") + ")");
    done_ = "pb_done";
    print_any(instance);
    out_.close();
    out_.close();
  }

  /// Prints an instance of the part that it lies in.
  void print_any(const TreeBlock& instance) {
    if (lowered_.parts.empty()) return print_block(instance);
    print_parts(out_, program_, lowered_, dialect_, done_);
  }

  /// Prints the heads of the loops, with a directive before each.
  void print_instance_loops(const char* directive) {
    for (int d = num_loops(); d-- > 0;) {
      const std::string var = "pb_k" + std::to_string(d);
      out_.verbatim(directive);
      out_.line("for (int " + var + " = 0; " + var + " < PB_ITEMS" + std::to_string(d) + "; ++" + var + ")");
    }
  }

  void print_node(const TreeBranch& branch) {
    if (branch.condition == runs_in_blocks()) {
      out_.verbatim("#ifdef PB_BLOCK_ROUNDS\n");
      KernelBlockPrinter(out_, program_, lowered_, dialect_, tiles_, operands_).print(branch.then);
      out_.verbatim("#else\n");
      print_block(branch.otherwise);
      out_.verbatim("#endif\n");
      return;
    }
    if (branch.condition == has_lanes()) {
      out_.verbatim("#ifdef PB_LANES\n");
      print_lanes(branch.then.front());
      out_.verbatim("#else\n");
      print_block(branch.otherwise);
      out_.verbatim("#endif\n");
      return;
    }
    PB_CHECK(branch.condition == device_is_cpu(), "kernels branch on the kind of device and on lanes");
    tiles_.declare_buffers_of(branch);
    if (!dialect_.may_run_on_cpus) return print_block(branch.otherwise);
    out_.verbatim("#ifdef PB_CPU\n");
    print_block(branch.then);
    out_.verbatim("#else\n");
    print_block(branch.otherwise);
    out_.verbatim("#endif\n");
  }

  void print_node(const Copy& copy) { tiles_.print_copy(copy); }
  void print_node(const Barrier&) { out_.line(dialect_.barrier); }
  void print_node(const RuleInstance& instance) { print_instance(instance); }
  /// Nodes of CPU versions do not occur in kernels.
  template <class Other>
  void print_node(const Other&) {
    PB_CHECK(false, "kernels have groups and items, and test each cell");
  }

  /// Declares where the instance stands. The declarations stand below the barrier. Compilers for CPUs keep a value that
  /// is computed above it in memory, one for each work-item, and then cannot see that neighbouring work-items access
  /// neighbouring cells.
  void declare_place() {
    for (int d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      out_.line("const int pb_i" + dim + " = " +
                (has_barrier(lowered_.tree) ? "pb_group" + dim + " + (int)PB_LOCAL" + dim
                                            : place_text(lowered_, dialect_, d)) +
                ";");
      print_variable(d);
    }
  }

  void print_variable(int d) {
    const std::string dim = std::to_string(d);
    out_.line("const int " + opencl_name(lowered_.vars[static_cast<std::size_t>(d)]) + " = pb_lo" + dim + " + pb_i" +
              dim + ";");
  }

  void print_instance(const RuleInstance& instance, const LineScans* scans = nullptr) {
    print_kernel_instance(out_, transform_, rule_, lowered_, dialect_, operands_, instance, done_, scans);
  }

  const Program& program_;
  const std::string& name_;
  const KernelTree& lowered_;
  const KernelContext& context_;
  const KernelDialect& dialect_;
  const Transform& transform_;
  const Rule& rule_;
  Writer out_;
  KernelTilePrinter tiles_;
  KernelOperandPrinter operands_;
  int num_labels_ = 0;  ///< of instances of a scan
  std::string done_;    ///< the label behind the body of the instance that is printed
};

}  // namespace

std::string kernel_text(const Program& program, const KernelTree& kernel, const std::string& name,
                        const KernelContext& context) {
  return KernelPrinter(program, kernel, name, context).print();
}

}  // namespace pb
