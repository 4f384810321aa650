// SPDX-License-Identifier: MIT
#include "frontend/splice_calls/spliced_transform.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "frontend/splice_calls/call_chain.h"
#include "frontend/splice_calls/canonical_size.h"
#include "frontend/splice_calls/spliced_rule.h"
#include "lang/region/affine.h"

namespace pb::splicing {
namespace {

using ReadsInitially = std::function<bool(const Program&, TransformId, MatrixId)>;

/// The matrices of a body that is being spliced.
struct CallerBody {
  const Callee& owner;  ///< the transform that has the rule
  const Rule& rule;
  std::vector<MatrixId> temporaries;  ///< what was written last, by temporary
  std::vector<MatrixId> outputs;      ///< likewise, by output
};

bool is_whole(const RegionAccess& access) {
  return access.lo.empty() || (access.kind == AccessKind::All && !access.is_slice);
}

class Splicer {
 public:
  Splicer(const Program& program, TransformId caller, RuleId rule, const ReadsInitially& reads_initially)
      : program_(program),
        caller_(program.transforms[caller]),
        rule_(caller_.rules[rule]),
        reads_initially_(reads_initially),
        made_(out_.transform) {
    made_.name = caller_.name + "<spliced " + rule_.name + ">";
    made_.source_name = made_.name;
    made_.spliced = {caller, rule};
    made_.span = rule_.span;
    open_.push_back(caller);
  }

