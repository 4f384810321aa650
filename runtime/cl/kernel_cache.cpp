// SPDX-License-Identifier: MIT
#include "runtime/cl/kernel_cache.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

namespace pbrt::cl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "polybricks kernel 1\n";
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{256} << 20;

std::uint64_t fnv1a(std::string_view text, std::uint64_t basis) {
  std::uint64_t hash = basis;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  // FNV mixes its last bytes badly, so they are mixed once more.
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 33);
}

constexpr std::uint64_t kBasis = 0xcbf29ce484222325U;

void append_number(std::string& out, std::uint64_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

/// Takes a number from the front of `text`; false if it is too short.
bool take_number(std::string_view& text, std::uint64_t& value) {
  if (text.size() < sizeof value) return false;
  std::memcpy(&value, text.data(), sizeof value);
  text.remove_prefix(sizeof value);
  return true;
}

std::string default_folder() {
  const char* base = std::getenv("XDG_CACHE_HOME");
  if (base != nullptr && *base == '/') return std::string(base) + "/polybricks/kernels";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/polybricks/kernels";
  return {};
}

}  // namespace

std::string hash_name(std::string_view text) {
  std::string name;
  for (const std::uint64_t basis : {kBasis, kBasis ^ 0x9e3779b97f4a7c15U}) {
    const std::uint64_t hash = fnv1a(text, basis);
    for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[(hash >> shift) & 15U];
  }
  return name;
}

KernelCache::KernelCache(const std::string& folder, std::uintmax_t max_bytes)
    : folder_(folder == "none" ? std::string()
              : folder.empty() ? default_folder()
                               : folder),
      max_bytes_(max_bytes),
      bytes_written_(max_bytes) {}

// A file holds magic, length of key, length of blob, checksum of both, key, blob.
std::optional<std::string> KernelCache::load(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = folder_ + "/" + hash_name(key) + ".bin";
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > kMaxFileBytes) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::string_view rest = content;
  if (!rest.starts_with(kMagic)) return std::nullopt;
  rest.remove_prefix(kMagic.size());
  std::uint64_t key_bytes = 0, blob_bytes = 0, checksum = 0;
  if (!take_number(rest, key_bytes) || !take_number(rest, blob_bytes) || !take_number(rest, checksum))
    return std::nullopt;
  if (key_bytes != key.size() || rest.size() < key_bytes || rest.size() - key_bytes != blob_bytes) return std::nullopt;
  if (rest.substr(0, key_bytes) != key || fnv1a(rest, kBasis) != checksum) return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // so make_room() knows that it was used
  return std::string(rest.substr(key_bytes));
}

void KernelCache::store(std::string_view key, std::string_view blob) const {
  if (folder_.empty()) return;
  std::string body(key);
  body += blob;
  std::string content(kMagic);
  append_number(content, key.size());
  append_number(content, blob.size());
  append_number(content, fnv1a(body, kBasis));
  content += body;
  static_cast<void>(
      write_file(folder_ + "/" + hash_name(key) + ".bin", content));  // a cache that cannot be written is no error
}

std::string KernelCache::store_log(std::string_view key, std::string_view log) const {
  if (folder_.empty()) return {};
  const std::string path = folder_ + "/" + hash_name(key) + ".log";
  return write_file(path, log) ? path : std::string();
}

void KernelCache::make_room() const {
  struct Entry {
    fs::path path;
    std::uintmax_t bytes;
    fs::file_time_type used;
  };
  constexpr auto kLeftBehind = std::chrono::hours(1);
  const auto now = fs::file_time_type::clock::now();
  std::vector<Entry> entries;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const Entry entry{at->path(), at->file_size(gone), at->last_write_time(gone)};
    if (gone || !at->is_regular_file(gone)) continue;
    const fs::path ending = entry.path.extension();
    if (ending == ".tmp" && now - entry.used > kLeftBehind) fs::remove(entry.path, gone);
    if (ending != ".bin" && ending != ".log") continue;
    bytes += entry.bytes;
    entries.push_back(entry);
  }
  if (bytes <= max_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (bytes <= max_bytes_ / 4 * 3) break;
    fs::remove(entry.path, error);
    bytes -= entry.bytes;
  }
}

bool KernelCache::write_file(const std::string& path, std::string_view content) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  // The address tells the caches of one process apart; each is used by one thread.
  const std::string temporary =
      path + "." + std::to_string(::getpid()) + "." + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".tmp";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  const bool is_written = !file.fail();
  if (is_written) fs::rename(temporary, path, error);
  if (!is_written || error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return false;
  }
  bytes_written_ += content.size();
  if (bytes_written_ >= max_bytes_ / 8) {
    make_room();
    bytes_written_ = 0;
  }
  return true;
}

}  // namespace pbrt::cl
