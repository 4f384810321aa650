// SPDX-License-Identifier: MIT
#include "runtime/gpu/wrappers/limited_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/gpu/wrappers/copy_shapes.h"

namespace pbrt::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Memory of a buffer's size, of which only the parts that copies touch get pages.
std::unique_ptr<std::byte[]> staging_of(const Buffer& buffer) {
  return std::make_unique_for_overwrite<std::byte[]>(buffer.size_bytes());
}

std::string seconds_text(std::chrono::nanoseconds limit) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g s", std::chrono::duration<double>(limit).count());
  return text;
}

/// What the process has left behind. It is never destroyed, because threads of drivers may use it until the very end.
struct LeftBehind {
  std::mutex mutex;
  std::vector<std::shared_ptr<void>> things;
};
LeftBehind& left_behind() {
  static LeftBehind& all = *std::make_unique<LeftBehind>().release();
  return all;
}
void leave_behind(std::shared_ptr<void> thing) {
  const std::lock_guard lock(left_behind().mutex);
  left_behind().things.push_back(std::move(thing));
}

/// The result of a call of the driver, which the caller may have given up.
template <class T>
struct CallResult {
  T value{};
  std::exception_ptr error;
  bool is_there = false;  // under the core's mutex
};

}  // namespace

bool is_any_device_left() noexcept {
  const std::lock_guard lock(left_behind().mutex);
  return !left_behind().things.empty();
}

/// What the device's threads share. `mutex_` guards all that is not const; no completion is told while it is held.
class LimitedDevice::Core : public std::enable_shared_from_this<Core> {
 public:
  /// An operation that the driver was given. It lives until its end, or for ever if the device is left behind.
  class InFlight final : public Completion {
   public:
    InFlight(Core& core, std::string text, CopyOrder operation_order, Completion& told)
        : what(std::move(text)), order(operation_order), done_(&told), core_(core) {}
    void took(const DeviceTimes& times) noexcept override { core_.took(*this, times); }
    void done(bool ok) noexcept override { core_.ended(*this, ok); }
    [[nodiscard]] Completion& told() const { return *done_; }

    const std::string what;
    const CopyOrder order;
    Clock::time_point enqueued;
    std::unique_ptr<std::byte[]> staging;
    std::byte* host = nullptr;  ///< of a read: where the shapes go in the end
    std::vector<CopyShape> shapes;

   private:
    Completion* done_;
    Core& core_;
  };

  Core(Device& device, std::chrono::nanoseconds limit) : device_(device), limit_(limit) {}

  [[nodiscard]] Device& device() const { return device_; }

  /// Runs `function` on the calling thread of the driver and returns its result. `function` refers to nothing that may
  /// go before the driver has returned.
  ///
  /// Errors: what `function` throws; DeviceFailure if the device hangs
  template <class F>
  auto call(bool has_limit, F function) {
    using T = std::invoke_result_t<F>;
    const auto result = std::make_shared<CallResult<T>>();
    std::unique_lock lock(mutex_);
    if (!failure_.empty()) throw DeviceFailure(failure_);
    calls_.push_back({[this, result, run = std::move(function)] {
                        try {
                          result->value = run();
                        } catch (...) {
                          result->error = std::current_exception();
                        }
                        const std::lock_guard ending(mutex_);
                        result->is_there = true;
                      },
                      has_limit});
    changed_.notify_all();
    changed_.wait(lock, [&] { return result->is_there || !failure_.empty(); });
    if (!result->is_there) throw DeviceFailure(failure_);
    if (result->error) std::rethrow_exception(result->error);
    return std::move(result->value);
  }

  /// Releases something of the driver on its calling thread. Nobody waits for that.
  void release(std::shared_ptr<void> thing) noexcept {
    std::unique_lock lock(mutex_);
    if (!failure_.empty()) return lock.unlock(), leave_behind(std::move(thing));
    if (has_ended_) return;
    calls_.push_back({[owned = std::move(thing)]() mutable { owned.reset(); }, true});
    changed_.notify_all();
  }

