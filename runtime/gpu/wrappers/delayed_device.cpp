// SPDX-License-Identifier: MIT
#include "runtime/gpu/wrappers/delayed_device.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/gpu/wrappers/copy_shapes.h"
#include "runtime/gpu/wrappers/waited_end.h"

namespace pbrt::gpu {
std::optional<Delays> delays_of_environment() {
  const char* text = std::getenv("POLYBRICKS_DEVICE_DELAYS");
  if (text == nullptr || *text == '\0') return std::nullopt;
  Delays delays;
  const std::string_view words(text);
  const char* const end = words.data() + words.size();
  auto parsed = std::from_chars(words.data(), end, delays.seed);
  if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == ',')
    parsed = std::from_chars(parsed.ptr + 1, end, delays.max_us);
  if (parsed.ec != std::errc() || parsed.ptr != end || delays.max_us < 0)
    throw UserError("POLYBRICKS_DEVICE_DELAYS=" + std::string(words) + ": SEED or SEED,MICROSECONDS is expected");
  return delays;
}

DelayedDevice::DelayedDevice(std::unique_ptr<Device> device, const Delays& delays)
    : device_(std::move(device)), delays_(delays) {
  // The device's own thread reports ends, because nothing polls the device.
  device_->watch();
  in_order_.random.seed(delays.seed);
  beside_.random.seed(delays.seed + 1);
  for (Lane* lane : {&in_order_, &beside_}) lane->thread = std::thread([this, lane] { run(*lane); });
}

DelayedDevice::~DelayedDevice() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  in_order_.thread.join();
  beside_.thread.join();
}

std::unique_ptr<Buffer> DelayedDevice::allocate(std::size_t size_bytes, void* host) {
  const std::lock_guard lock(device_mutex_);
  return device_->allocate(size_bytes, host);
}

std::unique_ptr<Kernel> DelayedDevice::build(const char* source, const char* name, const std::string& options) {
  const std::lock_guard lock(device_mutex_);
  return device_->build(source, name, options);
}

void DelayedDevice::write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
                          Completion& done) {
  const auto work = [this, &buffer, from = static_cast<const std::byte*>(host),
                     all = std::vector<CopyShape>(shapes.begin(), shapes.end())] {
    const auto staging = std::make_unique<std::byte[]>(buffer.size_bytes());
    copy_shapes(staging.get(), from, all);
    return run_on_device([&](Completion& end) { device_->write(buffer, staging.get(), all, CopyOrder::InQueue, end); });
  };
  enqueue(order == CopyOrder::Beside ? beside_ : in_order_, {work, &done});
}

void DelayedDevice::read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
                         Completion& done) {
  const auto work = [this, &buffer, to = static_cast<std::byte*>(host),
                     all = std::vector<CopyShape>(shapes.begin(), shapes.end())] {
    const auto staging = std::make_unique<std::byte[]>(buffer.size_bytes());
    const bool is_read =
        run_on_device([&](Completion& end) { device_->read(buffer, staging.get(), all, CopyOrder::InQueue, end); });
    if (is_read) copy_shapes(to, staging.get(), all);
    return is_read;
  };
  enqueue(order == CopyOrder::Beside ? beside_ : in_order_, {work, &done});
}

void DelayedDevice::clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) {
  const auto work = [this, &buffer, first_byte, size_bytes] {
    return run_on_device([&](Completion& end) { device_->clear(buffer, first_byte, size_bytes, end); });
  };
  enqueue(in_order_, {work, &done});
}

void DelayedDevice::launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range,
                           Completion& done) {
  const auto work = [this, &kernel, range, all = std::vector<KernelArg>(args.begin(), args.end())] {
    return run_on_device([&](Completion& end) { device_->launch(kernel, all, range, end); });
  };
  enqueue(in_order_, {work, &done});
}

bool DelayedDevice::run_on_device(const std::function<void(Completion&)>& start) {
  WaitedEnd end;
  try {
    const std::lock_guard lock(device_mutex_);
    start(end);
    device_->flush();
    device_->watch();
  } catch (const DeviceError&) {
    return false;
  }
  return end.wait();
}

void DelayedDevice::enqueue(Lane& lane, Entry entry) {
  const std::lock_guard lock(mutex_);
  lane.entries.push_back(std::move(entry));
  ++num_pending_;
  changed_.notify_all();
}

void DelayedDevice::run(Lane& lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_stopping_ || !lane.entries.empty(); });
    if (lane.entries.empty()) return;
    const Entry entry = std::move(lane.entries.front());
    lane.entries.pop_front();
    // Half of the operations are late.
    const auto limit = static_cast<std::uint64_t>(delays_.max_us) + 1;
    const auto delay = std::chrono::microseconds(lane.random() % 2 == 0 ? lane.random() % limit : 0);
    lock.unlock();
    if (delay.count() != 0) std::this_thread::sleep_for(delay);
    const bool is_ok = entry.work();
    entry.done->done(is_ok);
    lock.lock();
    --num_pending_;
    changed_.notify_all();
  }
}

void DelayedDevice::finish() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return num_pending_ == 0; });
}

}  // namespace pbrt::gpu
