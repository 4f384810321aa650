// SPDX-License-Identifier: MIT
#include "autotuner/measure/file_fingerprint.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace pbtune {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;

/// Goes on with a hash, eight bytes at a time: input files may have gigabytes.
std::uint64_t hash_of(std::uint64_t hash, const char* bytes, std::size_t count) {
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof word, count - at));
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;  // a product alone does not bring high bits down
  }
  return hash;
}

}  // namespace

std::string file_fingerprint(const std::string& path) {
  std::error_code ignored;  // of a file that is not there
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(kBlockBytes);
  std::uint64_t hash = kFactor, size = 0;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    hash = hash_of(hash, block.data(), count);
    size += count;
  }
  if (!file.eof()) return {};
  char text[48];
  std::snprintf(text, sizeof text, "%llu:%016llx", static_cast<unsigned long long>(size),
                static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace pbtune
