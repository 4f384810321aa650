// SPDX-License-Identifier: MIT
#include "runtime/matrix/access_watch.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "runtime/config/copy_error.h"

namespace pbrt {
namespace {

/// All watched memory of the process, ordered by its end.
struct Table {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, const WatchedMemory*> by_end;
  /// Changes whenever the map does; ranges that a thread remembers hold for one epoch.
  std::atomic<std::uint64_t> epoch{0};
};

Table& table() {
  static Table& the_table = *std::make_unique<Table>().release();  // storages may outlive static objects
  return the_table;
}

/// Addresses that all belong to one block of watched memory, or to none.
struct Range {
  std::uintptr_t begin = 0, end = 0;
  const WatchedMemory* memory = nullptr;
  [[nodiscard]] bool has(std::uintptr_t address) const { return begin <= address && address < end; }
};

Range look_up(std::uintptr_t address) {
  Table& all = table();
  const std::shared_lock lock(all.mutex);
  const auto next = all.by_end.upper_bound(address);
  const std::uintptr_t before = next == all.by_end.begin() ? 0 : std::prev(next)->first;
  if (next == all.by_end.end()) return {before, UINTPTR_MAX, nullptr};
  const WatchedMemory& memory = *next->second;
  if (address >= memory.begin()) return {memory.begin(), memory.end(), &memory};
  return {before, memory.begin(), nullptr};
}

/// The last four ranges that the thread found. No fiber is suspended while this is in use.
struct Recent {
  std::uint64_t epoch = 0;
  std::size_t next = 0;
  std::array<Range, 4> ranges;
};

const WatchedMemory* find(std::uintptr_t address) {
  thread_local Recent recent;
  // Acquire pairs with the release of the thread that changed the table: an address may belong to other memory now.
  const std::uint64_t epoch = table().epoch.load(std::memory_order_acquire);
  if (recent.epoch != epoch) recent = {epoch, 0, {}};
  for (const Range& range : recent.ranges)
    if (range.has(address)) return range.memory;
  Range& place = recent.ranges[recent.next];
  recent.next = (recent.next + 1) % recent.ranges.size();
  place = look_up(address);
  return place.memory;
}

}  // namespace

WatchedMemory::WatchedMemory(const void* begin, std::size_t size_bytes, int element_bytes)
    : begin_(reinterpret_cast<std::uintptr_t>(begin)),
      size_bytes_(size_bytes),
      element_bytes_(element_bytes),
      flags_(std::make_unique<std::atomic<std::uint8_t>[]>(size_bytes / static_cast<std::size_t>(element_bytes) + 1)) {
  if (size_bytes_ == 0) return;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.by_end[end()] = this;
  all.epoch.fetch_add(1, std::memory_order_release);
}

WatchedMemory::~WatchedMemory() {
  if (size_bytes_ == 0) return;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.by_end.erase(end());
  all.epoch.fetch_add(1, std::memory_order_release);
}

namespace detail {

std::atomic<bool> are_accesses_watched{false};

void check_access(const void* first, std::size_t size_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const WatchedMemory* memory = find(address);
  if (memory == nullptr) return;
  const auto bytes = static_cast<std::uintptr_t>(memory->element_bytes());
  const std::uintptr_t last = std::min(address + std::max<std::size_t>(size_bytes, 1), memory->end()) - 1;
  for (std::uintptr_t element = (address - memory->begin()) / bytes; element <= (last - memory->begin()) / bytes;
       ++element) {
    const auto index = static_cast<std::int64_t>(element);
    if ((memory->flags(index) & WatchedMemory::kStale) != 0) [[unlikely]]
      throw CopyError("the host uses " + memory->describe(index) + "; nothing has asked for it on the host since");
  }
}

void check_view_access(const RawView& view) {
  if (view.base == nullptr || find(reinterpret_cast<std::uintptr_t>(view.base)) == nullptr) return;
  for (int d = 0; d < view.num_dims; ++d)
    if (view.sizes[d] <= 0) return;
  const auto bytes = static_cast<std::int64_t>(element_bytes(view.kind));
  IndexT at[kMaxDims] = {};
  for (int d = 0;;) {
    std::int64_t offset = 0;
    for (int k = 0; k < view.num_dims; ++k) offset += at[k] * view.strides[k];
    check_access(static_cast<const char*>(view.base) + offset * bytes, static_cast<std::size_t>(bytes));
    // The indices of the next element, x fastest.
    for (d = 0; d < view.num_dims; ++d) {
      if (++at[d] < view.sizes[d]) break;
      at[d] = 0;
    }
    if (d == view.num_dims) return;
  }
}

}  // namespace detail
}  // namespace pbrt
