// SPDX-License-Identifier: MIT
#include "runtime/cl/cl_device.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/config/runtime_check.h"

namespace pbrt::cl {
namespace {

class ClBuffer final : public gpu::Buffer {
 public:
  ClBuffer(Memory memory, std::size_t size_bytes) : memory_(std::move(memory)), size_bytes_(size_bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] cl_mem get() const { return memory_.get(); }

 private:
  Memory memory_;
  std::size_t size_bytes_;
};

cl_mem memory_of(const gpu::Buffer& buffer) { return static_cast<const ClBuffer&>(buffer).get(); }

class ClKernel final : public gpu::Kernel {
 public:
  ClKernel(KernelObject kernel, gpu::KernelLimits limits) : kernel_(std::move(kernel)), limits_(limits) {}
  [[nodiscard]] gpu::KernelLimits limits() const override { return limits_; }
  [[nodiscard]] cl_kernel get() const { return kernel_.get(); }

  /// Sets the arguments that are not what they were at the last launch. Buffers are always set: a new one may have an
  /// old one's handle.
  ///
  /// Errors: as clSetKernelArg
  void set_arguments(const Api& api, std::span<const gpu::KernelArg> args) {
    const std::size_t num_known = std::exchange(num_known_, 0);  // none if one cannot be set
    last_.resize(args.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i < num_known && is_same_value(args[i], last_[i])) continue;
      set_argument(api, i, args[i]);
      last_[i] = args[i];
    }
    num_known_ = args.size();
  }

 private:
  static bool is_same_value(const gpu::KernelArg& arg, const gpu::KernelArg& last) {
    return arg.kind != gpu::KernelArg::Kind::Buffer && arg.kind == last.kind && arg.size_bytes == last.size_bytes &&
           arg.value == last.value;
  }
  void set_argument(const Api& api, std::size_t at, const gpu::KernelArg& arg) {
    const auto index = static_cast<cl_uint>(at);
    switch (arg.kind) {
      case gpu::KernelArg::Kind::Buffer: {
        const cl_mem memory = memory_of(*arg.buffer);
        api.clSetKernelArg(get(), index, sizeof(cl_mem), static_cast<const void*>(&memory));
        break;
      }
      case gpu::KernelArg::Kind::Value:
        api.clSetKernelArg(get(), index, arg.size_bytes, arg.value.data());
        break;
      case gpu::KernelArg::Kind::Local:
        api.clSetKernelArg(get(), index, arg.size_bytes, nullptr);
        break;
    }
  }

  KernelObject kernel_;
  gpu::KernelLimits limits_;
  std::vector<gpu::KernelArg> last_;  ///< the arguments of the last launch
  std::size_t num_known_ = 0;         ///< how many of them the kernel has
};

/// Runs `call`; what did not fit becomes a DeviceRefusal.
template <class Call>
void refusing(const Call& call) {
  try {
    call();
  } catch (const ClError& error) {
    if (is_refusal(error.code())) throw gpu::DeviceRefusal(error.what());
    throw;
  }
}

void CL_CALLBACK on_end(cl_event, cl_int status, void* completion) {
  static_cast<gpu::Completion*>(completion)->done(status == CL_COMPLETE);
}

}  // namespace

ClDevice::ClDevice(std::shared_ptr<const Api> api, cl_platform_id platform, cl_device_id device, gpu::DeviceInfo info,
                   const Options& options)
    : api_(std::move(api)), device_(device), info_(std::move(info)), cache_(options.cache_folder) {
  info_.exchange = options.exchange;
  if (!options.may_use_host_memory) info_.shares_host_memory = false;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform),
                                              0};
  context_ = Context(*api_, api_->clCreateContext.make(properties, 1U, &device_, nullptr, nullptr));
  const cl_command_queue_properties profiling = options.is_profiled ? CL_QUEUE_PROFILING_ENABLE : 0;
  queue_ = Queue(*api_, api_->clCreateCommandQueue.make(context_.get(), device_, profiling));
  if (options.is_profiled) times_ = std::make_unique<KernelTimes>(*api_);
  const bool is_apart = info_.type == gpu::DeviceType::Gpu && !info_.shares_host_memory;
  CopyOptions copies = options.copies.value_or(is_apart ? usual_copies() : CopyOptions());
  const bool is_waited_for = options.ends == EndReports::Thread ||
                             (options.ends == EndReports::ByDevice && info_.type == gpu::DeviceType::Gpu);
  if (is_waited_for) waiter_ = std::make_unique<EventWaiter>(*api_);
  if (!is_waited_for) copies.max_small_bytes = 0;  // callbacks may come when the device is gone
  copies_ = std::make_unique<HostCopies>(*api_, context_.get(), device_, copies);
  has_shared_events_ = waiter_ != nullptr && options.shares_events && !options.is_profiled && !info_.shares_host_memory;
}

