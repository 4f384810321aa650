// SPDX-License-Identifier: MIT
// C++ of one step in the schedule of its transform: when it runs, in which version, and what follows it. The order of
// the steps is decided in schedule_code.h.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/schedule/step_conditions.h"

namespace pb {

/// Names of step functions; steps may share one.
using StepFunctionNames = std::map<std::pair<StepId, Version>, std::string>;

/// What decides how a step is dispatched, apart from its boxes.
struct DispatchForm {
  RuleId rule;
  SiteId site;
  std::map<Version, std::string> functions;
  std::map<Version, std::vector<int>> choices;  ///< the site's choices that run the step in each version
  std::vector<BoxCut> cuts;                     ///< without the bounds of the boxes
  std::vector<MatrixPart> fetches;              ///< what the CPU's part reads
  CopyOutChoice copy_out, copy_out_of_whole, copy_out_of_part;

  bool operator==(const DispatchForm&) const = default;
};

/// Returns what several devices run in blocks (BlockExtent in runtime/gpu/share.h): all `indices` of a box, with how
/// far instances of the step read, if they read neighbours.
[[nodiscard]] std::string block_extent(const Step& step, const std::string& indices, const std::string& box);

/// Prints the dispatch of steps.
///
/// Pre: `functions` outlives the object, and has the steps that are asked for
class StepDispatch {
 public:
  StepDispatch(const CppContext& context, TransformId id, const StepFunctionNames& functions)
      : context_(context),
        id_(id),
        transform_(context.program.transforms[id]),
        plan_(context.plan.transforms[id.index()]),
        functions_(functions),
        conditions_(transform_, plan_, lowered_of(context, id).rules) {}

  [[nodiscard]] const StepConditions& conditions() const { return conditions_; }

  [[nodiscard]] DispatchForm form_of(StepId step) const;
  /// Prints statements that run the step in the chosen version. Its boxes are in scope if `are_boxes_declared`.
  void emit_dispatch(Writer& out, StepId step, const std::string& frame, bool are_boxes_declared) const;

  /// Returns the name of the step's CPU function.
  [[nodiscard]] const std::string& cpu_function(StepId step) const { return functions_.at({step, Version::Cpu}); }
  /// Returns a call of the step's CPU function for a box `pb_box` that is not cut.
  [[nodiscard]] std::string piece_call(StepId step, const std::string& frame) const;
  /// Prints a statement that counts a run of the step in a version, if its site is a decision.
  void emit_count(Writer& out, StepId step, const std::string& frame, Version version = Version::Cpu) const;
  /// Prints the declaration of `pb_has_run`, which says whether a device runs a slice of the step, whose box is named
  /// `box`.
  ///
  /// Pre: a device may run the step, in a launch per slice
  void emit_slice_tries(Writer& out, StepId step, const std::string& frame, const std::string& box) const;
  /// Prints a statement that returns whether a device has run the step's instances in the box that `box` names.
  ///
  /// Pre: a device and the CPU may share the step; it has one box; `pb_check` and `pb_piece` are in scope
  void emit_device_piece(Writer& out, StepId step, const std::string& frame, const std::string& box,
                         const std::string& copy_out) const;
  /// Whether a device and the CPU may share the step. Its boxes are then variables, which the dispatch changes.
  [[nodiscard]] bool is_shared(StepId step) const;
  /// Returns the number of the choice under which the step runs in `version`, if it is known, else the variable that
  /// holds the choice.
  [[nodiscard]] std::string choice_value(const Step& step, Version version) const;
  [[nodiscard]] std::string split_value() const;
  /// Returns the device's share of steps that run there, in eighths; none if the device always gets all of them.
  [[nodiscard]] std::optional<std::string> share_value() const;
  /// Returns the elements of the tunable that says a shape of the step's launches; a null pointer if there is none.
  [[nodiscard]] std::string shape_value(const Step& step, Version version, TunableRole role) const;
  [[nodiscard]] std::string tile_value(const Nest& nest) const;

 private:
  [[nodiscard]] const LoweredStep& lowered(StepId step) const { return lowered_of(context_, id_).steps[step]; }
  std::string pieces_arg(StepId step) const;
  /// `pieces` is the last argument, with the comma before it.
  std::string cpu_call(StepId step, const RuleCode& code, const std::string& frame,
                       const std::vector<std::string>& boxes, const std::string& pieces) const;
  /// Returns the names of the step's boxes, each with `end` after it.
  std::vector<std::string> boxes_ending(StepId step, const std::string& end) const;
  /// The condition `(it is chosen && it has run)` of one device version of the step, in two lines.
  struct Try {
    std::string head;
    std::string arguments;
  };
  /// `boxes` are the step's boxes.
  std::vector<Try> device_tries(StepId step, const RuleCode& code, const std::string& frame,
                                const std::vector<std::string>& boxes, const std::string& copy_out) const;
  void emit_on_cpu(Writer& out, StepId step, const RuleCode& code, const std::string& frame,
                   const std::vector<std::string>& boxes) const;
  static void emit_any_of(Writer& out, const std::vector<Try>& tries, const std::string& begin, const std::string& end);
  /// Prints the declaration of `pb_has_run`: whether one of the tries has run.
  void emit_tries(Writer& out, const std::vector<Try>& tries) const;
  void emit_shared_tries(Writer& out, StepId step, const RuleCode& code, const std::string& frame) const;
  using TunableTest = std::function<bool(const PlanTunable&)>;
  using TunableReader = std::string (*)(const CppContext&, TransformId, std::size_t, const std::string&,
                                        const std::string&);
  std::optional<std::string> find_tunable(const TunableTest& matches, TunableReader read) const;

  const CppContext& context_;
  TransformId id_;
  const Transform& transform_;
  const TransformPlan& plan_;
  const StepFunctionNames& functions_;
  StepConditions conditions_;
};

}  // namespace pb