  SplicedTransform run() {
    const CallChain chain = read_chain(program_, rule_);
    refuse(chain.refusal);
    check_caller();
    if (is_over()) return std::move(out_);
    Callee root = bind_caller(chain);
    if (!is_over()) splice_chain(root, rule_, chain);
    if (!is_over()) check_sizes();
    if (!is_over()) check_variables();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_over() const { return out_.refusal.is_given(); }
  void refuse(Refusal refusal) {
    if (!is_over()) out_.refusal = std::move(refusal);
  }
  void refuse(std::string reason, Span span) { refuse(Refusal{std::move(reason), span}); }

  void check_caller() {
    const bool is_one_instance = rule_.vars.empty() && !rule_.is_dynamic && rule_.tried.empty() &&
                                 rule_.where.empty() && rule_.where_any.empty();
    if (!is_one_instance) return refuse("the rule has more than one instance, or a `where`", rule_.span);
    std::set<MatrixId> outputs;
    for (const auto* accesses : {&rule_.outputs, &rule_.inputs})
      for (const RegionAccess& access : *accesses)
        if (!is_whole(access) || access.border != Border::None)
          return refuse("the rule uses a part of `" + caller_.matrices[access.matrix].name + "`", access.span);
    for (const RegionAccess& output : rule_.outputs)
      if (!outputs.insert(output.matrix).second) return refuse("it has two names for one result", output.span);
    for (const RegionAccess& input : rule_.inputs)
      if (outputs.contains(input.matrix)) return refuse("the rule reads what it writes", input.span);
  }

  /// The matrix of the caller that an argument names; none for a temporary.
  [[nodiscard]] std::optional<MatrixId> named_by(const ChainArg& arg) const {
    if (arg.number) return std::nullopt;
    if (arg.of.kind == NameKind::Output) return rule_.outputs[arg.of.index].matrix;
    if (arg.of.kind == NameKind::Input) return rule_.inputs[arg.of.index].matrix;
    if (arg.of.kind == NameKind::ScalarInput) return MatrixId{arg.of.index};
    return std::nullopt;
  }

  /// Gives the made transform the matrices of the caller that the calls use, and the sizes that follow from them.
  Callee bind_caller(const CallChain& chain) {
    std::map<MatrixId, ChainArg> used;
    for (const ChainCall& call : chain.calls)
      for (const ChainArg& arg : call.args)
        if (const auto matrix = named_by(arg)) used.emplace(*matrix, arg);
    Callee root{made_.spliced->caller, std::vector<Bound>(caller_.matrices.size()), {}};
    for (const MatrixRole role : {MatrixRole::To, MatrixRole::From}) {
      for (const MatrixId id : caller_.matrices.ids()) {
        const auto found = used.find(id);
        if (found == used.end() || (found->second.of.kind == NameKind::Output) != (role == MatrixRole::To)) continue;
        Matrix matrix = caller_.matrices[id];
        matrix.role = role;
        matrix.range = std::nullopt;
        for (Formula& extent : matrix.extents) extent = canonical(extent);
        root.matrices[id.index()].matrix = made_.matrices.add(std::move(matrix));
        out_.args.push_back(found->second.expr);
      }
    }
    bind_sizes(root);
    return root;
  }

  void bind_sizes(Callee& root) {
    if (!caller_.params.empty()) return refuse("the caller has a `param`", caller_.params.front().span);
    for (const SizeVar& var : caller_.size_vars) {
      const MatrixId from = root.matrices[var.matrix.index()].matrix;
      if (from.is_none()) continue;
      made_.size_vars.push_back(var);
      made_.size_vars.back().matrix = from;
      root.sizes[var.name] = {SymbolRef{SymbolKind::SizeVar, var.name}, var.span};
      taken_.insert(var.name);
    }
    for (const SizeVar& var : made_.size_vars) check_known(var.solution, var.span);
    for (const MatrixId id : made_.matrices.ids()) {
      const Matrix& matrix = made_.matrices[id];
      for (const Formula& extent : matrix.extents) check_known(extent, matrix.span);
      if (matrix.extents.empty() && matrix.role == MatrixRole::From) taken_.insert(matrix.name);
    }
  }

  /// Whether the sizes that a call of the made transform finds determine the formula.
  void check_known(const Formula& formula, Span span) {
    for (const std::string& name : names_in(formula))
      if (name != kActualSize && std::none_of(made_.size_vars.begin(), made_.size_vars.end(),
                                              [&](const SizeVar& var) { return var.name == name; }))
        refuse("`" + name + "` does not follow from the matrices that its calls use", span);
  }

  /// Functions of a rule have its variables and its matrices by their names.
  void check_variables() {
    for (const Rule& rule : made_.rules)
      for (const RuleVar& var : rule.vars)
        for (const Matrix& matrix : made_.matrices)
          if (matrix.name == var.name)
            refuse("`" + var.name + "` is a matrix of `" + caller_.name + "`, and a variable of a rule that it calls",
                   var.span);
  }

  // ---- Calls ----------------------------------------------------------------

  /// Splices the calls of a body. `owner` is the transform of the rule.
  void splice_chain(const Callee& owner, const Rule& rule, const CallChain& chain) {
    CallerBody body{owner, rule, std::vector<MatrixId>(rule.temporaries.size()), {}};
    for (const RegionAccess& output : rule.outputs)
      body.outputs.push_back(owner.matrices[output.matrix.index()].matrix);
    check_written_again(chain);
    for (std::size_t at = 0; at < chain.calls.size() && !is_over(); ++at) {
      const ChainCall& call = chain.calls[at];
      const Transform& callee = program_.transforms[call.callee];
      Callee inner{call.callee, std::vector<Bound>(callee.matrices.size()), {}};
      const std::vector<MatrixId> outputs = callee.matrices_of(MatrixRole::To);
      const std::vector<MatrixId> inputs = callee.matrices_of(MatrixRole::From);
      for (std::size_t i = 0; i < inputs.size(); ++i)
        inner.matrices[inputs[i].index()] = bound_by(body, call.args[outputs.size() + i]);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        inner.matrices[outputs[i].index()].matrix =
            written_by(body, call.args[i], num_writes(chain, call.args[i].of, at + 1) == 0);
      splice_call(inner, call.span);
    }
  }

  /// The number of calls from number `from` on that write a matrix.
  [[nodiscard]] std::size_t num_writes(const CallChain& chain, const NameBinding& matrix, std::size_t from) const {
    std::size_t out = 0;
    for (std::size_t at = from; at < chain.calls.size(); ++at) {
      const ChainCall& call = chain.calls[at];
      const std::size_t num_outputs = program_.transforms[call.callee].matrices_of(MatrixRole::To).size();
      for (std::size_t i = 0; i < num_outputs; ++i) out += call.args[i].of == matrix ? 1 : 0;
    }
    return out;
  }

  void check_written_again(const CallChain& chain) {
    for (const ChainCall& call : chain.calls) {
      const Transform& callee = program_.transforms[call.callee];
      const std::vector<MatrixId> outputs = callee.matrices_of(MatrixRole::To);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        if (num_writes(chain, call.args[i].of, 0) > 1 && reads_initially_(program_, call.callee, outputs[i]))
          refuse("several calls write one matrix, and `" + callee.name + "` may read what it finds there", call.span);
    }
  }

  /// A number in sizes of the made transform.
  [[nodiscard]] static GivenNumber in_sizes_of(const Callee& owner, GivenNumber number) {
    if (auto* formula = std::get_if<Formula>(&number.value)) *formula = canonical(substitute(*formula, owner.sizes));
    return number;
  }

  /// What an argument reads: the matrix that was written last.
  [[nodiscard]] static Bound bound_by(const CallerBody& body, const ChainArg& arg) {
    if (arg.number) return {{}, in_sizes_of(body.owner, *arg.number)};
    if (arg.of.kind == NameKind::Temporary) return {body.temporaries[arg.of.index], {}};
    if (arg.of.kind == NameKind::Output) return {body.outputs[arg.of.index], {}};
    const MatrixId matrix =
        arg.of.kind == NameKind::Input ? body.rule.inputs[arg.of.index].matrix : MatrixId{arg.of.index};
    return body.owner.matrices[matrix.index()];
  }

  /// The matrix that a call writes. Only the last one that writes a result writes it itself.
  MatrixId written_by(CallerBody& body, const ChainArg& arg, bool is_last) {
    if (arg.of.kind == NameKind::Temporary) {
      const RuleTemporary& temporary = body.rule.temporaries[arg.of.index];
      Matrix matrix;
      matrix.name = temporary.name;
      matrix.element = temporary.element;
      matrix.is_element_t = temporary.is_element_t;
      matrix.span = temporary.span;
      matrix.extents = temporary.extents;
      return body.temporaries[arg.of.index] = add_through(body.owner, std::move(matrix));
    }
    const MatrixId result = body.owner.matrices[body.rule.outputs[arg.of.index].matrix.index()].matrix;
    if (is_last) return body.outputs[arg.of.index] = result;
    return body.outputs[arg.of.index] = add_through(
               {body.owner.id, {}, {}}, made_.matrices[result]);  // its sizes are those of the made transform
  }

  /// Adds a matrix of `owner` that no caller sees.
  MatrixId add_through(const Callee& owner, Matrix matrix) {
    matrix.role = MatrixRole::Through;
    matrix.range = std::nullopt;
    for (Formula& extent : matrix.extents) {
      extent = canonical(substitute(extent, owner.sizes));
      check_known(extent, matrix.span);
    }
    const std::string name = matrix.name;
    const auto is_taken = [&](const std::string& each) {
      return taken_.contains(each) || std::any_of(made_.matrices.begin(), made_.matrices.end(),
                                                  [&](const Matrix& other) { return other.name == each; });
    };
    for (int number = 2; is_taken(matrix.name); ++number) matrix.name = name + "_" + std::to_string(number);
    return made_.matrices.add(std::move(matrix));
  }

  void splice_call(Callee& callee, Span span) {
    const Transform& transform = program_.transforms[callee.id];
    if (std::find(open_.begin(), open_.end(), callee.id) != open_.end())
      return refuse("`" + transform.name + "` calls itself", span);
    check_callee(transform, span);
    check_matrices(callee, transform, span);
    if (is_over()) return;
    solve_sizes(callee, transform, span);
    if (is_over()) return;
    for (const MatrixId id : transform.matrices_of(MatrixRole::Through))
      callee.matrices[id.index()].matrix = add_through(callee, transform.matrices[id]);
    open_.push_back(callee.id);
    const std::vector<RuleId> rules = written_rules(transform);
    const Rule& first = transform.rules[rules.front()];
    const bool has_calls =
        std::any_of(rules.begin(), rules.end(), [&](RuleId id) { return !transform.rules[id].calls.empty(); });
    if (rules.size() == 1 && has_calls) {
      splice_inner(callee, transform, first);
    } else if (has_calls) {
      refuse("rules of `" + transform.name + "` call transforms", span);
    } else {
      for (const RuleId rule : rules)
        if (!is_over()) refuse(add_spliced_rule(made_, taken_, callee, transform, transform.rules[rule]));
    }
    open_.pop_back();
  }

  /// Splices a callee whose only rule is a chain itself.
  void splice_inner(const Callee& callee, const Transform& transform, const Rule& rule) {
    const CallChain chain = read_chain(program_, rule);
    if (chain.refusal.is_given())
      return refuse("calls of `" + transform.name + "` are no chain: " + chain.refusal.reason, chain.refusal.span);
    const bool is_plain = rule.vars.empty() && !rule.is_dynamic && rule.where.empty() && rule.where_any.empty();
    const auto is_part = [](const RegionAccess& access) { return !is_whole(access) || access.border != Border::None; };
    if (!is_plain || std::any_of(rule.outputs.begin(), rule.outputs.end(), is_part) ||
        std::any_of(rule.inputs.begin(), rule.inputs.end(), is_part))
      return refuse("the rule of `" + transform.name + "` uses parts of matrices", rule.span);
    splice_chain(callee, rule, chain);
  }

  void check_callee(const Transform& transform, Span span) {
    const std::string name = "`" + transform.name + "`";
    if (transform.is_memoized) refuse(name + " is memoized", span);
    if (transform.accuracy) refuse(name + " has an accuracy", span);
    if (!transform.tunables.empty()) refuse(name + " has tunables of its own", span);
    if (made_.rules.size() + written_rules(transform).size() > kMostRules)
      refuse("it would have more than " + std::to_string(kMostRules) + " rules", span);
  }

  /// Whether arguments have the types of what they stand for.
  void check_matrices(const Callee& callee, const Transform& transform, Span span) {
    for (const MatrixId id : transform.matrices.ids()) {
      const Matrix& inner = transform.matrices[id];
      const Bound& bound = callee.matrices[id.index()];
      if (inner.role == MatrixRole::Through || bound.number) continue;
      const Matrix& outer = made_.matrices[bound.matrix];
      const bool is_same = inner.element == outer.element && inner.is_element_t == outer.is_element_t &&
                           inner.num_dims() == outer.num_dims() && inner.has_versions == outer.has_versions &&
                           inner.first_version == outer.first_version;
      if (!is_same)
        refuse("`" + outer.name + "` is not declared as `" + inner.name + "` of `" + transform.name + "` is", span);
    }
  }

  // ---- Sizes ----------------------------------------------------------------

  /// Finds the callee's size variables as a call does, and proves that all of its sizes are those of the arguments.
  void solve_sizes(Callee& callee, const Transform& transform, Span span) {
    std::set<std::pair<MatrixId, int>> definitions;
    for (const SizeVar& var : transform.size_vars) {
      if (var.is_given_by_run() || var.is_searched)
        return refuse("a run has to find `" + var.name + "` of `" + transform.name + "`", span);
      std::map<std::string, Formula> known = callee.sizes;
      known[kActualSize] =
          made_.matrices[callee.matrices[var.matrix.index()].matrix].extents[static_cast<std::size_t>(var.dim)];
      callee.sizes[var.name] = canonical(substitute(var.solution, known));
      if (std::holds_alternative<SymbolRef>(var.solution.node)) definitions.emplace(var.matrix, var.dim);
    }
    for (const MatrixId id : transform.matrices.ids()) {
      const Bound& bound = callee.matrices[id.index()];
      const Matrix& inner = transform.matrices[id];
      if (inner.role == MatrixRole::Through || bound.number) continue;
      for (int d = 0; d < inner.num_dims(); ++d) {
        const auto dim = static_cast<std::size_t>(d);
        const Formula wanted = canonical(substitute(inner.extents[dim], callee.sizes));
        const Formula& given = made_.matrices[bound.matrix].extents[dim];
        if (!(wanted == given))
          return refuse("`" + transform.name + "` takes `" + inner.name + "` with " + to_string(wanted) +
                            " cells in dimension " + std::to_string(d) + ", which are not known to be " +
                            to_string(given),
                        span);
        if (!definitions.contains({id, d})) checked_.emplace(bound.matrix, d);
      }
    }
    for (const SizeVar& var : transform.size_vars) note_checked(callee, transform, var);
  }

  /// Notes the size that defines a size variable, if a negative one stops the call: the variable is 0 then, and another
  /// size, which is what its formula says, does not have that value.
  void note_checked(const Callee& callee, const Transform& transform, const SizeVar& var) {
    const Formula name{SymbolRef{SymbolKind::SizeVar, var.name}, {}};
    const Formula next{BinaryFormula{FormulaOp::Add, {name, {IntLiteral{1}, {}}}}, {}};
    for (const MatrixId id : transform.matrices.ids()) {
      const Bound& bound = callee.matrices[id.index()];
      const Matrix& inner = transform.matrices[id];
      if (inner.role == MatrixRole::Through || bound.number) continue;
      for (int d = 0; d < inner.num_dims(); ++d) {
        const bool is_result_or_input = made_.matrices[bound.matrix].role != MatrixRole::Through;
        const bool is_definition = id == var.matrix && d == var.dim;
        if (is_definition || (!is_result_or_input && !checked_.contains({bound.matrix, d}))) continue;
        const Formula& extent = inner.extents[static_cast<std::size_t>(d)];
        const Formula rise =
            canonical({BinaryFormula{FormulaOp::Sub, {substitute(extent, {{var.name, next}}), extent}}, {}});
        if (const auto* number = std::get_if<IntLiteral>(&rise.node); number != nullptr && number->value != 0)
          checked_.emplace(callee.matrices[var.matrix.index()].matrix, var.dim);
      }
    }
  }

  /// No temporary may have a negative size, unless a call of a callee stops then, too. The made transform stops as
  /// well.
  void check_sizes() {
    const RegionContext context;
    Transform outer;
    for (const Matrix& matrix : made_.matrices)
      if (matrix.role != MatrixRole::Through) outer.matrices.add(matrix);
    for (const auto& [id, d] : checked_) {
      Matrix line;
      line.extents = {made_.matrices[id].extents[static_cast<std::size_t>(d)]};
      outer.matrices.add(std::move(line));
    }
    outer.size_vars = made_.size_vars;
    const Region known = known_sizes(context, outer);
    const FormulaScope scope = formula_scope(outer, known);
    for (const MatrixId id : made_.matrices.ids()) {
      const Matrix& matrix = made_.matrices[id];
      if (matrix.role != MatrixRole::Through) continue;
      for (int d = 0; d < matrix.num_dims(); ++d) {
        if (checked_.contains({id, d})) continue;
        const auto size = to_index_expr(matrix.extents[static_cast<std::size_t>(d)], scope);
        const bool is_fine = size && known.where_nonnegative(index_sub(index_const(-1), *size)).is_empty();
        if (!is_fine)
          refuse("`" + matrix.name + "` may have a negative size, `" +
                     to_string(matrix.extents[static_cast<std::size_t>(d)]) + "`",
                 matrix.span);
      }
    }
  }

  static constexpr std::size_t kMostRules = 32;

  const Program& program_;
  const Transform& caller_;
  const Rule& rule_;
  const ReadsInitially& reads_initially_;
  SplicedTransform out_;
  Transform& made_;
  std::set<std::string> taken_;                 ///< sizes and single-number inputs of the made transform
  std::vector<TransformId> open_;               ///< the caller and the callees that are being spliced
  std::set<std::pair<MatrixId, int>> checked_;  ///< sizes that a call of a callee would check
};

}  // namespace

std::vector<RuleId> written_rules(const Transform& transform) {
  std::vector<RuleId> out;
  for (const RuleId id : transform.rules.ids())
    if (!transform.rules[id].is_spliced) out.push_back(id);
  return out;
}

SplicedTransform make_spliced(const Program& program, TransformId caller, RuleId rule,
                              const ReadsInitially& reads_initially) {
  return Splicer(program, caller, rule, reads_initially).run();
}

}  // namespace pb::splicing
