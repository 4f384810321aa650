// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/nest_group_code.h"

#include <utility>
#include <vector>

#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/loops/nest_code.h"
#include "clgen/cpp/steps/version_launch_code.h"
#include "clgen/facts/names.h"
#include "clgen/lower/analysis/nest_shape.h"

namespace pb {
namespace {

/// One nest of a transform.
class NestGroupCode {
 public:
  NestGroupCode(Writer& out, const CppContext& context, TransformId id, std::size_t number)
      : out_(out),
        context_(context),
        id_(id),
        plan_(context.plan.transforms[id.index()]),
        number_(number),
        nest_(plan_.nests[number]),
        stem_("T" + identifier_of(context.program, id) + "_n" + std::to_string(number)) {
    for (const NestMember& member : nest_.members) codes_.emplace_back(context, id, plan_.steps[member.step].rule);
    for (std::size_t m = 0; m < nest_.members.size(); ++m) {
      const NestMember& member = nest_.members[m];
      parts_.push_back({codes_[m], member, stem_ + "_s" + std::to_string(member.step.index()),
                        lowered_of(context, id).nests[number].members[m]});
    }
  }

  void emit_functions() const {
    emit_name();
    for (const NestPart& part : parts_) emit_member_loops(out_, plan_, nest_, part);
  }

  void emit_run(const StepDispatch& dispatch, const std::string& frame) {
    for (std::size_t m = 0; m < parts_.size(); ++m) {
      parts_[m].condition = emit_guard(m);
      const StepId step = parts_[m].member.step;
      parts_[m].has_launches = dispatch.conditions().has_device(step);
      emit_count(dispatch, step, frame);
    }
    emit_hosted([&](const HostParts& hosted) { emit_arrivals(out_, hosted, frame); });
    const std::string extent = is_sliced(nest_) ? "" : dispatch.tile_value(nest_);
    const auto emit_tries = [&](Writer& out, StepId step, const std::string& box) {
      dispatch.emit_slice_tries(out, step, frame, box);
    };
    const auto emit_fallen_back = [&](Writer& out, StepId step) {
      out.open(if_text(dispatch.conditions().chosen(plan_.steps[step], kDeviceVersions)));
      dispatch.emit_count(out, step, frame);
      out.close();
    };
    NestArgs args{frame,      has_split(nest_) ? dispatch.split_value() : "",
                  extent,     rule_constant(stem_),
                  emit_tries, emit_fallen_back};
    if (const VersionLaunch* launch = version_launch())
      args.emit_launches = [&, launch](Writer& out) {
        std::vector<Condition> runs;
        for (const NestPart& part : parts_) runs.push_back(part.condition);
        emit_version_launches(out, context_, id_, dispatch, *launch, runs, frame);
      };
    set_bands(args, lowered_of(context_, id_).nests[number_], parts_);
    args.on_cpu = on_cpu(dispatch);
    emit_nest(out_, plan_, nest_, parts_, args);
    emit_hosted([&](const HostParts& hosted) { emit_departures(out_, hosted, frame); });
  }

 private:
  /// Counts a run of the step on the CPU. Each slice that is tried on a device counts for itself, wherever it runs.
  void emit_count(const StepDispatch& dispatch, StepId step, const std::string& frame) const {
    if (!dispatch.conditions().has_device(step)) return dispatch.emit_count(out_, step, frame);
    const Condition on_device = dispatch.conditions().chosen(plan_.steps[step], kDeviceVersions);
    out_.open(if_text(Condition::not_(on_device)));
    dispatch.emit_count(out_, step, frame);
    out_.close();
  }

  /// When no device is to run slices of a member.
  Condition on_cpu(const StepDispatch& dispatch) const {
    std::vector<Condition> terms;
    for (const NestPart& part : parts_)
      if (part.has_launches)
        terms.push_back(Condition::not_(dispatch.conditions().chosen(plan_.steps[part.member.step], kDeviceVersions)));
    return Condition::all_of(std::move(terms));
  }

  /// Returns the launches of all members together, or null.
  const VersionLaunch* version_launch() const {
    for (const VersionLaunch& launch : lowered_of(context_, id_).versions)
      if (&plan_.nests[launch.nest] == &nest_) return &launch;
    return nullptr;
  }

  /// Prints the name by which traces call the nest's tiles: `T.A#1 + B#1`.
  void emit_name() const {
    const Transform& transform = context_.program.transforms[id_];
    std::vector<std::string> names;
    for (const RuleCode& code : codes_) names.push_back(code.rule.name);
    out_.line("[[maybe_unused]] constexpr pbrt::RuleDesc " + rule_constant(stem_) + " = {" +
              quoted(transform.name + "." + joined(names, " + ")) + ", \"cpu\"};");
  }

  /// Returns the condition under which member `m` takes part. If only the call knows it, it is declared as a bool
  /// first.
  Condition emit_guard(std::size_t m) const {
    Condition runs = all_at_least_zero(plan_.steps[parts_[m].member.step].guards);
    if (runs.is_always()) return runs;
    const std::string name = "pb_runs" + std::to_string(m);
    out_.line("const bool " + name + " = " + to_cpp(runs) + ";");
    return Condition::named(name);
  }

  /// Calls `emit` for the members that announce all of their slices or tiles at once.
  template <class Emit>
  void emit_hosted(const Emit& emit) const {
    if (!context_.lowered.has_kernels) return;
    for (std::size_t m = 0; m < parts_.size(); ++m) {
      const NestPart& part = parts_[m];
      if (part.lowered.care != HostCare::Step) continue;
      const Step& step = plan_.steps[part.member.step];
      out_.open(if_text(part.condition));
      emit_boxes(out_, lowered_of(context_, id_).steps[part.member.step].boxes);
      // Parts of matrices that no instance accesses may end before they begin.
      if (!step.loops.empty()) out_.open("if (!pb_box.is_empty())");
      emit(part.lowered.hosted);
      if (!step.loops.empty()) out_.close();
      out_.close();
    }
  }

  Writer& out_;
  const CppContext& context_;
  TransformId id_;
  const TransformPlan& plan_;
  std::size_t number_;  ///< index into TransformPlan::nests
  const Nest& nest_;
  std::string stem_;  ///< part of the names of the nest's functions
  std::vector<RuleCode> codes_;
  std::vector<NestPart> parts_;
};

}  // namespace

void emit_nest_functions(Writer& out, const CppContext& context, TransformId transform, std::size_t nest) {
  NestGroupCode(out, context, transform, nest).emit_functions();
}

void emit_nest_group(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch,
                     std::size_t nest, const std::string& frame) {
  NestGroupCode(out, context, transform, nest).emit_run(dispatch, frame);
}

}  // namespace pb
