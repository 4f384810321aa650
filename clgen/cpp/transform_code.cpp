// SPDX-License-Identifier: MIT
#include "clgen/cpp/transform_code.h"

#include <algorithm>
#include <set>

#include "base/reaches_itself.h"
#include "clgen/cpp/context/tunable_code.h"
#include "clgen/cpp/steps/schedule_code.h"
#include "clgen/cpp/steps/step_functions.h"
#include "clgen/index_width.h"
#include "clgen/initial_reads.h"
#include "clgen/names.h"
#include "lang/region/affine.h"
#include "lang/source.h"

namespace pb {
namespace {

/// Returns the name if the argument of a call is only a name, else an empty text.
std::string plain_name(const Body& body, ExprId arg) {
  const auto* name = std::get_if<NameExpr>(&body.exprs[arg].node);
  return name != nullptr ? name->text : "";
}

/// Whether the transform is one rule that only calls others, each for outputs that no other call writes. If the
/// transform's outputs are results of the run, those of the calls are results, too.
bool only_makes_results(const Program& program, const Transform& transform) {
  if (transform.rules.size() != 1) return false;
  const Rule& rule = transform.rules[RuleId(0)];
  if (!rule.vars.empty() || rule.calls.empty()) return false;
  const auto is_call = [&](StmtId id) {
    const auto* call = std::get_if<TransformCallStmt>(&rule.body.stmts[id].node);
    return call != nullptr && !call->is_spawn;
  };
  const auto& stmts = std::get<BlockStmt>(rule.body.stmts[rule.body.root].node).stmts;
  if (!std::all_of(stmts.begin(), stmts.end(), is_call)) return false;
  std::set<std::string> unwritten;
  for (const RegionAccess& output : rule.outputs) unwritten.insert(output.binding);
  return std::all_of(rule.calls.begin(), rule.calls.end(), [&](const TransformCall& call) {
    if (call.targets.size() != 1) return false;
    const std::size_t num_outputs = program.transforms[call.targets.front()].matrices_of(MatrixRole::To).size();
    return std::all_of(call.args.begin(), call.args.begin() + static_cast<std::ptrdiff_t>(num_outputs),
                       [&](ExprId arg) { return unwritten.erase(plain_name(rule.body, arg)) == 1; });
  });
}

}  // namespace

std::vector<MatrixId> call_matrices(const Transform& transform) {
  std::vector<MatrixId> out = transform.matrices_of(MatrixRole::To);
  for (const MatrixId id : transform.matrices_of(MatrixRole::From)) out.push_back(id);
  return out;
}

std::vector<Parameter> call_params(const Transform& transform) {
  std::vector<Parameter> params;
  for (const MatrixId id : call_matrices(transform)) {
    const Matrix& matrix = transform.matrices[id];
    params.push_back({"const " + region_type(matrix, matrix.role == MatrixRole::From) + "&", matrix.name});
  }
  return params;
}

namespace {

std::string joined_params(const Transform& transform) {
  std::vector<std::string> texts;
  for (const Parameter& param : call_params(transform)) texts.push_back(to_cpp(param));
  return joined(texts);
}

}  // namespace

void emit_call_declarations(Writer& out, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  const std::string name = identifier_of(context.program, id);
  const auto declare = [&](const std::string& head) {
    out.line("[[maybe_unused]] static void " + head + ", " + joined_params(transform) + ");");
  };
  declare("call_" + name + "(pbrt::Frame& pb_parent");
  if (context.spawned.contains(id)) declare("spawn_" + name + "(pbrt::Frame& pb_frame");
}

namespace {

Formula with_actual(const Formula& formula, const std::string& actual) {
  Formula out = formula;
  if (auto* symbol = std::get_if<SymbolRef>(&out.node)) {
    if (symbol->name == kActualSize) symbol->name = actual;
  } else if (auto* binary = std::get_if<BinaryFormula>(&out.node)) {
    for (Formula& operand : binary->operands) operand = with_actual(operand, actual);
  } else if (auto* negated = std::get_if<NegatedFormula>(&out.node)) {
    for (Formula& operand : negated->operand) operand = with_actual(operand, actual);
  }
  return out;
}

}  // namespace

std::string solution_text(const SizeVar& var, const std::string& actual) {
  if (!var.is_searched) return to_solution_c(with_actual(var.solution, actual));
  return "pbrt::fitting_size(" + actual + ", [&](const std::int64_t " + var.name + ") { return " +
         to_growing_cpp(var.solution) + "; })";
}

namespace {

/// Whether the formula divides by something that may be 0. A divisor with a size variable does not count, because the
/// solution is then a multiple of it.
bool has_checked_quotient(const Formula& formula) {
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node))
    return has_checked_quotient(negated->operand[0]);
  const auto* binary = std::get_if<BinaryFormula>(&formula.node);
  if (binary == nullptr) return false;
  if (binary->op == FormulaOp::Div && !std::holds_alternative<IntLiteral>(binary->operands[1].node) &&
      !std::holds_alternative<RealLiteral>(binary->operands[1].node) &&
      symbols_of(binary->operands[1], SymbolKind::SizeVar).empty())
    return true;
  return std::any_of(binary->operands.begin(), binary->operands.end(), has_checked_quotient);
}

