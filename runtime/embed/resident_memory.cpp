// SPDX-License-Identifier: MIT
#include "runtime/embed/resident_memory.h"

#include <iterator>
#include <mutex>

#include "runtime/config/errors.h"

namespace pbrt {

AnyMatrix ResidentMemory::add(ElementKind kind, int num_dims, const IndexT* sizes) {
  AnyMatrix matrix = AnyMatrix::allocate(kind, num_dims, sizes);
  if (matrix.bytes() == 0) return matrix;  // nobody can tell where nothing is
  const std::unique_lock guard(lock_);
  matrices_.emplace(static_cast<const char*>(matrix.data()), matrix);
  // Relaxed: who has the matrix from here has synchronized with this thread.
  num_.store(matrices_.size(), std::memory_order_relaxed);
  return matrix;
}

bool ResidentMemory::remove(const void* data) {
  AnyMatrix removed;  // goes without the lock
  const std::unique_lock guard(lock_);
  const auto found = matrices_.find(static_cast<const char*>(data));
  if (found == matrices_.end()) return false;
  removed = std::move(found->second);
  matrices_.erase(found);
  num_.store(matrices_.size(), std::memory_order_relaxed);
  return true;
}

AnyMatrix ResidentMemory::find(const char* begin, const char* end) const {
  // Relaxed: as in add.
  if (begin == end || num_.load(std::memory_order_relaxed) == 0) return {};
  const std::shared_lock guard(lock_);
  const auto after = matrices_.lower_bound(end);  // the first that begins behind the bytes
  if (after == matrices_.begin()) return {};
  const auto& [first, matrix] = *std::prev(after);
  const char* const last = first + matrix.bytes();
  if (last <= begin) return {};
  if (begin < first || last < end) throw UserError("a matrix lies partly in memory of pb_matrix_create");
  return matrix;
}

}  // namespace pbrt
