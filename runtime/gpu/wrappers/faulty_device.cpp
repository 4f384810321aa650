// SPDX-License-Identifier: MIT
#include "runtime/gpu/wrappers/faulty_device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/gpu/wrappers/waited_end.h"

namespace pbrt::gpu {
namespace {

/// Ends a launch without success, when it has ended.
class FailedEnd final : public Completion {
 public:
  explicit FailedEnd(Completion& done) : done_(done) {}
  void done(bool) noexcept override {
    const std::unique_ptr<FailedEnd> last_use(this);
    done_.done(false);
  }

 private:
  Completion& done_;
};

}  // namespace

std::optional<DeviceFaults> faults_of_environment() {
  const char* text = std::getenv("POLYBRICKS_DEVICE_FAULTS");
  const std::string_view words = text == nullptr ? "" : text;
  if (words.empty()) return std::nullopt;
  if (words == "no-doubles") return DeviceFaults{DeviceFault::NoDoubles, 0};
  const std::size_t colon = std::min(words.find(':'), words.size());
  const std::string_view kind = words.substr(0, colon);
  const std::string_view number = words.substr(std::min(colon + 1, words.size()));
  DeviceFaults faults;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), faults.launch);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == number.data() + number.size() && faults.launch >= 0;
  constexpr std::array<std::pair<std::string_view, DeviceFault>, 4> kKinds = {{{"hang", DeviceFault::Hang},
                                                                               {"spoil", DeviceFault::Spoil},
                                                                               {"fail", DeviceFault::Fail},
                                                                               {"refuse", DeviceFault::Refuse}}};
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& known) { return known.first == kind; });
  if (found == kKinds.end() || !is_number)
    throw UserError(
        "POLYBRICKS_DEVICE_FAULTS=" + std::string(words) +
        ": hang:N, spoil:N, fail:N, refuse:N or no-doubles is expected, with the number N of a launch from 0 on");
  faults.fault = found->second;
  return faults;
}

FaultyDevice::FaultyDevice(std::unique_ptr<Device> device, const DeviceFaults& faults)
    : device_(std::move(device)), info_(device_->info()), faults_(faults) {
  if (faults.fault == DeviceFault::NoDoubles) info_.has_fp64 = false;
}

FaultyDevice::~FaultyDevice() { FaultyDevice::finish(); }

std::unique_ptr<Buffer> FaultyDevice::allocate(std::size_t size_bytes, void* host) {
  return device_->allocate(size_bytes, host);
}

std::unique_ptr<Kernel> FaultyDevice::build(const char* source, const char* name, const std::string& options) {
  return device_->build(source, name, options);
}

void FaultyDevice::write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
                         Completion& done) {
  if (!is_hung_ || order == CopyOrder::Beside) device_->write(buffer, host, shapes, order, done);
}

void FaultyDevice::read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
                        Completion& done) {
  if (!is_hung_ || order == CopyOrder::Beside) device_->read(buffer, host, shapes, order, done);
}

void FaultyDevice::launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range, Completion& done) {
  if (is_hung_) return;
  if (num_launches_++ != faults_.launch) return device_->launch(kernel, args, range, done);
  switch (faults_.fault) {
    case DeviceFault::Hang: {
      const std::lock_guard lock(mutex_);
      is_hung_ = true;
      return;
    }
    case DeviceFault::Spoil: {
      WaitedEnd end;
      device_->launch(kernel, args, range, end);
      const bool ok = end.wait(*device_);
      if (ok) spoil(args);
      return done.done(ok);
    }
    case DeviceFault::Fail:
      return device_->launch(kernel, args, range, *std::make_unique<FailedEnd>(done).release());
    case DeviceFault::Refuse:
      throw DeviceRefusal("the launch is refused");
    case DeviceFault::NoDoubles:
      return device_->launch(kernel, args, range, done);
  }
}

/// Changes bits of the first element, whose offset in elements stands behind the buffer. Of elements of 4 bytes that is
/// one of two that change.
void FaultyDevice::spoil(std::span<const KernelArg> args) {
  if (args.size() < 2 || args[0].kind != KernelArg::Kind::Buffer) return;
  constexpr std::size_t kBytes = 8;
  std::int64_t offset = 0;
  std::memcpy(&offset, args[1].value.data(), sizeof offset);
  Buffer& buffer = *args[0].buffer;
  const std::size_t first = static_cast<std::size_t>(std::max<std::int64_t>(0, offset)) * kBytes;
  if (first + kBytes > buffer.size_bytes()) return;
  std::vector<std::byte> bytes(first + kBytes);
  const std::array<CopyShape, 1> shapes = {CopyShape{.offset = first, .row_bytes = kBytes}};
  WaitedEnd read_end;
  device_->read(buffer, bytes.data(), shapes, CopyOrder::InQueue, read_end);
  if (!read_end.wait(*device_)) return;
  for (const std::size_t i : {std::size_t{3}, std::size_t{7}}) bytes[first + i] ^= std::byte{0x20};
  WaitedEnd write_end;
  device_->write(buffer, bytes.data(), shapes, CopyOrder::InQueue, write_end);
  static_cast<void>(write_end.wait(*device_));  // a failure shows at the next operation
}

void FaultyDevice::finish() noexcept {
  std::unique_lock lock(mutex_);
  never_.wait(lock, [&] { return !is_hung_; });
  lock.unlock();
  device_->finish();
}

}  // namespace pbrt::gpu
