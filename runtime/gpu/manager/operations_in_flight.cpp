// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/operations_in_flight.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "runtime/config/runtime_check.h"

namespace pbrt::gpu {

std::shared_ptr<Operation> OperationsInFlight::begin(const Operation::Label& label, CopyOrder order) {
  operations_.push_back(std::make_shared<Operation>(queue_, clock_, label, order));
  if (label.kind == TraceKind::Kernel) ++num_kernels_;
  if (order == CopyOrder::Beside) ++num_beside_;
  needs_flush_ = true;
  return operations_.back();
}

void OperationsInFlight::end(Operation& operation, bool ok) {
  operation.is_applied = true;
  operation.is_ok = ok;
  if (operation.label.kind == TraceKind::Kernel) --num_kernels_;
  if (operation.order == CopyOrder::Beside) --num_beside_;
  const auto place = std::find_if(operations_.begin(), operations_.end(),
                                  [&](const std::shared_ptr<Operation>& each) { return each.get() == &operation; });
  PBRT_CHECK(place != operations_.end(), "an operation ends once");
  const std::shared_ptr<Operation> kept = std::move(*place);
  operations_.erase(place);
  Registries waiting;  // managers whose tasks may wait for the host's memory
  for (const auto& part : kept->parts) {
    StorageRecord& record = part->home->record();
    const std::lock_guard lock(record.mutex);
    if (!part->host_use.is_empty()) {
      const Registries others = record.others_than(*part->home);
      waiting.insert(waiting.end(), others.begin(), others.end());
    }
    record.end(*part, ok);
  }
  poke_all(waiting);
  // Release the storages here, without a lock.
  kept->parts.clear();
}

void OperationsInFlight::abandon() {
  for (const EndedOperation& each : queue_.take_ended())
    if (!each.operation->is_applied) end(*each.operation, false);
  while (!operations_.empty()) {
    abandoned_.push_back(operations_.back());
    end(*abandoned_.back(), false);
  }
}

bool OperationsInFlight::flush(Device& device) {
  if (!needs_flush_) return false;
  needs_flush_ = false;
  // A copy beside the queue may last long, and what is unsent does not wait for it.
  const auto last = std::find_if(operations_.rbegin(), operations_.rend(), [](const std::shared_ptr<Operation>& each) {
    return each->order == CopyOrder::InQueue;
  });
  last_sent_ = last == operations_.rend() ? nullptr : *last;
  device.flush();
  return true;
}

}  // namespace pbrt::gpu
