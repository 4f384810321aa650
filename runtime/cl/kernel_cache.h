// SPDX-License-Identifier: MIT
// Compiled kernels as files: a folder of checksummed blobs, named by a hash of what decides them. Files appear by
// rename, may be deleted, truncated, damaged or shared at any time; a file that is not intact counts as absent. Private
// to runtime/cl.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pbrt::cl {

/// A hash of 128 bits as 32 hexadecimal digits. It is not cryptographic, so files also hold the text itself.
[[nodiscard]] std::string hash_name(std::string_view text);

class KernelCache {
 public:
  /// Opens the cache in `folder`, which Options::cache_folder explains.
  explicit KernelCache(const std::string& folder);

  /// The blob stored under exactly this key.
  [[nodiscard]] std::optional<std::string> load(std::string_view key) const;
  /// Stores it if the folder can be written. Errors: none.
  void store(std::string_view key, std::string_view blob) const;
  /// Keeps a driver's build log as `<hash>.log`; the path, empty if it could not be written.
  std::string store_log(std::string_view key, std::string_view log) const;

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  [[nodiscard]] bool write_file(const std::string& path, std::string_view content) const;

  std::string folder_;  // empty: no files
};

}  // namespace pbrt::cl
