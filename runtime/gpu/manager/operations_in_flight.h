// SPDX-License-Identifier: MIT
// Copies and kernels that a device was given and whose end the management thread has not applied yet. Private to
// runtime/gpu.
//
// Guarded by no mutex: all is the manager thread's, but for what operation.h says of an operation's end.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/operation.h"
#include "runtime/gpu/manager/queue/task_queue.h"
#include "runtime/gpu/manager/trace_clock.h"

namespace pbrt::gpu {

/// Threads: manager thread only
class OperationsInFlight {
 public:
  OperationsInFlight(TaskQueue& queue, const TraceClock& clock) : queue_(queue), clock_(clock) {}

  /// Makes an operation that the caller gives to the device now.
  [[nodiscard]] std::shared_ptr<Operation> begin(const Operation::Label& label, CopyOrder order = CopyOrder::InQueue);
  /// Tells the records of the operation's parts that it has ended. A refused one ends without success.
  ///
  /// Pre: it is in flight; no mutex is held
  void end(Operation& operation, bool ok);
  /// Called after Device::finish of a device that failed: everything that was still under way has failed, whatever was
  /// reported since. An operation after the failed one in the queue may end well and yet have copied data that the
  /// failed one never wrote.
  void abandon();

  [[nodiscard]] bool is_empty() const { return operations_.empty(); }
  [[nodiscard]] std::size_t size() const { return operations_.size(); }
  [[nodiscard]] bool has_kernels() const { return num_kernels_ != 0; }
  [[nodiscard]] bool has_copies_beside() const { return num_beside_ != 0; }
  /// Sends what was begun since the last call to the device.
  ///
  /// Errors: throws what Device::flush throws
  /// Post:   false: there was nothing
  bool flush(Device& device);
  /// Whether something was begun since the last flush, and all that was sent to the queue then has ended. Else the end
  /// of that brings a turn of the management thread, which sends the rest.
  [[nodiscard]] bool is_unsent() const { return needs_flush_ && (last_sent_ == nullptr || last_sent_->is_applied); }

 private:
  TaskQueue& queue_;
  const TraceClock& clock_;
  std::deque<std::shared_ptr<Operation>> operations_;  ///< mostly end in their order
  /// Operations of a failed device, which may still report their end.
  std::vector<std::shared_ptr<Operation>> abandoned_;
  int num_kernels_ = 0;  ///< how many of `operations_` are kernels
  int num_beside_ = 0;   ///< how many of `operations_` are copies beside the queue
  bool needs_flush_ = false;
  /// The last operation in the queue that was in flight at the last flush; null: none.
  std::shared_ptr<Operation> last_sent_;
};

}  // namespace pbrt::gpu