Unused unused_solution(const SizeVar& var) { return has_checked_quotient(var.solution) ? Unused::Stays : Unused::Goes; }

}  // namespace

void emit_largest_size(Writer& out, const Transform& transform) {
  std::vector<std::string> sizes = transform.size_names();
  sizes.insert(sizes.begin(), "1");
  out.declare("const std::int64_t", "pb_n", "pbrt::index_max(" + joined(sizes) + ")");
}

namespace {

class TransformEmitter {
 public:
  TransformEmitter(Writer& out, const CppContext& context, TransformId id, const std::vector<Kernel>& kernels)
      : out_(out),
        context_(context),
        id_(id),
        transform_(context.program.transforms[id]),
        plan_(context.plan.transforms[id.index()]),
        name_(identifier_of(context.program, id)),
        kernels_(kernels),
        schedule_(make_schedule(context.program, plan_, context.has_kernels)) {}

  void emit() {
    emit_run(emit_step_functions(out_, context_, id_, schedule_, kernels_));
    emit_entries();
  }

 private:
  // ---- run_T

  void emit_run(const StepFunctionNames& functions) {
    Writer body;
    body.indent();
    TransformEmitter(body, context_, id_, kernels_).emit_run_body(functions);
    out_.line("// transform " + transform_.name + "   " + origin_of(context_.sources, transform_.span));
    out_.open("static void run_" + name_ + "(pbrt::Frame& pb_parent, " + joined_params(transform_) + ")");
    out_.verbatim(body.statements());
    out_.close();
    out_.blank();
  }

  void emit_run_body(const StepFunctionNames& functions) {
    emit_sizes();
    emit_variable_checks();
    const bool is_in_steps = schedule_.has_frames_in_steps;
    if (is_in_steps) {
      frame_ = "pb_parent";
      out_.line("pb_parent.throw_if_aborted();");
    } else {
      emit_frame(out_);
    }
    out_.declare("pbrt::RunContext&", "pb_context", frame_ + ".context()");
    emit_uncovered(nullptr);
    emit_scattered();
    emit_choices();
    const auto emit_before = [this](const StepDispatch& dispatch) {
      emit_through(dispatch);
      emit_uncovered(&dispatch);
    };
    emit_schedule(out_, context_, id_, schedule_, functions, emit_before,
                  is_in_steps ? [this](Writer& out) { emit_frame(out); } : EmitFrame());
  }

  void emit_sizes() {
    emit_tunables(false);  // sizes may follow from them
    for (std::size_t i = 0; i < transform_.size_vars.size(); ++i) {
      const SizeVar& var = transform_.size_vars[i];
      if (var.is_given_by_run()) {
        out_.declare("const std::int64_t", var.name, "pb_parent.context().run_size(" + std::to_string(i) + ")");
        continue;
      }
      const std::string actual = transform_.matrices[var.matrix].name + ".size(" + std::to_string(var.dim) + ")";
      out_.declare("const std::int64_t", var.name, solution_text(var, actual), unused_solution(var));
    }
    emit_largest_size(out_, transform_);
    emit_tunables(true);
    for (const MatrixId id : call_matrices(transform_)) {
      const Matrix& matrix = transform_.matrices[id];
      for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
        const std::string dim = std::to_string(d);
        const std::string actual = matrix.name + ".size(" + dim + ")";
        const std::string expected = to_wide_c(matrix.extents[d]);
        if (is_definition(id, d)) continue;
        out_.line("pbrt::check_size(" + quoted(transform_.name) + ", " + quoted(matrix.name) + ", " + dim + ", " +
                  quoted(to_string(matrix.extents[d])) + ", " + expected + ", " + actual + ");");
      }
    }
  }

