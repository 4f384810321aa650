// SPDX-License-Identifier: MIT
// The versions that a rule may have: on what it runs, and with which memory. pbc plans them, the runtime runs them,
// pbtune chooses between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pb {

enum class Version : std::uint8_t {
  Cpu,
  OpenCl,       ///< a kernel on global memory
  OpenClLocal,  ///< a kernel whose work-groups share tiles in local memory
};

inline constexpr Version kVersions[] = {Version::Cpu, Version::OpenCl, Version::OpenClLocal};
inline constexpr Version kDeviceVersions[] = {Version::OpenCl, Version::OpenClLocal};

/// Returns the word for a version in files and messages.
[[nodiscard]] constexpr const char* to_string(Version version) {
  switch (version) {
    case Version::Cpu:
      return "cpu";
    case Version::OpenCl:
      return "opencl";
    case Version::OpenClLocal:
      return "opencl_local";
  }
  return "?";
}

/// Returns the version of this word; none if no version has it.
[[nodiscard]] constexpr std::optional<Version> find_version(std::string_view word) {
  for (const Version version : kVersions)
    if (word == to_string(version)) return version;
  return std::nullopt;
}

[[nodiscard]] constexpr bool is_device(Version version) { return version != Version::Cpu; }

}  // namespace pb
