// SPDX-License-Identifier: MIT
#include "runtime/matrix/storage.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "runtime/config/check.h"
#include "runtime/config/errors.h"

namespace pbrt {

namespace {

// Blocks from this size on are page aligned and kept for reuse: fresh pages cost a fault and
// zeroing each, which would be the larger part of a temporary matrix's cost.
constexpr std::size_t kPageBlockBytes = 4096;
constexpr std::size_t kSmallAlignment = 128;
constexpr std::size_t kMaxCachedBytes = std::size_t{1} << 28;
constexpr std::size_t kMaxCachedBlocks = 16;

/// Freed large blocks, newest last.
class BlockCache {
 public:
  /// A block of at least `bytes`, at most twice as large; null if there is none.
  void* take(std::size_t bytes, std::size_t& block_bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      if (blocks_[i].bytes < bytes || blocks_[i].bytes / 2 > bytes) continue;
      void* found = blocks_[i].data;
      block_bytes = blocks_[i].bytes;
      cached_bytes_ -= block_bytes;
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      return found;
    }
    return nullptr;
  }
  void give(void* data, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bytes > kMaxCachedBytes) {
      std::free(data);
      return;
    }
    while (!blocks_.empty() && (cached_bytes_ + bytes > kMaxCachedBytes || blocks_.size() >= kMaxCachedBlocks)) {
      cached_bytes_ -= blocks_.front().bytes;
      std::free(blocks_.front().data);
      blocks_.erase(blocks_.begin());
    }
    blocks_.push_back({data, bytes});
    cached_bytes_ += bytes;
  }
  ~BlockCache() {
    for (const Block& block : blocks_) std::free(block.data);
  }

 private:
  struct Block {
    void* data;
    std::size_t bytes;
  };
  std::mutex mutex_;
  std::vector<Block> blocks_;
  std::size_t cached_bytes_ = 0;
};

BlockCache& block_cache() {
  static BlockCache cache;
  return cache;
}

[[noreturn]] void out_of_memory(std::size_t bytes) {
  throw RuntimeError("there is no memory for a matrix of " + std::to_string(bytes) + " bytes");
}

}  // namespace

DeviceRecord::~DeviceRecord() = default;

Storage* Storage::create(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(INT64_MAX) / 2) out_of_memory(bytes);
  Storage* storage = nullptr;
  if (bytes < kPageBlockBytes) {
    // Header and data in one block.
    static_assert(sizeof(Storage) <= kSmallAlignment);
    const std::size_t whole = (kSmallAlignment + bytes + kSmallAlignment - 1) / kSmallAlignment * kSmallAlignment;
    void* block = std::aligned_alloc(kSmallAlignment, whole);
    if (block == nullptr) out_of_memory(bytes);
    storage = new (block) Storage(static_cast<char*>(block) + kSmallAlignment, bytes, 0);
  } else {
    std::size_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* header = std::malloc(sizeof(Storage));
    if (header == nullptr) out_of_memory(bytes);
    void* data = block_cache().take(whole, whole);
    if (data == nullptr) data = std::aligned_alloc(kAlignment, whole);
    if (data == nullptr) {
      std::free(header);
      out_of_memory(bytes);
    }
    storage = new (header) Storage(data, bytes, whole);
  }
#ifdef PB_CHECKED
  std::memset(storage->data_, 0, bytes);
#endif
  return storage;
}

void Storage::destroy() {
  // Acquire pairs with the releases of the other handles in release().
  (void)references_.load(std::memory_order_acquire);
  delete device_record.load(std::memory_order_relaxed);
  if (block_bytes_ != 0) block_cache().give(data_, block_bytes_);
  this->~Storage();
  std::free(this);
}

}  // namespace pbrt