  /// Gives the driver an operation by `enqueue(InFlight&)`.
  template <class F>
  void start(std::unique_ptr<InFlight> operation, F enqueue) {
    InFlight* const each = operation.get();
    const CopyOrder order = each->order;
    {
      const std::lock_guard lock(mutex_);
      each->enqueued = Clock::now();
      lane_of(order).operations.push_back(std::move(operation));
      ++num_pending_;
      changed_.notify_all();
    }
    try {
      static_cast<void>(call(true, [each, run = std::move(enqueue)] { return run(*each), true; }));
    } catch (...) {
      // An operation that was refused has not begun, and who is told so lets go of it. If the watchdog has given it up
      // meanwhile, it is told of its end, which a failure says.
      const std::unique_ptr<InFlight> refused = take(each, order);
      if (refused == nullptr) throw DeviceFailure(failure());
      finish_one();
      throw;
    }
  }

  void wait_for_all() noexcept {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return num_pending_ == 0; });
  }

  /// Whether the device was given up. The management thread asks often while it stays awake.
  [[nodiscard]] bool hangs() const { return hangs_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::string failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  /// Ends the threads. Returns false if the calling thread hangs.
  [[nodiscard]] bool stop() {
    std::unique_lock lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return has_ended_ || !failure_.empty(); });
    return failure_.empty();
  }

  void run_caller() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_stopping_ || !calls_.empty() || !failure_.empty(); });
      if (!failure_.empty() || calls_.empty()) break;
      Call next = std::move(calls_.front());
      calls_.pop_front();
      if (next.has_limit) call_start_ = Clock::now();
      changed_.notify_all();
      lock.unlock();
      next.run();
      next.run = nullptr;
      lock.lock();
      call_start_.reset();
      changed_.notify_all();
    }
    has_ended_ = failure_.empty();
    changed_.notify_all();
  }

  void run_watchdog() {
    std::unique_lock lock(mutex_);
    while (!has_ended_ && failure_.empty()) {
      const std::optional<Deadline> next = next_deadline();
      if (!next) {
        changed_.wait(lock);
      } else if (Clock::now() >= next->time) {
        give_up(lock, next->what + " has not ended within " + seconds_text(limit_) + " (--device-limit)");
      } else {
        changed_.wait_until(lock, next->time);
      }
    }
  }

 private:
  struct Call {
    std::function<void()> run;
    bool has_limit;
  };
  /// Operations that end one after the other.
  struct Lane {
    std::deque<std::unique_ptr<InFlight>> operations;
    Clock::time_point last_end;
  };
  struct Deadline {
    Clock::time_point time;
    std::string what;
  };

  Lane& lane_of(CopyOrder order) { return lanes_[order == CopyOrder::Beside ? 1 : 0]; }

  [[nodiscard]] std::optional<Deadline> next_deadline() const {
    std::optional<Deadline> next;
    const auto consider = [&](Clock::time_point start, const std::string& what) {
      if (!next || start + limit_ < next->time) next = {start + limit_, what};
    };
    for (const Lane& lane : lanes_)
      if (!lane.operations.empty())
        consider(std::max(lane.operations.front()->enqueued, lane.last_end), lane.operations.front()->what);
    // A driver may copy within the call, after what is under way.
    if (call_start_) consider(std::max({*call_start_, lanes_[0].last_end, lanes_[1].last_end}), "a call of the driver");
    return next;
  }

  /// Takes the operation out of its lane; null if it is not there any more, and then it may be gone.
  [[nodiscard]] std::unique_ptr<InFlight> take(const InFlight* operation, CopyOrder order) {
    const std::lock_guard lock(mutex_);
    return take_locked(operation, order);
  }
  [[nodiscard]] std::unique_ptr<InFlight> take_locked(const InFlight* operation, CopyOrder order) {
    std::deque<std::unique_ptr<InFlight>>& all = lane_of(order).operations;
    const auto place = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.get() == operation; });
    if (place == all.end()) return nullptr;
    std::unique_ptr<InFlight> taken = std::move(*place);
    all.erase(place);
    return taken;
  }

  void took(InFlight& operation, const DeviceTimes& times) noexcept {
    const std::lock_guard lock(mutex_);
    // Only the operation's own end is told without the mutex, and this comes before it.
    if (failure_.empty()) operation.told().took(times);
  }

  void ended(InFlight& operation, bool ok) noexcept {
    std::unique_ptr<InFlight> taken;
    {
      const std::lock_guard lock(mutex_);
      if (!failure_.empty()) return;
      taken = take_locked(&operation, operation.order);
      lane_of(taken->order).last_end = Clock::now();
      // Under the mutex, so that nobody takes the device for hung meanwhile, and the host's memory for unused.
      if (ok && taken->host != nullptr) copy_shapes(taken->host, taken->staging.get(), taken->shapes);
      changed_.notify_all();
    }
    taken->told().done(ok);
    finish_one();
  }

  void finish_one() noexcept {
    const std::lock_guard lock(mutex_);
    --num_pending_;
    changed_.notify_all();
  }

  /// Fails all that is under way, and leaves it behind with the device.
  void give_up(std::unique_lock<std::mutex>& lock, const std::string& why) {
    failure_ = why;
    hangs_.store(true, std::memory_order_relaxed);
    const auto hung = std::make_shared<std::vector<std::unique_ptr<InFlight>>>();
    for (Lane& lane : lanes_)
      for (auto& each : lane.operations) hung->push_back(std::move(each));
    for (Lane& lane : lanes_) lane.operations.clear();
    leave_behind(std::make_shared<std::deque<Call>>(std::exchange(calls_, {})));
    leave_behind(hung);
    leave_behind(shared_from_this());
    changed_.notify_all();
    lock.unlock();
    for (const auto& each : *hung) {
      each->told().done(false);
      finish_one();
    }
    lock.lock();
  }

  Device& device_;
  const std::chrono::nanoseconds limit_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Call> calls_;
  std::optional<Clock::time_point> call_start_;  ///< of the call under way that has a limit
  std::array<Lane, 2> lanes_;                    ///< in the queue; beside it
  std::int64_t num_pending_ = 0;                 ///< operations whose end was not told
  std::string failure_;                          ///< not empty: the device hangs
  std::atomic<bool> hangs_{false};               ///< relaxed: only spares calls
  bool is_stopping_ = false;
  bool has_ended_ = false;  ///< the calling thread takes nothing any more
};

