// SPDX-License-Identifier: MIT
#include "runtime/matrix/storage.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/config/runtime_check.h"
#include "runtime/matrix/memory/mappings.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#endif

namespace pbrt {

namespace {

// Blocks from this size on are page aligned and kept for reuse: fresh pages cost a fault and
// zeroing each, which would be the larger part of a temporary matrix's cost.
constexpr std::size_t kPageBlockBytes = 4096;
constexpr std::size_t kSmallAlignment = 128;
// From this size on the system may put blocks on large pages. They are asked for where the configuration says so
// (docs/performance.md).
constexpr std::size_t kLargePageBytes = Storage::kLargePageBytes;
std::atomic<bool> asks_for_large_pages{false};
std::atomic<std::int64_t> num_large{0};

// Matrices of one size are often read side by side. On large pages their addresses would be the same in all bits that
// choose sets of caches and banks of memory: so each begins at another small page (Note [Blocks in step]).
constexpr std::size_t kNumStarts = 31;
std::size_t next_start() {
  static std::atomic<std::size_t> count{0};
  return count.fetch_add(1, std::memory_order_relaxed) % kNumStarts * Storage::kAlignment;
}

/// Whether a block of this size, if it is made now, goes on large pages.
bool wants_large_pages(std::size_t bytes) {
  return bytes >= kLargePageBytes && asks_for_large_pages.load(std::memory_order_relaxed);
}

/// A mapping of its own, for blocks of kLargePageBytes and more. In the heap, freed blocks of many sizes would leave
/// holes that the next ones do not fit (Note [Holes in the heap]), and what a block was advised would stay.
void* map_pages(std::size_t bytes, bool is_on_large_pages) {
  const std::size_t start = next_start();
  const std::size_t mapped = start + bytes;
  void* const found =
      ::mmap(nullptr, mapped + kLargePageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  char* const first = static_cast<char*>(found);
  const std::size_t before =
      (kLargePageBytes - reinterpret_cast<std::uintptr_t>(first) % kLargePageBytes) % kLargePageBytes;
  char* const base = first + before;
  // Giving back what alignment costs and asking may fail: then the block is as good, on more address space or small
  // pages.
  if (before > 0) (void)::munmap(first, before);
  (void)::munmap(base + mapped, kLargePageBytes - before);
  if (is_on_large_pages) (void)::madvise(base, mapped, MADV_HUGEPAGE);
  return base + start;
}

/// New memory for a large block, a multiple of Storage::kAlignment; null if there is none.
void* new_pages(std::size_t bytes, bool is_on_large_pages) {
  if (bytes < kLargePageBytes) return std::aligned_alloc(Storage::kAlignment, bytes);
  void* const data = map_pages(bytes, is_on_large_pages);
  if (data != nullptr) Mappings::add({static_cast<std::byte*>(data), bytes});
  return data;
}
void free_pages(void* data, std::size_t bytes) {
  if (bytes < kLargePageBytes) return std::free(data);
  Mappings::remove(static_cast<std::byte*>(data));
  const std::size_t start = reinterpret_cast<std::uintptr_t>(data) % kLargePageBytes;
  PBRT_CHECK(::munmap(static_cast<char*>(data) - start, start + bytes) == 0, "a large block is a mapping");
}

/// A list of freed large blocks, newest last.
class Blocks {
 public:
  struct Block {
    void* data;
    std::size_t bytes;
    bool is_on_large_pages;  ///< large pages were requested for it
  };

  Blocks(std::size_t max_blocks, std::size_t max_bytes) : max_blocks_(max_blocks), max_bytes_(max_bytes) {}
  ~Blocks() {
    for (const Block& block : blocks_) free_pages(block.data, block.bytes);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// A block of at least `bytes`, at most twice as large, on such pages; none, with null data, if there is none.
  Block take(std::size_t bytes, bool is_on_large_pages) {
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      const Block found = blocks_[i];
      if (found.bytes < bytes || found.bytes / 2 > bytes || found.is_on_large_pages != is_on_large_pages) continue;
      bytes_ -= found.bytes;
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      return found;
    }
    return {nullptr, 0, false};
  }
  /// Keeps the block. If there are too many, passes some to `pass_on`, perhaps this one.
  template <class PassOn>
  void give(Block block, PassOn pass_on) {
    if (block.bytes > max_bytes_) return pass_on(block);
    while (!blocks_.empty() && (bytes_ + block.bytes > max_bytes_ || blocks_.size() >= max_blocks_)) drop(pass_on);
    blocks_.push_back(block);
    bytes_ += block.bytes;
  }

  template <class PassOn>
  void clear(PassOn pass_on) {
    while (!blocks_.empty()) drop(pass_on);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void set_max_bytes(std::size_t bytes) { max_bytes_ = bytes; }

 private:
  template <class PassOn>
  void drop(PassOn pass_on) {
    bytes_ -= blocks_.front().bytes;
    pass_on(blocks_.front());
    blocks_.erase(blocks_.begin());
  }

  std::size_t max_blocks_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::vector<Block> blocks_;
};

// Blocks beyond this size are shared by all threads at once.
constexpr std::size_t kMaxThreadBytes = std::size_t{1} << 20;
constexpr std::size_t kMinSharedBytes = std::size_t{1} << 28;
// A recursion frees the temporaries of a call at once, some dozens.
constexpr std::size_t kMaxSharedBlocks = 256;
// At most one part in this many of the machine's memory is kept beyond kMinSharedBytes.
constexpr std::size_t kMemoryShare = 8;

std::size_t machine_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) : 0;
}

/// Large blocks that threads share. As many bytes are kept as blocks beyond kMaxThreadBytes are in use, since the
/// temporaries of a call are rarely more than its matrices. Kept blocks are given back before more memory is taken from
/// the system, so that keeping them never adds much to what a program needs at its peak.
class SharedBlocks {
 public:
  Blocks::Block take(std::size_t bytes, bool is_on_large_pages) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Blocks::Block found = blocks_.take(bytes, is_on_large_pages);
    if (found.data == nullptr && blocks_.bytes() > kMinSharedBytes) blocks_.clear(&free_block);
    return found;
  }
  void give(Blocks::Block block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (block.bytes > kMaxThreadBytes) used_bytes_ -= block.bytes;
    blocks_.set_max_bytes(std::max(kMinSharedBytes, std::min(used_bytes_, memory_bytes_ / kMemoryShare)));
    blocks_.give(block, &free_block);
  }
  void free_all() {
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_.clear(&free_block);
  }
  /// Notes that a block is in use from now on, until it is given.
  void begin_use(std::size_t bytes) {
    if (bytes <= kMaxThreadBytes) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    used_bytes_ += bytes;
  }

