// SPDX-License-Identifier: MIT
// One block of host memory that matrix handles share, with a place for what the GPU side knows about it. It has no
// element type and no sizes, because those belong to the handles. Used by matrix handles (region_handle.h) and by
// runtime/gpu.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pbrt {

/// The data that runtime/gpu keeps about one storage: buffers, versions, pending copies. Owned by the storage.
struct DeviceRecord {
  DeviceRecord() = default;
  DeviceRecord(const DeviceRecord&) = delete;
  DeviceRecord& operator=(const DeviceRecord&) = delete;
  virtual ~DeviceRecord();
};

/// Reference-counted host memory. From 4096 bytes on it is aligned to 4096, so that an OpenCL
/// device that shares memory with the host can use the pages themselves; below, to 128.
///
/// Threads: retain and release from any thread; the content is the business of the tasks.
class Storage {
 public:
  static constexpr std::size_t kAlignment = 4096;
  /// Only blocks from this size on may be on large pages.
  static constexpr std::size_t kLargePageBytes = std::size_t{1} << 21;

  /// Makes storage of `bytes` bytes with one reference, for the caller.
  ///
  /// Post:    content undefined
  /// Errors:  RuntimeError if there is not so much memory
  [[nodiscard]] static Storage* create(std::size_t bytes);
  /// Makes storage for `bytes` bytes at `data`, which belong to somebody else and live longer than the storage.
  ///
  /// Errors:  MemoryError if there is no memory for the storage itself
  [[nodiscard]] static Storage* refer_to(void* data, std::size_t bytes);

  /// Sets whether blocks of 2 MiB and more that are made from now on ask the system for large pages; at first they do
  /// not. Blocks that are in use or kept for reuse stay what they are; kept ones wait for a request for their kind.
  static void ask_for_large_pages(bool asks);
  /// The number of blocks of kLargePageBytes and more that were taken so far, new ones and kept ones.
  [[nodiscard]] static std::int64_t num_large_blocks();

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Whether the memory is a block of the runtime that this storage has for itself, of pages that belong to no file.
  [[nodiscard]] bool has_block() const { return block_bytes_ != 0; }

  // Relaxed: a new reference is made from one that the caller holds.
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  /// Takes a reference without holding one, when the caller knows that the memory is still there. Returns false if the
  /// storage is being destroyed.
  [[nodiscard]] bool try_retain() {
    std::int64_t count = references_.load(std::memory_order_relaxed);
    while (count != 0)
      if (references_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
    return false;
  }
  // Release pairs with the acquire before destruction: all uses happen before the memory goes.
  void release() {
    if (references_.fetch_sub(1, std::memory_order_release) == 1) destroy();
  }

  /// 0 if the storage never was on a device, so that host accesses cost one relaxed load. Other values are
  /// runtime/gpu's.
  std::atomic<std::uint32_t> device_state{0};
  /// The record of runtime/gpu, which sets it once; deleted with the storage.
  std::atomic<DeviceRecord*> device_record{nullptr};

 private:
  Storage(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  ~Storage() = default;
  void destroy();

  void* data_;
  std::size_t bytes_;
  std::size_t block_bytes_ = 0;  ///< size of a block of its own; 0: data follows the header, or is foreign
  bool is_on_large_pages_ = false;
  bool is_foreign_ = false;  ///< the memory belongs to somebody else
  std::atomic<std::int64_t> references_{1};
};

/// Owning handle of a Storage, possibly null. The result of `borrowed()` owns nothing: it may be passed to a function
/// that is done before the handle goes that it was taken from. Copies of it, and what it is moved to, own again.
class StorageRef {
 public:
  StorageRef() = default;
  /// Takes over the caller's reference.
  static StorageRef adopt(Storage* storage) { return StorageRef(reinterpret_cast<std::uintptr_t>(storage)); }
  StorageRef(const StorageRef& other) : bits_(other.bits_ & ~kBorrowed) {
    if (bits_ != 0) get()->retain();
  }
  StorageRef(StorageRef&& other) noexcept : bits_(other.bits_) {
    if (bits_ & kBorrowed) {
      bits_ &= ~kBorrowed;
      if (bits_ != 0) get()->retain();
    } else {
      other.bits_ = 0;
    }
  }
  StorageRef& operator=(const StorageRef& other) {
    StorageRef copy(other);
    swap(copy);
    return *this;
  }
  StorageRef& operator=(StorageRef&& other) noexcept {
    StorageRef moved(static_cast<StorageRef&&>(other));
    swap(moved);
    return *this;
  }
  ~StorageRef() {
    if ((bits_ & kBorrowed) == 0 && bits_ != 0) get()->release();
  }

  [[nodiscard]] StorageRef borrowed() const { return StorageRef(bits_ | kBorrowed); }
  [[nodiscard]] Storage* get() const { return reinterpret_cast<Storage*>(bits_ & ~kBorrowed); }
  void swap(StorageRef& other) noexcept {
    const std::uintptr_t mine = bits_;
    bits_ = other.bits_;
    other.bits_ = mine;
  }

 private:
  static constexpr std::uintptr_t kBorrowed = 1;
  explicit StorageRef(std::uintptr_t bits) : bits_(bits) {}

  std::uintptr_t bits_ = 0;  ///< address, and whether it is borrowed
};

}  // namespace pbrt