ClDevice::~ClDevice() {
  ClDevice::finish();
  lane_in_.reset();
  lane_out_.reset();
  waiter_.reset();
}

std::unique_ptr<gpu::Buffer> ClDevice::allocate(std::size_t size_bytes, void* host) {
  const bool in_place = info_.shares_host_memory && host != nullptr;
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (in_place ? CL_MEM_USE_HOST_PTR : cl_mem_flags{0});
  try {
    Memory memory(*api_, api_->clCreateBuffer.make(context_.get(), flags, size_bytes, in_place ? host : nullptr));
    return std::make_unique<ClBuffer>(std::move(memory), size_bytes);
  } catch (const ClError& error) {
    if (is_refusal(error.code())) return nullptr;
    throw;
  }
}

// --- kernels ---------------------------------------------------------------------------------

std::unique_ptr<gpu::Kernel> ClDevice::build(const char* source, const char* name, const std::string& options) {
  try {
    KernelObject kernel(*api_, api_->clCreateKernel.make(program(source, options), name));
    gpu::KernelLimits limits;
    cl_ulong local = 0;
    api_->clGetKernelWorkGroupInfo(kernel.get(), device_, cl_kernel_work_group_info{CL_KERNEL_WORK_GROUP_SIZE},
                                   sizeof(std::size_t), &limits.max_group_size, nullptr);
    api_->clGetKernelWorkGroupInfo(kernel.get(), device_, cl_kernel_work_group_info{CL_KERNEL_LOCAL_MEM_SIZE},
                                   sizeof local, &local, nullptr);
    // A kernel that says how large its groups are was compiled for them, although NVIDIA's driver reports 256.
    std::array<std::size_t, 3> own_group{};
    api_->clGetKernelWorkGroupInfo(kernel.get(), device_, cl_kernel_work_group_info{CL_KERNEL_COMPILE_WORK_GROUP_SIZE},
                                   sizeof own_group, own_group.data(), nullptr);
    limits.max_group_size = std::max(limits.max_group_size, own_group[0] * own_group[1] * own_group[2]);
    limits.local_bytes = local;
    return std::make_unique<ClKernel>(std::move(kernel), limits);
  } catch (const ClError& error) {
    // Whatever the driver reports here concerns only this kernel.
    throw gpu::BuildFailure(error.what(), std::string(name) + ": " + error.what() + "\n");
  }
}

cl_program ClDevice::program(const char* source, const std::string& options) {
  std::string all_options = options;
  if (all_options.find("-cl-std=") == std::string::npos) all_options = "-cl-std=CL1.2 " + all_options;
  if (runs_as_gpu()) all_options += " -DPB_LIKE_GPU=1";
  if (info_.rounds_float_quotients) all_options += " -cl-fp32-correctly-rounded-divide-sqrt";
  std::string key = info_.platform + "\n" + info_.name + "\n" + info_.driver + "\n" + all_options + "\n" + source;
  const auto known = programs_.find(key);
  if (known != programs_.end()) return known->second.get();
  const auto start = std::chrono::steady_clock::now();
  Program built = build_from_binary(key, all_options);
  if (built) {
    kernels_from_disk_.fetch_add(1, std::memory_order_relaxed);
  } else {
    built = build_from_source(source, key, all_options);
    kernels_built_.fetch_add(1, std::memory_order_relaxed);
  }
  const auto spent = std::chrono::steady_clock::now() - start;
  build_us_.fetch_add(std::chrono::duration_cast<std::chrono::microseconds>(spent).count(), std::memory_order_relaxed);
  return programs_.emplace(std::move(key), std::move(built)).first->second.get();
}