 private:
  static void free_block(Blocks::Block block) { free_pages(block.data, block.bytes); }

  const std::size_t memory_bytes_ = machine_memory_bytes();
  std::mutex mutex_;
  Blocks blocks_{kMaxSharedBlocks, kMinSharedBytes};
  std::size_t used_bytes_ = 0;
};
SharedBlocks& shared_blocks() {
  static SharedBlocks shared;
  return shared;
}

/// Freed blocks of one thread, for the temporaries of its calls. A block may have been made by another thread. Small
/// blocks that are too many go back to the heap, large ones to all threads.
class ThreadBlocks {
 public:
  ThreadBlocks() = default;
  ~ThreadBlocks() {
    for (List& list : small_) {
      while (list.first != nullptr) std::free(list.pop());
    }
    is_gone_ = true;
  }
  ThreadBlocks(const ThreadBlocks&) = delete;
  ThreadBlocks& operator=(const ThreadBlocks&) = delete;

  /// A block of `bytes`, a multiple of kSmallAlignment and at most kMaxSmallBytes; null if there is no memory.
  static void* take_small(std::size_t bytes) {
    if (!is_gone_) {
      List& list = of_thread().small_[bytes / kSmallAlignment];
      if (list.first != nullptr) {
        ASAN_UNPOISON_MEMORY_REGION(list.first, bytes);
        return list.pop();
      }
    }
    return std::aligned_alloc(kSmallAlignment, bytes);
  }
  static void give_small(void* block, std::size_t bytes) {
    if (is_gone_) return std::free(block);
    List& list = of_thread().small_[bytes / kSmallAlignment];
    if (list.size == kMaxSmallBlocks) return std::free(block);
    list.push(block);
    ASAN_POISON_MEMORY_REGION(static_cast<char*>(block) + sizeof(FreeBlock), bytes - sizeof(FreeBlock));
  }

  /// A block of at least `bytes`, a multiple of Storage::kAlignment; with null data if there is no memory.
  static Blocks::Block take_large(std::size_t bytes) {
    const bool is_large = wants_large_pages(bytes);
    if (!is_gone_) {
      if (const Blocks::Block found = of_thread().large_.take(bytes, is_large); found.data != nullptr) return found;
    }
    Blocks::Block block = shared_blocks().take(bytes, is_large);
    if (block.data == nullptr) block = {new_pages(bytes, is_large), bytes, is_large};
    if (block.data == nullptr) {
      shared_blocks().free_all();
      block.data = new_pages(bytes, is_large);
    }
    if (block.data != nullptr) shared_blocks().begin_use(block.bytes);
    return block;
  }
  static void give_large(Blocks::Block block) { is_gone_ ? share(block) : of_thread().large_.give(block, &share); }

