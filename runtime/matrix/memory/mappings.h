// SPDX-License-Identifier: MIT
// The mappings of the memory of large matrices, for those who keep something about them that ends with the mapping, as
// runtime/cl keeps which of them a driver has page-locked.
#pragma once

#include <cstddef>
#include <optional>

namespace pbrt {

/// Memory that storage.cpp has from the system. While it is mapped, several storages may have it one after the other.
struct Mapping {
  std::byte* begin = nullptr;  ///< where a storage in it begins
  std::size_t bytes = 0;
};

/// Somebody who is told before a mapping ends.
class MappingUser {
 public:
  virtual ~MappingUser() = default;
  /// Nobody uses the memory any more. Must not make or free storages.
  ///
  /// Threads: any
  virtual void end(const Mapping& mapping) noexcept = 0;
};

/// All mappings of the process.
///
/// Threads: all functions from any thread
class Mappings {
 public:
  static void add(const Mapping& mapping);
  /// Tells all users, then forgets the mapping that begins there.
  static void remove(std::byte* begin);
  /// The mapping in which this address is; none if it is in no block of the runtime's own, or in a small one.
  [[nodiscard]] static std::optional<Mapping> find(const void* address);

  /// The user hears of all mappings that end until it is removed.
  static void add_user(MappingUser& user);
  static void remove_user(MappingUser& user);
};

}  // namespace pbrt