namespace {

class LimitedBuffer final : public Buffer {
 public:
  LimitedBuffer(std::shared_ptr<LimitedDevice::Core> core, std::shared_ptr<Buffer> buffer)
      : core_(std::move(core)), buffer_(std::move(buffer)), size_bytes_(buffer_->size_bytes()) {}
  ~LimitedBuffer() override { core_->release(std::move(buffer_)); }
  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] Buffer& inner() const { return *buffer_; }

 private:
  std::shared_ptr<LimitedDevice::Core> core_;
  std::shared_ptr<Buffer> buffer_;
  std::size_t size_bytes_;
};

class LimitedKernel final : public Kernel {
 public:
  LimitedKernel(std::shared_ptr<LimitedDevice::Core> core, std::shared_ptr<Kernel> kernel, std::string kernel_name)
      : name(std::move(kernel_name)), core_(std::move(core)), kernel_(std::move(kernel)), limits_(kernel_->limits()) {}
  ~LimitedKernel() override { core_->release(std::move(kernel_)); }
  [[nodiscard]] KernelLimits limits() const override { return limits_; }
  [[nodiscard]] Kernel& inner() const { return *kernel_; }

  const std::string name;

 private:
  std::shared_ptr<LimitedDevice::Core> core_;
  std::shared_ptr<Kernel> kernel_;
  KernelLimits limits_;
};

Buffer& inner_of(const Buffer& buffer) { return static_cast<const LimitedBuffer&>(buffer).inner(); }

}  // namespace

LimitedDevice::LimitedDevice(std::unique_ptr<Device> device, std::chrono::nanoseconds limit)
    : device_(device.release()),
      info_(device_->info()),
      core_(std::make_shared<Core>(*device_, limit)),
      caller_([core = core_] { core->run_caller(); }),
      watchdog_([core = core_] { core->run_watchdog(); }) {}

LimitedDevice::~LimitedDevice() {
  LimitedDevice::finish();
  const bool has_stopped = core_->stop();
  watchdog_.join();
  if (!has_stopped) {
    caller_.detach();
    return;
  }
  caller_.join();
  const std::unique_ptr<Device> owned(device_);
}

std::unique_ptr<Buffer> LimitedDevice::allocate(std::size_t size_bytes, void*) {
  std::shared_ptr<Buffer> buffer = core_->call(true, [device = device_, size_bytes]() -> std::shared_ptr<Buffer> {
    return device->allocate(size_bytes, nullptr);
  });
  return buffer == nullptr ? nullptr : std::make_unique<LimitedBuffer>(core_, std::move(buffer));
}

