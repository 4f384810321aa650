// SPDX-License-Identifier: MIT
#include "runtime/gpu/testing/fake_device.h"

#include <chrono>
#include <cstring>
#include <utility>

namespace pbrt::gpu {
namespace {

class FakeBuffer final : public Buffer {
 public:
  FakeBuffer(std::size_t size_bytes, std::byte* host) : size_bytes_(size_bytes), host_(host) {
    if (host_ == nullptr) own_ = std::make_unique<std::byte[]>(size_bytes);
  }
  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] std::byte* data() const { return host_ != nullptr ? host_ : own_.get(); }

 private:
  std::size_t size_bytes_;
  std::byte* host_;
  std::unique_ptr<std::byte[]> own_;
};

class FakeKernel final : public Kernel {
 public:
  FakeKernel(std::string kernel_name, FakeKernelBody kernel_body, std::size_t max_group_size)
      : name(std::move(kernel_name)), body(std::move(kernel_body)), max_group_size_(max_group_size) {}
  [[nodiscard]] KernelLimits limits() const override { return {max_group_size_, 0}; }
  const std::string name;
  const FakeKernelBody body;

 private:
  std::size_t max_group_size_;
};

void copy_shape(std::byte* dst, const std::byte* src, const CopyShape& shape) {
  for (std::size_t slice = 0; slice < shape.slices; ++slice)
    for (std::size_t row = 0; row < shape.rows; ++row) {
      const std::size_t at = shape.offset + slice * shape.slice_pitch + row * shape.row_pitch;
      std::memcpy(dst + at, src + at, shape.row_bytes);
    }
}

}  // namespace

void FakeControl::add_kernel(const std::string& name, FakeKernelBody body) {
  const std::lock_guard lock(mutex_);
  kernels_[name] = std::move(body);
}

void FakeControl::inject(FakeOperation operation, std::int64_t index, FakeFault fault) {
  const std::lock_guard lock(mutex_);
  faults_[{operation, index}] = fault;
}

void FakeControl::when_called(FakeOperation operation, std::int64_t index, std::function<void()> body) {
  const std::lock_guard lock(mutex_);
  bodies_[{operation, index}] = std::move(body);
}

void FakeControl::set_max_delay_us(int max_delay_us) {
  const std::lock_guard lock(mutex_);
  max_delay_us_ = max_delay_us;
}

void FakeControl::hold() {
  const std::lock_guard lock(mutex_);
  is_held_ = true;
}

void FakeControl::hold_beside() {
  const std::lock_guard lock(mutex_);
  is_beside_held_ = true;
}

void FakeControl::set_min_bytes_beside(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  min_bytes_beside_ = bytes;
}

void FakeControl::release() {
  const std::lock_guard lock(mutex_);
  is_held_ = is_beside_held_ = false;
  changed_.notify_all();
}

void FakeControl::end_hangs() {
  const std::lock_guard lock(mutex_);
  are_hangs_over_ = true;
  changed_.notify_all();
}

std::vector<std::string> FakeControl::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

std::int64_t FakeControl::num_pending() const {
  const std::lock_guard lock(mutex_);
  return num_pending_;
}

void FakeControl::limit_build(const std::string& option, std::size_t max_group_size) {
  const std::lock_guard lock(mutex_);
  limited_build_ = {option, max_group_size};
}

std::vector<std::string> FakeControl::build_options() const {
  const std::lock_guard lock(mutex_);
  return build_options_;
}

void FakeControl::await_enqueued(std::int64_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return num_enqueued_ >= count; });
}

int FakeControl::next_fault(FakeOperation operation) {
  std::unique_lock lock(mutex_);
  const std::pair call(operation, counts_[operation]++);
  const auto found = faults_.find(call);
  const int fault = found == faults_.end() ? 0 : 1 + static_cast<int>(found->second);
  if (const auto body = bodies_.find(call); body != bodies_.end()) {
    lock.unlock();
    body->second();
  }
  return fault;
}

DeviceInfo fake_device_info() {
  DeviceInfo info;
  info.name = "fake";
  info.driver = "1";
  info.platform = "tests";
  info.type = DeviceType::Gpu;
  info.memory_bytes = info.max_alloc_bytes = std::uint64_t{1} << 30;
  info.local_bytes = 32768;
  info.compute_units = 1;
  info.max_group_size = 256;
  info.max_group_shape = {256, 256, 64};
  info.has_fp64 = true;
  return info;
}

FakeDevice::FakeDevice(std::shared_ptr<FakeControl> control, DeviceInfo info)
    : control_(std::move(control)),
      info_(std::move(info)),
      thread_([this] { run_thread(queue_, control_->is_held_); }),
      beside_thread_([this] { run_thread(beside_, control_->is_beside_held_); }) {}

FakeDevice::~FakeDevice() {
  {
    const std::lock_guard lock(control_->mutex_);
    is_stopping_ = true;
    control_->changed_.notify_all();
  }
  thread_.join();
  beside_thread_.join();
}

void FakeDevice::check_fault(FakeOperation operation, Entry& entry) {
  const int fault = control_->next_fault(operation);
  if (fault == 0) return;
  switch (static_cast<FakeFault>(fault - 1)) {
    case FakeFault::Refuse:
      throw DeviceRefusal("injected refusal");
    case FakeFault::Fail:
      throw DeviceFailure("injected failure");
    case FakeFault::FailLater:
      entry.fails = true;
      return;
    case FakeFault::Hang:
      entry.hangs = true;
      return;
    case FakeFault::HangInCall: {
      std::unique_lock lock(control_->mutex_);
      control_->changed_.wait(lock, [&] { return control_->are_hangs_over_; });
      return;
    }
  }
}