/// Builds the program from the cache of kernels; empty if there is no file, or if the driver rejects it.
Program ClDevice::build_from_binary(const std::string& key, const std::string& options) {
  const std::optional<std::string> binary = cache_.load(key);
  if (!binary) return {};
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary->data());
  const std::size_t size = binary->size();
  try {
    cl_int binary_status = CL_SUCCESS;
    Program program(*api_,
                    api_->clCreateProgramWithBinary.make(context_.get(), 1U, &device_, &size, &bytes, &binary_status));
    if (binary_status != CL_SUCCESS) return {};
    api_->clBuildProgram(program.get(), 1U, &device_, options.c_str(), nullptr, nullptr);
    return program;
  } catch (const ClError&) {
    return {};  // the binary is old or of another driver: the program is built from source instead
  }
}

Program ClDevice::build_from_source(const char* source, const std::string& key, const std::string& options) {
  Program program(*api_, api_->clCreateProgramWithSource.make(context_.get(), 1U, &source, nullptr));
  const cl_int code = api_->clBuildProgram.status(program.get(), 1U, &device_, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) {
    std::string log = "options: " + options + "\n" + error_name(code) + "\n" + build_log(program.get());
    const std::string path = cache_.store_log(key, log + "\n" + source);
    if (!path.empty()) log += "\nkept with the source in " + path + "\n";
    throw gpu::BuildFailure("clBuildProgram: " + error_name(code), std::move(log));
  }
  store_binary(program.get(), key);
  return program;
}

std::string ClDevice::build_log(cl_program program) const {
  std::size_t size = 0;
  constexpr cl_program_build_info kLog = CL_PROGRAM_BUILD_LOG;
  if (api_->clGetProgramBuildInfo.status(program, device_, kLog, std::size_t{0}, nullptr, &size) != CL_SUCCESS)
    return {};
  std::string log(size, '\0');
  if (api_->clGetProgramBuildInfo.status(program, device_, kLog, size, log.data(), nullptr) != CL_SUCCESS) return {};
  while (!log.empty() && log.back() == '\0') log.pop_back();
  return log;
}

void ClDevice::store_binary(cl_program program, const std::string& key) {
  std::size_t size = 0;
  if (api_->clGetProgramInfo.status(program, cl_program_info{CL_PROGRAM_BINARY_SIZES}, sizeof size, &size, nullptr) !=
          CL_SUCCESS ||
      size == 0)
    return;
  std::string binary(size, '\0');
  char* place = binary.data();
  if (api_->clGetProgramInfo.status(program, cl_program_info{CL_PROGRAM_BINARIES}, sizeof place,
                                    static_cast<void*>(&place), nullptr) == CL_SUCCESS)
    cache_.store(key, binary);
}

// --- queue -----------------------------------------------------------------------------------

namespace {

/// Copies of at least this size go beside the queue. They take 100 us and more; waking the thread of a CopyLane takes
/// up to a tenth of that.
constexpr std::uint64_t kMinBytesBeside = std::uint64_t{4} << 20;

std::vector<gpu::CopyShape> copy_of(std::span<const gpu::CopyShape> shapes) { return {shapes.begin(), shapes.end()}; }

/// Tells a completion what the device's clock says, then the end.
class TimedEnd final : public gpu::Completion {
 public:
  TimedEnd(const Api& api, cl_event event, gpu::Completion& done) : api_(api), done_(done) {
    api.clRetainEvent(event);
    event_ = Event(api, event);
  }
  void done(bool ok) noexcept override {
    const std::unique_ptr<TimedEnd> last_use(this);
    cl_ulong queued = 0, start = 0, end = 0;
    if (ask(CL_PROFILING_COMMAND_QUEUED, queued) && ask(CL_PROFILING_COMMAND_START, start) &&
        ask(CL_PROFILING_COMMAND_END, end))
      done_.took({static_cast<std::int64_t>(queued), static_cast<std::int64_t>(start), static_cast<std::int64_t>(end)});
    // The event is released first, because the device may be gone once the manager knows of the end.
    event_ = Event();
    done_.done(ok);
  }