  /// Rule variables are ints: what may be larger stops the call.
  void emit_variable_checks() {
    std::set<std::string> done;
    for (const Step& step : plan_.steps) {
      for (const LoopDim& loop : step.loops) {
        if (has_int_values(loop.range, transform_)) continue;
        const std::string line = "pbrt::check_rule_variable(" +
                                 quoted(transform_.name + "." + transform_.rules[step.rule].name) + ", " +
                                 quoted(loop.var) + ", " + to_cpp(loop.range.lo) + ", " + to_cpp(loop.range.hi) + ");";
        if (done.insert(line).second) out_.line(line);
      }
    }
  }

  /// Whether the size variable was read from this very extent as it is.
  bool is_definition(MatrixId id, std::size_t d) const {
    return std::any_of(transform_.size_vars.begin(), transform_.size_vars.end(), [&](const SizeVar& var) {
      const auto* symbol = std::get_if<SymbolRef>(&var.solution.node);
      return var.matrix == id && var.dim == static_cast<int>(d) && symbol != nullptr && symbol->name == kActualSize;
    });
  }

  void emit_tunables(bool is_size_specific) {
    for (const TunableId id : transform_.tunables.ids()) {
      const UserTunable& tunable = transform_.tunables[id];
      if (tunable.is_size_specific != is_size_specific) continue;
      for (std::size_t i = 0; i < plan_.tunables.size(); ++i) {
        if (plan_.tunables[i].user != id) continue;
        declare_tunable(tunable, i);
      }
    }
  }

  /// Declares a tunable. Reading its value from the run may stop the run.
  void declare_tunable(const UserTunable& tunable, std::size_t index) {
    if (const auto constant = constant_text(plan_.tunables[index], tunable))
      return out_.declare(constant->type, tunable.name, constant->value);
    const Unused unused = plan_.tunables[index].fixed.empty() ? Unused::Stays : Unused::Goes;
    const std::string n = tunable.is_size_specific ? "pb_n" : "1";
    if (tunable.array_extent > 0)
      return out_.declare("const " + tunable_type(tunable), tunable.name,
                          "pbrt::tunable_values<" + std::string(tunable.is_real ? "double, " : "IndexT, ") +
                              std::to_string(tunable.array_extent) + ">(" +
                              tunable_elements(context_, id_, index, "pb_parent.context()", n) + ")",
                          Unused::Stays);
    out_.declare(tunable.is_real ? "const double" : "const std::int64_t", tunable.name,
                 tunable_value(context_, id_, index, "pb_parent.context()", n), unused);
  }

  /// Whether a call of the transform may lead to another one of it.
  bool calls_itself() const {
    return reaches_itself(
        id_, [&](TransformId id) -> const auto& { return context_.plan.transforms[id.index()].calls; });
  }

  /// Prints `pb_call`, which stops a recursion that does not end.
  void emit_recursive_call(Writer& out, const std::vector<std::string>& extents) const {
    std::vector<std::string> numbers;
    for (const MatrixId id : transform_.matrices_of(MatrixRole::From))
      if (transform_.matrices[id].extents.empty())
        numbers.push_back("static_cast<double>(" + transform_.matrices[id].name + ".cell())");
    const auto array = [&](const std::string& type, const std::string& name, const std::vector<std::string>& items) {
      if (items.empty()) return std::string("nullptr, 0");
      out.line("const " + type + " " + name + "[] = {" + joined(items) + "};");
      return name + ", " + std::to_string(items.size());
    };
    const std::string of_extents = array("std::int64_t", "pb_extents", extents);
    const std::string of_numbers = array("double", "pb_numbers", numbers);
    out.line("const pbrt::RecursiveCall pb_call(pb_parent, " + std::to_string(id_.index()) + ", " + of_extents + ", " +
             of_numbers + ");");
  }

  /// Returns the extents of all arguments.
  std::vector<std::string> extents() const {
    std::vector<std::string> out;
    for (const MatrixId id : call_matrices(transform_)) {
      const Matrix& matrix = transform_.matrices[id];
      for (std::size_t d = 0; d < matrix.extents.size(); ++d)
        out.push_back(matrix.name + ".size(" + std::to_string(d) + ")");
    }
    return out;
  }

  /// Returns the size that is compared with the sequential cut-off.
  std::string largest_extent() const {
    std::vector<std::string> items = extents();
    items.insert(items.begin(), "1");
    return "pbrt::index_max(" + joined(items) + ")";
  }

