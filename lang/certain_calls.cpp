// SPDX-License-Identifier: MIT
#include "lang/certain_calls.h"

#include <algorithm>
#include <cstdint>

#include "lang/overloaded.h"

namespace pb {
namespace {

/// What is certain about a statement: the calls that every run of it makes. `may_leave`: the statement may end the body
/// or a loop before its last statement. Then nothing is certain about the statements after it.
struct Certain {
  std::vector<TransformId> calls;
  bool may_leave = false;
};

class BodyReader {
 public:
  BodyReader(const Rule& rule, const std::function<bool(const TransformCall&)>& counts)
      : rule_(rule), counts_(counts) {}

  Certain read(StmtId id) const {
    if (id.is_none()) return {};
    const auto nothing = [](const auto&) { return Certain{}; };
    const auto leaves = [](const auto&) { return Certain{{}, true}; };
    const auto maybe = [&](StmtId inner) { return Certain{{}, read(inner).may_leave}; };
    return std::visit(
        Overloaded{
            [&](const BlockStmt& block) { return read_all(block); },
            [&](const IfStmt& branch) { return read_both(branch); },
            [&](const TransformCallStmt&) { return called(id); }, [&](const DoStmt& loop) { return read(loop.body); },
            [&](const ForStmt& loop) { return maybe(loop.body); },
            [&](const WhileStmt& loop) { return maybe(loop.body); },
            [&](const ForEnoughStmt& loop) { return maybe(loop.body); },
            [&](const SwitchStmt& choice) { return maybe(choice.body); }, [&](const OpaqueStmt&) { return opaque(id); },
            [&](const ReturnStmt& s) { return leaves(s); }, [&](const BreakStmt& s) { return leaves(s); },
            [&](const ContinueStmt& s) { return leaves(s); }, [&](const EmptyStmt& s) { return nothing(s); },
            [&](const CaseStmt& s) { return nothing(s); }, [&](const SyncStmt& s) { return nothing(s); },
            [&](const DeclStmt& s) { return nothing(s); }, [&](const ExprStmt& s) { return nothing(s); }},
        rule_.body.stmts[id].node);
  }

 private:
  Certain read_all(const BlockStmt& block) const {
    Certain out;
    for (const StmtId id : block.stmts) {
      const Certain found = read(id);
      out.calls.insert(out.calls.end(), found.calls.begin(), found.calls.end());
      out.may_leave = found.may_leave;
      if (out.may_leave) break;
    }
    return out;
  }

  Certain read_both(const IfStmt& branch) const {
    const Certain a = read(branch.then_stmt);
    const Certain b = read(branch.else_stmt);
    Certain out{{}, a.may_leave || b.may_leave};
    for (const TransformId id : a.calls)
      if (std::find(b.calls.begin(), b.calls.end(), id) != b.calls.end()) out.calls.push_back(id);
    return out;
  }

  Certain called(StmtId id) const {
    for (const TransformCall& call : rule_.calls)
      if (call.stmt == id && call.choice.empty() && call.targets.size() == 1 && (!counts_ || counts_(call)))
        return {call.targets, false};
    return {};
  }

  Certain opaque(StmtId id) const {
    const TokenRange tokens = rule_.body.stmts[id].tokens;
    for (std::uint32_t i = tokens.begin; i < tokens.end; ++i) {
      const std::string& text = rule_.body.tokens[i].text;
      for (const char* word : {"return", "goto", "throw", "break", "continue"})
        if (text == word) return {{}, true};
    }
    return {};
  }

  const Rule& rule_;
  const std::function<bool(const TransformCall&)>& counts_;
};

}  // namespace

std::vector<TransformId> certain_calls(const Rule& rule, const std::function<bool(const TransformCall&)>& counts) {
  std::vector<TransformId> out = BodyReader(rule, counts).read(rule.body.root).calls;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace pb
