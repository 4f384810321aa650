// SPDX-License-Identifier: MIT
// Closures that run one step each, for the nodes of a schedule's graph. Steps that differ only in their boxes share the
// statements in a closure.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/writer/writer.h"

namespace pb {

class StepClosures {
 public:
  /// Pre: all arguments outlive the object; `nodes` has the steps that may be nodes of their own
  StepClosures(const CppContext& context, TransformId transform, const StepDispatch& dispatch, std::set<StepId> nodes);

  /// Prints the closures that several of the steps' closures call. They stand before all others.
  void emit_shared(Writer& out);
  void emit(Writer& out, StepId step) const;
  [[nodiscard]] static std::string name_of(StepId step) { return "pb_step_" + std::to_string(step.index()); }

 private:
  /// A closure for steps of that form.
  struct SharedClosure {
    DispatchForm form;
    std::string name;
  };
  [[nodiscard]] const SharedClosure* find(const DispatchForm& form) const;
  [[nodiscard]] bool may_share(StepId step) const;
  void emit_shared_closure(Writer& out, StepId step, const std::string& name) const;

  const CppContext& context_;
  TransformId id_;
  const TransformPlan& plan_;
  const StepDispatch& dispatch_;
  std::set<StepId> nodes_;
  std::vector<SharedClosure> shared_;
};

}  // namespace pb