 private:
  bool ask(cl_uint what, cl_ulong& time) const noexcept {
    return api_.clGetEventProfilingInfo.status(event_.get(), cl_profiling_info{what}, sizeof time,
                                               static_cast<void*>(&time), nullptr) == CL_SUCCESS;
  }
  const Api& api_;
  Event event_;
  gpu::Completion& done_;
};

}  // namespace

gpu::Completion& ClDevice::timed(cl_event event, gpu::Completion& done) const {
  if (times_ == nullptr) return done;
  return *std::make_unique<TimedEnd>(*api_, event, done).release();
}

void ClDevice::notify(Event event, gpu::Completion& done) {
  if (waiter_ != nullptr) return waiter_->add(std::move(event), done);
  if (api_->clSetEventCallback.status(event.get(), CL_COMPLETE, on_end, static_cast<void*>(&done)) == CL_SUCCESS)
    return;
  const cl_event id = event.get();
  const bool ok = api_->clWaitForEvents.status(1U, &id) == CL_SUCCESS;
  done.done(ok);
}

void ClDevice::write(gpu::Buffer& buffer, const void* host, std::span<const gpu::CopyShape> shapes,
                     gpu::CopyOrder order, gpu::Completion& done) {
  PBRT_CHECK(!shapes.empty(), "copies have a shape");
  const auto* base = static_cast<const std::byte*>(host);
  if (order == gpu::CopyOrder::Beside) {
    const auto enqueue = [copies = copies_.get(), memory = memory_of(buffer), base, all = copy_of(shapes)](
                             cl_command_queue queue) { return copies->write(queue, memory, base, all); };
    return lane(lane_in_).add(enqueue, done);
  }
  refusing([&] {
    HostCopies::Begun begun = copies_->begin({queue_.get(), memory_of(buffer), base, nullptr}, shapes, done);
    notify(std::move(begun.event), *begun.end);
  });
}

void ClDevice::read(const gpu::Buffer& buffer, void* host, std::span<const gpu::CopyShape> shapes, gpu::CopyOrder order,
                    gpu::Completion& done) {
  PBRT_CHECK(!shapes.empty(), "copies have a shape");
  auto* base = static_cast<std::byte*>(host);
  if (order == gpu::CopyOrder::Beside) {
    const auto enqueue = [copies = copies_.get(), memory = memory_of(buffer), base, all = copy_of(shapes)](
                             cl_command_queue queue) { return copies->read(queue, memory, base, all); };
    return lane(lane_out_).add(enqueue, done);
  }
  refusing([&] {
    HostCopies::Begun begun = copies_->begin({queue_.get(), memory_of(buffer), nullptr, base}, shapes, done);
    notify(std::move(begun.event), *begun.end);
  });
}

CopyLane& ClDevice::lane(std::unique_ptr<CopyLane>& place) {
  if (place == nullptr) {
    Queue queue(*api_, api_->clCreateCommandQueue.make(context_.get(), device_, cl_command_queue_properties{0}));
    place = std::make_unique<CopyLane>(*api_, std::move(queue));
  }
  return *place;
}

/// The least size of a copy beside the queue. A CPU has a memory of its own only if a user or a test asks for it.
std::uint64_t ClDevice::min_bytes_beside() const {
  if (info_.shares_host_memory) return UINT64_MAX;
  return info_.type == gpu::DeviceType::Cpu ? 1 : kMinBytesBeside;
}

void ClDevice::clear(gpu::Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, gpu::Completion& done) {
  // The longest pattern that divides both, because drivers fill by patterns.
  constexpr std::array<std::byte, 16> kZeros = {};
  std::size_t pattern = kZeros.size();
  while ((first_byte | size_bytes) % pattern != 0) pattern /= 2;
  refusing([&] {
    cl_event event = nullptr;
    api_->clEnqueueFillBuffer(queue_.get(), memory_of(buffer), kZeros.data(), pattern, first_byte, size_bytes, 0U,
                              nullptr, &event);
    notify(Event(*api_, event), done);
  });
}

