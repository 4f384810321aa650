// SPDX-License-Identifier: MIT
#include "runtime/main/machine/devices.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "runtime/config/errors.h"

namespace pbrt {

namespace {

// Kernels and copies of a GPU often end within this time.
constexpr std::chrono::milliseconds kGpuPatience{1};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

const std::vector<gpu::DeviceInfo>& Devices::list() {
  if (!list_) {
    list_ = provider_->list();
    managers_.resize(list_->size());
  }
  return *list_;
}

std::vector<DeviceId> Devices::ids() {
  std::vector<DeviceId> result;
  for (const gpu::DeviceInfo& info : list()) result.push_back({info.name, info.driver});
  return result;
}

std::string Devices::describe() {
  std::string text;
  int index = 0;
  for (const gpu::DeviceInfo& info : list())
    text += std::to_string(index++) + "  " + info.name + " (" + gpu::to_string(info.type) + ", " + info.platform +
            ", driver " + info.driver + ")\n";
  return text.empty() ? "no OpenCL device\n" : text;
}

int Devices::choose(const std::optional<std::string>& wish, const std::string& tuned_on) {
  if (wish && *wish == "none") return -1;
  const std::vector<gpu::DeviceInfo>& all = list();
  if (!wish) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].name == tuned_on) return static_cast<int>(i);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].type == gpu::DeviceType::Gpu) return static_cast<int>(i);
    return all.empty() ? -1 : 0;
  }
  std::size_t index = 0;
  const char* end = wish->data() + wish->size();
  const auto parsed = std::from_chars(wish->data(), end, index);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    if (index < all.size()) return static_cast<int>(index);
  } else {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (lower(all[i].name).find(lower(*wish)) != std::string::npos) return static_cast<int>(i);
  }
  std::string known;
  for (std::size_t i = 0; i < all.size(); ++i) known += (i == 0 ? "" : ", ") + std::to_string(i) + " = " + all[i].name;
  throw UserError("device `" + *wish +
                  "`: " + (all.empty() ? "there is no OpenCL device" : "there is no such device; there are: " + known));
}

gpu::Manager& Devices::manager(int index) {
  const auto at = static_cast<std::size_t>(index);
  const gpu::DeviceInfo& info = list()[at];
  if (managers_[at] == nullptr) {
    gpu::ManagerOptions options;
    if (info.type == gpu::DeviceType::Gpu) options.patience = kGpuPatience;
    options.memory_limit_bytes = use_.memory_bytes;
    options.verifies = use_.verifies;
    options.trace = use_.trace;
    options.trace_name = "device " + std::to_string(index) + ", " + info.name;
    managers_[at] = std::make_unique<gpu::Manager>(provider_->open(index, use_.is_profiled), options);
  }
  return *managers_[at];
}

gpu::Manager* Devices::open(int index) {
  if (index < 0) return nullptr;
  try {
    return &manager(index);
  } catch (const DeviceError& error) {
    std::fprintf(stderr, "warning: %s cannot be used: %s\n", list()[static_cast<std::size_t>(index)].name.c_str(),
                 error.what());
    return nullptr;
  }
}

}  // namespace pbrt
