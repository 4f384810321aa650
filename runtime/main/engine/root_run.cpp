// SPDX-License-Identifier: MIT
#include "runtime/main/engine/root_run.h"

#include "runtime/gpu/launch.h"

namespace pbrt {

namespace {

// The scheduler keeps each task's random stream in the task's own memory.
static_assert(sizeof(TaskLocal) == sizeof(RandomStream));
static_assert(alignof(TaskLocal) == alignof(RandomStream));
const TaskLocalHooks kRandomHooks{
    [] { return current_random().child_key(); },
    [](TaskLocal* local) {
      return reinterpret_cast<TaskLocal*>(set_current_random(reinterpret_cast<RandomStream*>(local)));
    }};

}  // namespace

void prepare_run(RunState& state, RunContext& context, bool uses_random, bool may_meet_device) {
  state.context = &context;
  state.sequential_cutoff = context.sequential_cutoff();
  state.has_device = may_meet_device;
  if (uses_random) state.hooks = &kRandomHooks;
}

void bring_to_host(Frame& root, std::span<const AnyMatrix> outputs) {
  for (const AnyMatrix& output : outputs) gpu::fetch(root, output);
  for (const AnyMatrix& output : outputs) need_on_host(root, output);
}

}  // namespace pbrt
