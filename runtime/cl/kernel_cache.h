// SPDX-License-Identifier: MIT
// Compiled kernels as files: a folder of checksummed blobs, named by a hash of what decides them. Files appear by
// rename, may be deleted, truncated, damaged or shared at any time; a file that is not intact counts as absent. Where
// they take too much room, those that have not been used for longest go. Private to runtime/cl.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pbrt::cl {

/// A hash of 128 bits as 32 hexadecimal digits. It is not cryptographic, so files also hold the text itself.
[[nodiscard]] std::string hash_name(std::string_view text);

class KernelCache {
 public:
  /// Room for thousands of kernels, or for hundreds of the largest.
  static constexpr std::uintmax_t kMaxBytes = std::uintmax_t{512} << 20;

  /// Opens the cache in `folder`, which Options::cache_folder explains. Its files take about `max_bytes` at most.
  explicit KernelCache(const std::string& folder, std::uintmax_t max_bytes = kMaxBytes);

  /// The blob stored under exactly this key.
  [[nodiscard]] std::optional<std::string> load(std::string_view key) const;
  /// Stores it if the folder can be written. Errors: none.
  void store(std::string_view key, std::string_view blob) const;
  /// Keeps a driver's build log as `<hash>.log`; the path, empty if it could not be written.
  std::string store_log(std::string_view key, std::string_view log) const;

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  [[nodiscard]] bool write_file(const std::string& path, std::string_view content) const;
  /// Deletes the files that were not used for longest until the others take three quarters of the room, and temporary
  /// files that a process left behind.
  void make_room() const;

  std::string folder_;  // empty: no files
  std::uintmax_t max_bytes_;
  /// Bytes written since the folder was looked through; other processes write, too.
  mutable std::uintmax_t bytes_written_;
};

}  // namespace pbrt::cl