std::unique_ptr<Buffer> FakeDevice::allocate(std::size_t size_bytes, void* host) {
  Entry entry;
  try {
    check_fault(FakeOperation::Allocate, entry);
    if (entry.fails) return nullptr;
  } catch (const DeviceRefusal&) {
    return nullptr;
  }
  return std::make_unique<FakeBuffer>(size_bytes, info_.shares_host_memory ? static_cast<std::byte*>(host) : nullptr);
}

std::unique_ptr<Kernel> FakeDevice::build(const char*, const char* name, const std::string& options) {
  Entry entry;
  try {
    check_fault(FakeOperation::Build, entry);
    if (entry.fails) throw BuildFailure("injected", "injected build failure");
  } catch (const DeviceRefusal&) {
    throw BuildFailure("injected", "injected build failure");
  }
  const std::lock_guard lock(control_->mutex_);
  control_->build_options_.push_back(options);
  ++num_built_;
  const auto found = control_->kernels_.find(name);
  if (found == control_->kernels_.end()) throw BuildFailure("no such kernel", std::string("no kernel ") + name);
  const auto& [build, most] = control_->limited_build_;
  const bool is_limited = !build.empty() && options.find(build) != std::string::npos;
  return std::make_unique<FakeKernel>(name, found->second, is_limited ? most : info_.max_group_size);
}

std::uint64_t FakeDevice::min_bytes_beside() const {
  const std::lock_guard lock(control_->mutex_);
  return control_->min_bytes_beside_;
}

void FakeDevice::write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
                       Completion& done) {
  Entry entry;
  check_fault(FakeOperation::Write, entry);
  entry.name = order == CopyOrder::Beside ? "write beside" : "write";
  entry.done = &done;
  entry.work = [data = static_cast<FakeBuffer&>(buffer).data(), host = static_cast<const std::byte*>(host),
                all = std::vector<CopyShape>(shapes.begin(), shapes.end())] {
    for (const CopyShape& shape : all) copy_shape(data, host, shape);
  };
  enqueue(std::move(entry), order);
}

void FakeDevice::read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
                      Completion& done) {
  Entry entry;
  check_fault(FakeOperation::Read, entry);
  entry.name = order == CopyOrder::Beside ? "read beside" : "read";
  entry.done = &done;
  entry.work = [data = static_cast<const FakeBuffer&>(buffer).data(), host = static_cast<std::byte*>(host),
                all = std::vector<CopyShape>(shapes.begin(), shapes.end())] {
    for (const CopyShape& shape : all) copy_shape(host, data, shape);
  };
  enqueue(std::move(entry), order);
}

void FakeDevice::clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) {
  Entry entry;
  check_fault(FakeOperation::Clear, entry);
  entry.name = "clear";
  entry.done = &done;
  entry.work = [first = static_cast<FakeBuffer&>(buffer).data() + first_byte, size_bytes] {
    std::memset(first, 0, size_bytes);
  };
  enqueue(std::move(entry));
}

void FakeDevice::launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range, Completion& done) {
  const auto& fake = static_cast<FakeKernel&>(kernel);
  Entry entry;
  check_fault(FakeOperation::Launch, entry);
  entry.name = "launch " + fake.name;
  entry.done = &done;
  std::vector<std::byte*> buffers;
  for (const KernelArg& arg : args)
    buffers.push_back(arg.kind == KernelArg::Kind::Buffer ? static_cast<FakeBuffer*>(arg.buffer)->data() : nullptr);
  entry.work = [body = fake.body, call = FakeCall({args.begin(), args.end()}, std::move(buffers), range)] {
    FakeCall mine = call;
    body(mine);
  };
  enqueue(std::move(entry));
}

void FakeDevice::enqueue(Entry entry, CopyOrder order) {
  const std::lock_guard lock(control_->mutex_);
  (order == CopyOrder::Beside ? beside_ : queue_).push_back(std::move(entry));
  ++control_->num_enqueued_;
  ++control_->num_pending_;
  control_->changed_.notify_all();
}

void FakeDevice::run_thread(std::deque<Entry>& queue, const bool& is_held) {
  std::unique_lock lock(control_->mutex_);
  for (;;) {
    control_->changed_.wait(lock, [&] { return (is_stopping_ && queue.empty()) || (!queue.empty() && !is_held); });
    if (queue.empty()) return;
    Entry entry = std::move(queue.front());
    queue.pop_front();
    if (entry.hangs) control_->changed_.wait(lock, [&] { return control_->are_hangs_over_; });
    const int delay_us = control_->max_delay_us_ == 0
                             ? 0
                             : static_cast<int>(control_->rng_() % static_cast<std::uint64_t>(control_->max_delay_us_));
    lock.unlock();
    if (delay_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
    if (!entry.fails) entry.work();
    lock.lock();
    control_->log_.push_back(entry.name);
    lock.unlock();
    entry.done->done(!entry.fails);
    lock.lock();
    --control_->num_pending_;
    control_->changed_.notify_all();
  }
}

void FakeDevice::finish() noexcept {
  std::unique_lock lock(control_->mutex_);
  control_->is_held_ = control_->is_beside_held_ = false;
  control_->changed_.notify_all();
  control_->changed_.wait(lock, [&] { return control_->num_pending_ == 0; });
}

Device::Counters FakeDevice::counters() const {
  const std::lock_guard lock(control_->mutex_);
  Counters result;
  result.kernels_built = num_built_;
  return result;
}

}  // namespace pbrt::gpu