  void emit_frame(Writer& out) const {
    const bool is_recursive = calls_itself();
    if (is_recursive) emit_recursive_call(out, extents());
    const auto& cutoff = context_.options.globals.sequential_cutoff;
    out.line("pbrt::CallFrame pb_frame(pb_parent, " + largest_extent() +
             (cutoff ? ", " + std::to_string(*cutoff) : "") + ");");
    if (is_recursive) out.line("pb_call.enter(pb_frame);");
    if (context_.has_kernels && only_makes_results(context_.program, transform_))
      out.line("pb_frame.pass_root(pb_parent);");
  }

  /// Returns the extent of a temporary. `touched` is the condition that a step needs the matrix whatever its size is;
  /// else a temporary of negative size has no cells.
  static std::string extent_of_temporary(const Formula& extent, const Condition& touched) {
    std::string text = to_wide_c(extent);
    if (touched.is_always() || is_never_negative(extent)) return text;
    const std::string cut = "pbrt::index_max(0, " + text + ")";
    return touched.is_never() ? cut : "(" + selected_text(touched, "std::int64_t{" + text + "}", cut) + ")";
  }

  /// Temporaries that no step will touch have no storage.
  void emit_through(const StepDispatch& dispatch) {
    for (const MatrixId id : transform_.matrices_of(MatrixRole::Through)) {
      const Matrix& matrix = transform_.matrices[id];
      std::vector<std::string> extents;
      const Condition touched = dispatch.conditions().is_touched_whole(id);
      for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
        extents.push_back(extent_of_temporary(matrix.extents[d], touched));
        out_.line("pbrt::check_extent(" + quoted(transform_.name) + ", " + quoted(matrix.name) + ", " +
                  std::to_string(d) + ", " + quoted(to_string(matrix.extents[d])) + ", " + extents.back() + ");");
      }
      const std::string type = region_type(matrix, false);
      const std::string storage = type + "::allocate(" + joined(extents) + ")";
      out_.line("const " + type + " " + matrix.name + " = " +
                selected_text(dispatch.conditions().is_used(id), storage, type + "()") + ";");
    }
  }

  /// Prints checks that stop the call at cells that no rule computes. Without `dispatch` these are cells of outputs;
  /// with it, cells of temporaries that a step may read that runs.
  void emit_uncovered(const StepDispatch* dispatch) {
    for (const UncoveredBox& box : plan_.uncovered) {
      if ((transform_.matrices[box.matrix].role == MatrixRole::Through) != (dispatch != nullptr)) continue;
      const Condition read = dispatch == nullptr ? Condition::always() : dispatch->conditions().is_read(box.matrix);
      std::vector<Condition> terms{read, all_at_least_zero(box.guards)};
      if (!box.conditions.empty()) {
        emit_uncovered_search(box, Condition::all_of(std::move(terms)));
        continue;
      }
      std::vector<std::string> cell;
      for (const IndexRange& range : box.box) {
        terms.push_back(Condition::non_empty(range));
        cell.push_back(to_cpp(range.lo));
      }
      out_.line(guarded_text(Condition::all_of(std::move(terms)), uncovered_call(box, cell)));
    }
  }

  std::string uncovered_call(const UncoveredBox& box, const std::vector<std::string>& cell) const {
    return "pbrt::uncovered_cell(" + quoted(transform_.name) + ", " + quoted(transform_.matrices[box.matrix].name) +
           ", {" + joined(cell) + "});";
  }

  /// Prints a search for a cell of the box that satisfies the conditions. Only small sizes get past the guards.
  void emit_uncovered_search(const UncoveredBox& box, const Condition& guards) {
    const std::vector<std::string> dims = cell_dims(static_cast<int>(box.box.size()));
    std::vector<std::pair<std::string, IndexExpr>> names;
    std::vector<std::string> cell;
    for (const std::string& dim : dims) {
      cell.push_back("pb_cell" + std::to_string(cell.size()));
      names.emplace_back(dim, index_symbol(cell.back()));
    }
    out_.open(if_text(guards));
    for (std::size_t d = dims.size(); d-- > 0;)
      out_.open("for (std::int64_t " + cell[d] + " = " + to_cpp(box.box[d].lo) + "; " + cell[d] + " < " +
                to_cpp(box.box[d].hi) + "; ++" + cell[d] + ")");
    std::vector<Condition> terms;
    for (const IndexExpr& condition : box.conditions)
      terms.push_back(Condition::at_least_zero(substitute(condition, names)));
    out_.line(guarded_text(Condition::all_of(std::move(terms)), uncovered_call(box, cell)));
    for (std::size_t d = 0; d <= dims.size(); ++d) out_.close();
  }

  /// Prints statements that bring home what a device holds of a scattered matrix before the steps begin, because the
  /// steps' cells interleave.
  void emit_scattered() {
    if (!context_.has_kernels) return;
    for (const MatrixId id : transform_.matrices_of(MatrixRole::To))
      if (is_scattered(plan_, id))
        out_.line("pbrt::before_host_write(" + frame_ + ", " + transform_.matrices[id].name + ");");
  }

  void emit_choices() {
    for (const SiteId id : plan_.sites.ids()) {
      const Site& site = plan_.sites[id];
      if (!is_decision(site)) continue;
      const std::string name = choice_name(id);
      std::vector<std::string> on_cpu;
      bool has_device = false;
      for (const Alternative& alternative : site.alternatives) {
        for (const Version version : alternative.versions) {
          on_cpu.push_back(std::to_string(choice_index(site, alternative, Version::Cpu)));
          has_device = has_device || version != Version::Cpu;
        }
      }
      out_.line((has_device ? "int " : "const int ") + name + " = " + selected(id) + ";");
      emit_counts_elsewhere(id);
      if (!has_device) continue;
      out_.line("static constexpr int kOnCpu_" + std::to_string(id.index()) + "[] = {" + joined(on_cpu) + "};");
      out_.line("if (" + frame_ + ".is_sequential()) " + name + " = pb_context.below_cutoff(" + frame_ + ", " +
                site_constant(context_, id_, id) + ", " + name + ", kOnCpu_" + std::to_string(id.index()) + "[" + name +
                "], " + largest_extent() + ");");
    }
  }

  /// Returns the choice of a site for `pb_n`: from the configuration, or by the levels that were compiled in.
  std::string selected(SiteId id) const {
    const Site& site = plan_.sites[id];
    if (site.fixed.empty()) return "pb_context.select(" + site_constant(context_, id_, id) + ", pb_n)";
    std::string out;
    for (std::size_t i = site.fixed.size(); i-- > 0;) {
      const FixedLevel& level = site.fixed[i];
      if (i > 0) out += "pb_n >= " + std::to_string(level.from) + " ? ";
      out += std::to_string(choice_index(site, site.alternatives[level.alternative], level.version));
      if (i > 0) out += " : ";
    }
    return out;
  }

  /// Prints counts of the alternatives whose instances all belong to another site's step, which always runs.
  void emit_counts_elsewhere(SiteId id) {
    const Site& site = plan_.sites[id];
    for (const Alternative& alternative : site.alternatives) {
      const bool has_step = std::any_of(plan_.steps.begin(), plan_.steps.end(), [&](const Step& step) {
        return step.site == id && runs(plan_, alternative, step);
      });
      if (has_step) continue;
      const std::string index = std::to_string(choice_index(site, alternative, Version::Cpu));
      out_.line("if (" + choice_name(id) + " == " + index + ") pb_context.count(" + frame_ + ", " +
                site_constant(context_, id_, id) + ", " + index + ");");
    }
  }

  // ---- call_T, spawn_T

  void emit_entries() {
    std::vector<std::string> names;
    std::vector<std::string> captures;
    for (const MatrixId id : call_matrices(transform_)) {
      const std::string& name = transform_.matrices[id].name;
      names.push_back(name);
      captures.push_back(name + " = " + name);
    }
    const std::string args = joined(names);
    if (transform_.is_memoized) emit_memo(args);
    out_.open("static void call_" + name_ + "(pbrt::Frame& pb_parent, " + joined_params(transform_) + ")");
    emit_overlaps();
    out_.line(run_text("pb_parent", args));
    out_.close();
    if (context_.spawned.contains(id_)) emit_spawn(args, joined(captures));
    out_.blank();
  }

  std::string run_text(const std::string& frame, const std::string& args) const {
    const std::string entry = transform_.is_memoized ? "memo_" : "run_";
    return "pbrt::call_on_fresh_stack_if_needed(" + frame + ", [&] { " + entry + name_ + "(" + frame + ", " + args +
           "); });";
  }

  /// Whether each instance that reads an element of `input` writes the same element of `output` and no other:
  /// `OUT.cell(i) from (IN.cell(i) a)`. A call may then work in place.
  bool is_read_where_written(MatrixId output, MatrixId input) const {
    const auto is_cell_of = [](const RegionAccess& access, MatrixId id) {
      return access.matrix == id && access.kind == AccessKind::Cell && !access.may_be_outside() && !access.is_guest &&
             access.tested_dims.empty();
    };
    for (const Rule& rule : transform_.rules) {
      const auto of_output = [&](const RegionAccess& access) { return access.matrix == output; };
      const auto written = std::find_if(rule.outputs.begin(), rule.outputs.end(), of_output);
      const bool is_one = std::count_if(rule.outputs.begin(), rule.outputs.end(), of_output) == 1;
      for (const RegionAccess& read : rule.inputs) {
        if (read.matrix != input) continue;
        if (!is_one || !is_cell_of(*written, output) || !is_cell_of(read, input) || read.lo != written->lo)
          return false;
      }
    }
    return true;
  }

  /// Prints tests of checked programs, which stop if a matrix that the transform writes shares elements with another
  /// argument.
  void emit_overlaps() {
    if (!context_.options.is_checked) return;
    const std::vector<MatrixId> matrices = call_matrices(transform_);
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const Matrix& written = transform_.matrices[matrices[i]];
      if (written.role != MatrixRole::To) continue;
      for (std::size_t j = i + 1; j < matrices.size(); ++j) {
        const Matrix& other = transform_.matrices[matrices[j]];
        const bool is_number = other.role == MatrixRole::From && other.extents.empty();  // passed by value
        if (is_number) continue;
        const bool may_be_same = other.role == MatrixRole::From && is_read_where_written(matrices[i], matrices[j]);
        if (may_be_same) out_.line("if (!pbrt::is_same_view(" + written.name + ".raw(), " + other.name + ".raw()))");
        out_.line((may_be_same ? "  " : "") + std::string("pbrt::check_apart(") + quoted(written.name) + ", " +
                  written.name + ".raw(), " + quoted(other.name) + ", " + other.name + ".raw(), " +
                  (other.role == MatrixRole::To ? "true);" : "false);"));
      }
    }
  }

  void emit_spawn(const std::string& args, const std::string& captures) {
    // A task owns its handles. A call that runs at once borrows them, because each copy would count a reference.
    out_.open("static void spawn_" + name_ + "(pbrt::Frame& pb_frame, " + joined_params(transform_) + ")");
    out_.line("if (pb_frame.is_sequential()) return call_" + name_ + "(pb_frame, " + args + ");");
    emit_overlaps();
    const bool is_tested = context_.options.is_checked;
    const std::string call = is_tested ? run_text("pb_child", args) : "call_" + name_ + "(pb_child, " + args + ");";
    out_.line("pb_frame.spawn([" + captures + "](pbrt::Frame& pb_child) { " + call + " });");
    out_.close();
  }

  /// Prints `memo_T`, which returns the results of the call before or runs.
  void emit_memo(const std::string& args) {
    out_.open("static void memo_" + name_ + "(pbrt::Frame& pb_parent, " + joined_params(transform_) + ")");
    out_.line("pbrt::MemoCall pb_memo(pb_parent, " + std::to_string(id_.index()) + ");");
    for (const MatrixId id : call_matrices(transform_)) {
      const Matrix& matrix = transform_.matrices[id];
      const bool is_read = matrix.role == MatrixRole::To && is_read_by_bodies(context_.program, id_, id);
      out_.line(matrix.role == MatrixRole::From
                    ? "pb_memo.input(" + matrix.name + ");"
                    : "pb_memo.output(" + matrix.name + (is_read ? ", true);" : ", false);"));
    }
    out_.line("if (pb_memo.find()) return;");
    out_.line("run_" + name_ + "(pb_parent, " + args + ");");
    out_.line("pb_memo.store();");
    out_.close();
  }

  Writer& out_;
  const CppContext& context_;
  TransformId id_;
  const Transform& transform_;
  const TransformPlan& plan_;
  std::string name_;
  const std::vector<Kernel>& kernels_;
  Schedule schedule_;
  std::string frame_ = "pb_frame";  ///< the frame of what `run_T` does before its steps
};

}  // namespace

void emit_transform(Writer& out, const CppContext& context, TransformId transform, const std::vector<Kernel>& kernels) {
  TransformEmitter(out, context, transform, kernels).emit();
}

}  // namespace pb
