// SPDX-License-Identifier: MIT
#include "runtime/gpu/share.h"

#include "runtime/sched/frame.h"

namespace pbrt::gpu::detail {

bool run_shared(Frame& frame, bool (*on_device)(const void*), const void* device_closure,
                void (*on_cpu)(const void*, Frame&), const void* cpu_closure) {
  CallFrame both(frame);
  // The task is spawned first: the fiber is suspended while the device is made ready, and its worker takes up the task.
  both.spawn([=](Frame& task) { on_cpu(cpu_closure, task); });
  const bool has_run = on_device(device_closure);
  both.sync();
  return has_run;
}

}  // namespace pbrt::gpu::detail
