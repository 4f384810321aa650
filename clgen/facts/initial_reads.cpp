// SPDX-License-Identifier: MIT
#include "clgen/facts/initial_reads.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "clgen/facts/rule_facts.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

class InitialReads {
 public:
  InitialReads(const Program& program, bool counts_unwritten)
      : program_(program), counts_unwritten_(counts_unwritten) {}

  bool find(TransformId transform_id, MatrixId matrix) {
    // A call that leads back to the same matrix adds nothing new.
    if (!visited_.insert({transform_id, matrix}).second) return false;
    const Transform& transform = program_.transforms[transform_id];
    for (const Rule& rule : transform.rules)
      if (reads(rule, matrix)) return true;
    return false;
  }

 private:
  bool reads(const Rule& rule, MatrixId matrix) {
    const RuleFacts facts = find_rule_facts(rule);
    bool writes_it = false;
    for (std::size_t i = 0; i < rule.outputs.size(); ++i) {
      if (rule.outputs[i].matrix != matrix) continue;
      writes_it = true;
      const bool is_new = is_element(rule.outputs[i]) && facts.outputs[i].is_overwritten;
      if (is_new) continue;
      if (shows(rule.outputs[i], facts.outputs[i]) || callees_read(rule, rule.outputs[i].binding)) return true;
    }
    for (const RegionAccess& input : rule.inputs)
      if (writes_it && input.matrix == matrix) return true;
    return false;
  }

  /// Whether somebody may see what the output held before: the rule's own text or, if `counts_unwritten_`, whoever gets
  /// the result.
  [[nodiscard]] bool shows(const RegionAccess& output, const RegionUse& use) const {
    return counts_unwritten_ ? is_element(output) || use.is_touched || use.is_copied : use.is_read;
  }

  bool callees_read(const Rule& rule, const std::string& binding) {
    return std::any_of(rule.calls.begin(), rule.calls.end(),
                       [&](const TransformCall& call) { return callee_reads(rule.body, call, binding); });
  }

  bool callee_reads(const Body& body, const TransformCall& call, const std::string& binding) {
    for (const TransformId id : call.targets) {
      const std::vector<MatrixId> outputs = program_.transforms[id].matrices_of(MatrixRole::To);
      for (std::size_t i = 0; i < call.args.size(); ++i) {
        if (!names(body, call.args[i], binding)) continue;
        if (i >= outputs.size() || find(id, outputs[i])) return true;
      }
    }
    return false;
  }

  static bool names(const Body& body, ExprId expr, const std::string& binding) {
    bool found = false;
    walk_expr(body, expr, [&](ExprId id) {
      const auto* name = std::get_if<NameExpr>(&body.exprs[id].node);
      found = found || (name != nullptr && name->text == binding);
    });
    return found;
  }

  const Program& program_;
  bool counts_unwritten_;
  std::set<std::pair<TransformId, MatrixId>> visited_;
};

}  // namespace

bool is_read_initially(const Program& program, TransformId transform, MatrixId matrix) {
  return InitialReads(program, true).find(transform, matrix);
}

bool is_read_by_bodies(const Program& program, TransformId transform, MatrixId matrix) {
  return InitialReads(program, false).find(transform, matrix);
}

}  // namespace pb
