// SPDX-License-Identifier: MIT
#include "runtime/gpu/residency/untouched_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace pbrt::gpu {
namespace {

// Of an entry of the pagemap: the page is in memory, or in the swap space.
constexpr std::uint64_t kExists = std::uint64_t{1} << 63 | std::uint64_t{1} << 62;

/// A file that is open while this lives.
class OpenFile {
 public:
  explicit OpenFile(const char* path) : descriptor_(::open(path, O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// Fills `bytes` from this place on; false if the file has no such place, or is not open.
  [[nodiscard]] bool read(void* to, std::size_t bytes, std::uint64_t place) const {
    return descriptor_ >= 0 &&
           ::pread(descriptor_, to, bytes, static_cast<off_t>(place)) == static_cast<ssize_t>(bytes);
  }

 private:
  int descriptor_;
};

}  // namespace

// The file is opened anew each time, because an open one goes on telling of the process that opened it after a fork.
bool is_untouched(const Storage& storage, std::size_t first_byte, std::size_t size_bytes) {
  if (!storage.has_block() || size_bytes == 0) return false;
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(storage.data()) + first_byte;
  const std::uintptr_t end_page = (begin + size_bytes - 1) / page_bytes + 1;
  const OpenFile pagemap("/proc/self/pagemap");
  std::array<std::uint64_t, 2048> entries = {};
  std::size_t count = 8;  // first few, because most storages have been used
  for (std::uintptr_t page = begin / page_bytes; page < end_page; page += count, count = entries.size()) {
    count = std::min<std::size_t>(count, end_page - page);
    if (!pagemap.read(entries.data(), count * sizeof(std::uint64_t), page * sizeof(std::uint64_t))) return false;
    const auto exists = [](std::uint64_t entry) { return (entry & kExists) != 0; };
    if (std::any_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(count), exists)) return false;
  }
  return true;
}

}  // namespace pbrt::gpu
