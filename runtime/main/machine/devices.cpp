// SPDX-License-Identifier: MIT
#include "runtime/main/machine/devices.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <utility>

#include "runtime/config/errors.h"

namespace pbrt {

namespace {

// Kernels and copies of a GPU often end within this time.
constexpr std::chrono::milliseconds kGpuPatience{1};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Whether a name has such a part, whatever the case of letters.
bool has_part(const std::string& name, const std::string& part) {
  return lower(name).find(lower(part)) != std::string::npos;
}

}  // namespace

std::chrono::nanoseconds limit_of_seconds(double seconds) {
  constexpr double kMaxSeconds = 1e9;  // a clock can still add this
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(std::min(seconds, kMaxSeconds)));
  return seconds > 0 ? std::max(limit, std::chrono::nanoseconds(1)) : std::chrono::nanoseconds(0);
}

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

std::vector<int> Devices::choose(const std::optional<std::string>& wish, const std::string& tuned_on) {
  if (wish && *wish == "none") return {};
  const std::vector<gpu::DeviceInfo>& all = list();
  if (!wish) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].name == tuned_on) return {static_cast<int>(i)};
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].type == gpu::DeviceType::Gpu) return {static_cast<int>(i)};
    return all.empty() ? std::vector<int>() : std::vector<int>{0};
  }
  if (all.empty()) refuse(*wish, "there is no OpenCL device");
  std::vector<int> chosen;
  if (*wish == "all") {
    for (std::size_t i = 0; i < all.size(); ++i) chosen.push_back(static_cast<int>(i));
    return chosen;
  }
  // A name may have commas, too.
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wish->find(',') != std::string::npos && has_part(all[i].name, *wish)) return {static_cast<int>(i)};
  for (std::size_t begin = 0; begin <= wish->size();) {
    const std::size_t end = std::min(wish->find(',', begin), wish->size());
    chosen.push_back(device_of(*wish, wish->substr(begin, end - begin), chosen));
    begin = end + 1;
  }
  return chosen;
}

int Devices::device_of(const std::string& wish, const std::string& part, const std::vector<int>& taken) {
  const std::vector<gpu::DeviceInfo>& all = list();
  const auto is_taken = [&](int index) { return std::find(taken.begin(), taken.end(), index) != taken.end(); };
  const bool is_list = part != wish;
  if (is_list && part.empty()) refuse(wish, "between commas stands an index or a part of a name");
  if (is_list && (part == "none" || part == "all")) refuse(wish, "`" + part + "` stands alone");
  std::size_t index = 0;
  const char* end = part.data() + part.size();
  const auto parsed = std::from_chars(part.data(), end, index);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    const int wanted = static_cast<int>(std::min<std::size_t>(index, all.size()));
    if (is_taken(wanted)) refuse(wish, "device " + part + " is named twice");
    if (index < all.size()) return wanted;
  } else {
    bool is_known = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!has_part(all[i].name, part)) continue;
      if (!is_taken(static_cast<int>(i))) return static_cast<int>(i);
      is_known = true;
    }
    if (is_known) refuse(wish, "`" + part + "` names no device that is not named before it");
  }
  refuse(wish, is_list ? "there is no device `" + part + "`" : "there is no such device");
}

void Devices::refuse(const std::string& wish, const std::string& why) {
  std::string known;
  for (std::size_t i = 0; i < list().size(); ++i)
    known += (i == 0 ? "; there are: " : ", ") + std::to_string(i) + " = " + list()[i].name;
  throw UserError("device `" + wish + "`: " + why + known);
}

gpu::Manager& Devices::manager(int index) {
  const auto at = static_cast<std::size_t>(index);
  const gpu::DeviceInfo& info = list()[at];
  if (managers_[at] == nullptr) {
    gpu::ManagerOptions options;
    if (info.type == gpu::DeviceType::Gpu) options.patience = kGpuPatience;
    options.memory_limit_bytes = use_.memory_bytes;
    options.verifies = use_.verifies;
    options.is_timed = use_.is_profiled;
    options.trace = use_.trace;
    options.trace_name = "device " + std::to_string(index) + ", " + info.name;
    managers_[at] = std::make_unique<gpu::Manager>(provider_->open(index, use_.is_profiled), options);
  }
  return *managers_[at];
}

gpu::ManagerSet Devices::open(const std::vector<int>& indices) {
  std::vector<gpu::Manager*> opened;
  for (const int index : indices) {
    try {
      opened.push_back(&manager(index));
    } catch (const DeviceError& error) {
      std::fprintf(stderr, "warning: %s cannot be used: %s\n", list()[static_cast<std::size_t>(index)].name.c_str(),
                   error.what());
    }
  }
  return gpu::ManagerSet(std::move(opened));
}

}  // namespace pbrt
