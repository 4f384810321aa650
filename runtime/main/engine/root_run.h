// SPDX-License-Identifier: MIT
// What timed runs of a program and calls of a library have in common: the state of a run, its random numbers, and how a
// run that is given up ends. Used by the engine and by runtime/embed.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/main/program/run_context.h"
#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/random.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/scheduler.h"

namespace pbrt {

/// Makes a stream current while it lives, also across suspensions.
class RandomScope {
 public:
  explicit RandomScope(std::uint64_t seed)
      : stream_{.key = RandomStream::mix(seed)}, previous_(set_current_random(&stream_)) {}
  ~RandomScope() { set_current_random(previous_); }
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  RandomStream stream_;
  RandomStream* previous_;
};

/// Sets the state of a run up. `may_meet_device`: data of it may be on a device.
void prepare_run(RunState& state, RunContext& context, bool uses_random, bool may_meet_device);

/// Copies outputs to the host, where a device has them, and waits until they are there.
void bring_to_host(Frame& root, std::span<const AnyMatrix> outputs);

/// Runs `root(Frame&)` on the workers.
///
/// Errors:  RunAborted with the reason if the run was given up; what a body throws
template <class F>
void run_root(Scheduler& workers, RunState& state, F&& root) {
  try {
    workers.run(state, root);
  } catch (const RunAborted&) {
    // An exception of dropped tasks does not say why the run was aborted; the reason is known below.
    if (state.abort_reason.load(std::memory_order_relaxed) == nullptr) throw;
  }
  // The run counts as aborted even if a body caught the exception, because its outputs are not complete.
  if (const char* reason = state.abort_reason.load(std::memory_order_relaxed)) throw RunAborted(reason);
}

}  // namespace pbrt
