// SPDX-License-Identifier: MIT
// What generated code says of itself for --trace and --stats: which rule runs, on how many cells. Not
// the recording itself, which is trace.h. Light: every program includes it.
#pragma once

#include <cstdint>

#include "runtime/sched/frame.h"

namespace pbrt {

class TraceLane;

/// A rule in one of its versions; constant data with static life, told apart by its address.
struct RuleDesc {
  const char* name = nullptr;     ///< `Convolve2D.Out#1`
  const char* version = nullptr;  ///< `cpu`, `opencl`, `opencl_local`
};

/// Stands for one execution of a rule, or of a piece of its box, while it lives: on the stack of the fiber that runs it.
/// When the fiber is suspended the execution is in two parts, which may be on two workers.
///
/// Cost: two branches unless the run is traced
class RuleScope {
 public:
  /// A null rule is not recorded.
  RuleScope(Frame& frame, const RuleDesc* rule, std::int64_t cells) {
    if (frame.run_state().is_traced && rule != nullptr) [[unlikely]]
      begin(frame, *rule, cells);
  }
  RuleScope(Frame& frame, const RuleDesc& rule, std::int64_t cells) : RuleScope(frame, &rule, cells) {}
  ~RuleScope() {
    if (fiber_ != nullptr) [[unlikely]]
      end();
  }
  RuleScope(const RuleScope&) = delete;
  RuleScope& operator=(const RuleScope&) = delete;

 private:
  friend class TraceLane;

  void begin(Frame& frame, const RuleDesc& rule, std::int64_t cells);
  void end();

  /// Null: not timed. Then the rest has no values: setting them would cost more than the branches.
  detail::FiberHead* fiber_ = nullptr;
  RuleScope* outer_;
  const RuleDesc* rule_;
  std::int64_t cells_;
  std::int64_t start_ns_;   // of the part that runs now
  std::int64_t before_ns_;  // time of the parts that have ended
  std::int64_t inner_ns_;   // time of the scopes inside
  int depth_;
  bool is_resumed_;
};

}  // namespace pbrt