namespace {

/// So many launches share the event of the next one. On an H200, a launch with an event takes 8 us, one without 5; with
/// an event for 16 of them a launch takes 5.4.
constexpr std::size_t kMostWithoutEvent = 15;
/// A launch of so many work-items may take long, so its event does not tell of those before it.
constexpr std::size_t kLongLaunch = std::size_t{1} << 16;

}  // namespace

void ClDevice::launch(gpu::Kernel& kernel, std::span<const gpu::KernelArg> args, const gpu::KernelRange& range,
                      gpu::Completion& done) {
  const cl_kernel id = static_cast<ClKernel&>(kernel).get();
  refusing([&] {
    static_cast<ClKernel&>(kernel).set_arguments(*api_, args);
    const auto enqueue = [&](cl_event* event) {
      api_->clEnqueueNDRangeKernel(queue_.get(), id, static_cast<cl_uint>(range.num_dims), nullptr, range.global.data(),
                                   range.group.data(), 0U, nullptr, event);
    };
    const bool is_short = range.global[0] * range.global[1] * range.global[2] < kLongLaunch;
    if (has_shared_events_ && is_short && num_without_event_ < kMostWithoutEvent) {
      enqueue(nullptr);
      num_without_event_ = waiter_->add(done);
      return;
    }
    if (!is_short) mark_operations();
    num_without_event_ = 0;
    cl_event event = nullptr;
    enqueue(&event);
    Event last(*api_, event);
    if (times_ != nullptr) times_->add(event);
    gpu::Completion& end = timed(event, done);
    if (info_.shares_host_memory && info_.type != gpu::DeviceType::Cpu) give_to_host(args, last);
    notify(std::move(last), end);
  });
}

/// By the standard the host sees a kernel's results in its own pages only while they are mapped.
void ClDevice::give_to_host(std::span<const gpu::KernelArg> args, Event& last) {
  for (const gpu::KernelArg& arg : args) {
    if (arg.kind != gpu::KernelArg::Kind::Buffer) continue;
    const cl_mem memory = memory_of(*arg.buffer);
    void* mapped = api_->clEnqueueMapBuffer.make(queue_.get(), memory, cl_bool{CL_FALSE}, cl_map_flags{CL_MAP_READ},
                                                 std::size_t{0}, arg.buffer->size_bytes(), 0U, nullptr, nullptr);
    cl_event event = nullptr;
    api_->clEnqueueUnmapMemObject(queue_.get(), memory, mapped, 0U, nullptr, &event);
    last = Event(*api_, event);
  }
}

void ClDevice::mark_operations() {
  if (waiter_ == nullptr || !waiter_->has_operations_without_event()) return;
  cl_event event = nullptr;
  api_->clEnqueueMarkerWithWaitList(queue_.get(), 0U, nullptr, &event);
  waiter_->add(Event(*api_, event));
  num_without_event_ = 0;
}

void ClDevice::flush() {
  mark_operations();
  api_->clFlush(queue_.get());
}

void ClDevice::poll() {
  if (waiter_ != nullptr) waiter_->poll();
}

void ClDevice::watch() {
  if (waiter_ != nullptr) waiter_->watch();
}

void ClDevice::finish() noexcept {
  for (CopyLane* lane : {lane_in_.get(), lane_out_.get()})
    if (lane != nullptr) lane->finish();
  const bool ok = api_->clFinish.status(queue_.get()) == CL_SUCCESS;  // a queue that failed has ended, too
  if (waiter_ == nullptr) return;
  waiter_->end_all(ok);
  // Whoever hears of an end may write to the host's memory, which is the caller's from now on.
  waiter_->wait_for_all();
}

gpu::Device::Counters ClDevice::counters() const {
  Counters result;
  result.kernels_built = kernels_built_.load(std::memory_order_relaxed);
  result.kernels_from_disk = kernels_from_disk_.load(std::memory_order_relaxed);
  result.build_ms = static_cast<double>(build_us_.load(std::memory_order_relaxed)) / 1000.0;
  result.bytes_by_threads = copies_->bytes_of_crew();
  result.bytes_locked = copies_->locks().bytes();
  result.lock_ns = copies_->locks().time().count();
  if (times_ != nullptr) result.kernel_ns = times_->total_ns();
  return result;
}

}  // namespace pbrt::cl