std::unique_ptr<Kernel> LimitedDevice::build(const char* source, const char* name, const std::string& options) {
  std::shared_ptr<Kernel> kernel = core_->call(
      false,
      [device = device_, text = std::string(source), kernel_name = std::string(name),
       options]() -> std::shared_ptr<Kernel> { return device->build(text.c_str(), kernel_name.c_str(), options); });
  return std::make_unique<LimitedKernel>(core_, std::move(kernel), name);
}

void LimitedDevice::write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
                          Completion& done) {
  auto operation = std::make_unique<Core::InFlight>(*core_, "a copy to the device", order, done);
  operation->staging = staging_of(buffer);
  copy_shapes(operation->staging.get(), static_cast<const std::byte*>(host), shapes);
  operation->shapes.assign(shapes.begin(), shapes.end());
  core_->start(std::move(operation), [device = device_, to = &inner_of(buffer)](Core::InFlight& each) {
    device->write(*to, each.staging.get(), each.shapes, each.order, each);
  });
}

void LimitedDevice::read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
                         Completion& done) {
  auto operation = std::make_unique<Core::InFlight>(*core_, "a copy from the device", order, done);
  operation->staging = staging_of(buffer);
  operation->host = static_cast<std::byte*>(host);
  operation->shapes.assign(shapes.begin(), shapes.end());
  core_->start(std::move(operation), [device = device_, from = &inner_of(buffer)](Core::InFlight& each) {
    device->read(*from, each.staging.get(), each.shapes, each.order, each);
  });
}

void LimitedDevice::clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) {
  core_->start(std::make_unique<Core::InFlight>(*core_, "clearing memory", CopyOrder::InQueue, done),
               [device = device_, to = &inner_of(buffer), first_byte, size_bytes](Core::InFlight& each) {
                 device->clear(*to, first_byte, size_bytes, each);
               });
}

void LimitedDevice::launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range,
                           Completion& done) {
  auto& limited = static_cast<LimitedKernel&>(kernel);
  std::vector<KernelArg> all(args.begin(), args.end());
  for (KernelArg& arg : all)
    if (arg.kind == KernelArg::Kind::Buffer) arg.buffer = &inner_of(*arg.buffer);
  auto operation = std::make_unique<Core::InFlight>(*core_, "kernel `" + limited.name + "`", CopyOrder::InQueue, done);
  core_->start(std::move(operation), [device = device_, inner = &limited.inner(), range, arguments = std::move(all)](
                                         Core::InFlight& each) { device->launch(*inner, arguments, range, each); });
}

void LimitedDevice::flush() {
  static_cast<void>(core_->call(true, [device = device_] { return device->flush(), true; }));
}

void LimitedDevice::poll() {
  if (!core_->hangs()) device_->poll();
}

void LimitedDevice::watch() {
  if (!core_->hangs()) device_->watch();
}

void LimitedDevice::finish() noexcept {
  try {
    flush();
  } catch (const std::exception&) {
    // What was enqueued ends, or the watchdog gives it up.
  }
  watch();
  core_->wait_for_all();
}

std::string LimitedDevice::failure() const { return core_->failure(); }

}  // namespace pbrt::gpu

// Note [Leaving a device behind]
//
// A driver whose device hangs may return from no call any more: not from one that waits, but neither from one that
// copies pageable memory, frees a buffer or closes the queue. So all such calls are made by a thread of this device,
// and the management thread waits for the call's end or for the watchdog, whichever comes first. The watchdog's clock
// for an operation begins when it was enqueued or when the one before it ended.
//
// What the driver was given may be used at any later time. So copies go by memory of this device, kernels never see the
// host's pages, and the driver tells an InFlight of the end. When the watchdog gives up, all of that is left behind:
// the InFlights with their memory, the calls that were not made, the buffers and kernels that go later, the driver's
// device, the calling thread. An end that comes late finds `failure_` set, and touches nothing else. Reads reach the
// host's memory under the mutex under which `failure_` is set: once an operation was told to have failed, its memory is
// the host's again.
//
// Everything is left in a list that is never destroyed. If it is not empty, the process ends without destructors of
// libraries (program_main), because a driver's may wait for its threads.