  static constexpr std::size_t kMaxSmallBytes = kSmallAlignment + kPageBlockBytes;

 private:
  static constexpr int kMaxSmallBlocks = 32;
  struct FreeBlock {
    FreeBlock* next;
  };
  struct List {
    FreeBlock* first = nullptr;
    int size = 0;
    void push(void* block) {
      first = new (block) FreeBlock{first};
      ++size;
    }
    void* pop() {
      --size;
      return std::exchange(first, first->next);
    }
  };

  static void share(Blocks::Block block) { shared_blocks().give(block); }
  // The calling thread's blocks. Only functions that no caller sees through call this, because a fiber may be on
  // another thread at its next call.
  static ThreadBlocks& of_thread() {
    static thread_local ThreadBlocks blocks;
    return blocks;
  }
  /// Whether the thread's blocks are destroyed; matrices may live longer.
  static thread_local bool is_gone_;

  List small_[kMaxSmallBytes / kSmallAlignment + 1];
  Blocks large_{8, kMaxThreadBytes};
};
thread_local bool ThreadBlocks::is_gone_ = false;

/// Size of a block that holds header and data together.
constexpr std::size_t small_block_bytes(std::size_t bytes) {
  return (kSmallAlignment + bytes + kSmallAlignment - 1) / kSmallAlignment * kSmallAlignment;
}

[[noreturn]] void out_of_memory(std::size_t bytes) {
  throw MemoryError("there is no memory for a matrix of " + std::to_string(bytes) + " bytes");
}

}  // namespace

DeviceRecord::~DeviceRecord() = default;

std::int64_t Storage::num_large_blocks() { return num_large.load(std::memory_order_relaxed); }

void Storage::ask_for_large_pages(bool asks) { asks_for_large_pages.store(asks, std::memory_order_relaxed); }

Storage* Storage::create(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(INT64_MAX) / 2) out_of_memory(bytes);
  Storage* storage = nullptr;
  if (bytes < kPageBlockBytes) {
    // Header and data in one block.
    static_assert(sizeof(Storage) <= kSmallAlignment);
    void* block = ThreadBlocks::take_small(small_block_bytes(bytes));
    if (block == nullptr) out_of_memory(bytes);
    storage = new (block) Storage(static_cast<char*>(block) + kSmallAlignment, bytes);
  } else {
    void* header = ThreadBlocks::take_small(kSmallAlignment);
    if (header == nullptr) out_of_memory(bytes);
    if (bytes >= kLargePageBytes) num_large.fetch_add(1, std::memory_order_relaxed);  // a count alone: orders nothing
    const Blocks::Block block = ThreadBlocks::take_large((bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (block.data == nullptr) {
      ThreadBlocks::give_small(header, kSmallAlignment);
      out_of_memory(bytes);
    }
    storage = new (header) Storage(block.data, bytes);
    storage->block_bytes_ = block.bytes;
    storage->is_on_large_pages_ = block.is_on_large_pages;
  }
  return storage;
}

Storage* Storage::refer_to(void* data, std::size_t bytes) {
  void* header = ThreadBlocks::take_small(kSmallAlignment);
  if (header == nullptr) out_of_memory(kSmallAlignment);
  auto* storage = new (header) Storage(data, bytes);
  storage->is_foreign_ = true;
  return storage;
}

void Storage::destroy() {
  // Acquire pairs with the releases of the other handles in release().
  (void)references_.load(std::memory_order_acquire);
  delete device_record.load(std::memory_order_relaxed);
  const bool has_data_behind = block_bytes_ == 0 && !is_foreign_;
  const std::size_t block_bytes = has_data_behind ? small_block_bytes(bytes_) : kSmallAlignment;
  if (block_bytes_ != 0) ThreadBlocks::give_large({data_, block_bytes_, is_on_large_pages_});
  this->~Storage();
  ThreadBlocks::give_small(this, block_bytes);
}

}  // namespace pbrt

// Note [Blocks in step]
//
// Most of a stencil's time may depend on where its matrices begin. On a 16-core Xeon, loops by hand over matrices of 32
// MiB, all of them on large pages and aligned to those, take 2.8 (one dimension, in and out), 3.0 (three dimensions)
// and 8 times (a reaction: two in, two out) as long as with starts that differ by a page and a bit; on small pages,
// which the system scatters, 1.0 to 1.3 times. Virtual addresses alone do not do it: small pages at equal offsets are
// fast.

// Note [Holes in the heap]
//
// Calls whose sizes vary make and free blocks of all sizes, on several threads. From the heap, a process that called on
// and on (16 tasks with 48 bytes per element of up to a million, each time others, four threads) grew from 340 to 576
// MB in 2000 runs and went on; with mappings of their own for blocks of 2 MiB and more it stays within 330 to 360: what
// is in use and what is kept.
