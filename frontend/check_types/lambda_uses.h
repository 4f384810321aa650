// SPDX-License-Identifier: MIT
// Finds calls of transforms and waits with `sync`, which only the fiber of a body may do, and the lambdas that contain
// them. Such lambdas must not get away from the body. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontend/check_types/body_context.h"

namespace pb::checking {

class LambdaUses {
 public:
  /// Keeps a reference.
  explicit LambdaUses(BodyContext& context) : context_(context) {}

  /// Notes a call of a transform or a `sync`; `what` says so in words.
  void note_runtime_call(std::string what, Span span) { runtime_calls_.push_back({std::move(what), span}); }
  /// Notes that a name of the body is called as a function.
  void note_called(const NameBinding& callee, Span span);
  /// How many runtime calls were noted, including those through names of lambdas.
  [[nodiscard]] std::size_t num_runtime_calls() const { return runtime_calls_.size(); }

  /// Notes a lambda that was checked. `num_before` is num_runtime_calls() where it began.
  void note_lambda(ExprId id, std::size_t num_before);
  /// If a declared local is another name of a lambda, notes that. `local` is its number.
  ///
  /// Pre: the initial value was checked
  void note_local(const DeclStmt& decl, const Declarator& declarator, std::uint32_t local);

  /// Reports lambdas with runtime calls that may run elsewhere than within the body.
  ///
  /// Pre: the whole body was checked
  void report_escaping();

 private:
  struct RuntimeCall {
    std::string what;
    Span span;
  };
  [[nodiscard]] bool is_name_of_local(ExprId id) const;

  BodyContext& context_;
  std::vector<RuntimeCall> runtime_calls_;                   // in the order of the text
  std::map<std::uint32_t, RuntimeCall> lambdas_with_calls_;  // by ExprId
  std::map<std::uint32_t, RuntimeCall> locals_with_calls_;   // names of such lambdas, by the number of their declarator
};

}  // namespace pb::checking
