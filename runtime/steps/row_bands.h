// SPDX-License-Identifier: MIT
// Steps in bands of rows: tasks make the rows of temporaries that they read themselves, and nothing stores the
// temporaries (docs/decisions/0063-tasks-make-bands-of-temporaries.md). Rows are what lies at one index of the last
// dimension of a temporary. Only generated code includes this.
//
//   const auto Rows = pbrt::without_memory<MatrixRegion<double, 2>>(w, h);
//   pbrt::run_bands<1>(frame, {{box.lo[1]}, {box.hi[1]}}, {pbrt::band_rows(Rows, 0, 7)}, [&](Frame& task, auto& band) {
//     const auto rows = band.matrix(0, Rows);
//     make(task, rows, band.made(0, 1, box_of_maker));
//     read(task, rows, band.part(1, box));
//   });
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/loop_forms.h"
#include "runtime/matrix/blocks/block_sizes.h"
#include "runtime/matrix/new_contents.h"
#include "runtime/matrix/region_handle.h"
#include "runtime/sched/loops/parallel_for.h"

namespace pbrt {

/// What a row of the reader needs of a temporary: the rows from `lo` to before `hi` beside it.
struct BandRows {
  std::int64_t lo, hi;
  std::int64_t row_bytes;

  /// The rows that two neighbours need, both.
  [[nodiscard]] constexpr std::int64_t num_shared() const { return hi - lo - 1; }
};

/// The temporaries of a call that may be made in bands.
struct BandedSizes {
  std::int64_t num_rows;    ///< of the first one
  std::int64_t num_shared;  ///< the most rows that neighbours both need of one
  std::int64_t bytes;       ///< of all
};

/// Temporaries of fewer bytes are stored by default: second-level caches hold most of them.
inline constexpr std::int64_t kMinBandedBytes = std::int64_t{1} << 22;

/// Whether steps run in bands, by a pb::SizeRule as a number: by default if the temporaries are large, and have rows
/// for long tasks of all workers. Never if the user wants to see which cells nothing wrote.
[[nodiscard]] bool runs_in_bands(const Frame& frame, std::int64_t rule, const BandedSizes& sizes);

/// Returns how many rows of the reader a band has: what it needs of all temporaries lies in a second-level cache of
/// `cache_bytes`, unless it then were mostly rows that the band before needed, too.
[[nodiscard]] std::int64_t band_height(const BandRows* rows, std::size_t num, std::int64_t cache_bytes);

/// Returns how many rows of the reader a task has at least, if there are so many; it has at most twice as many. They
/// are few enough for all workers, and many beside the rows that each task makes anew, because its first row needs them
/// as well as the row before.
[[nodiscard]] std::int64_t rows_of_task(const BandRows* rows, std::size_t num, std::int64_t num_rows, int num_workers);

/// Returns a handle of a matrix of these sizes that has no memory: its rows will be elsewhere.
template <class Region, class... I>
[[nodiscard]] Region without_memory(I... sizes) {
  const IndexT wanted[] = {detail::extent_of(sizes)...};
  std::int64_t strides[Region::kDims];
  std::int64_t count = 1;
  for (int d = 0; d < Region::kDims; ++d) {
    strides[d] = count;
    count *= wanted[d];
  }
  return Region(StorageRef(), typename Region::ViewType(nullptr, wanted, strides));
}

/// Returns what a row of the reader needs of the temporary.
template <class Region>
[[nodiscard]] BandRows band_rows(const Region& matrix, std::int64_t lo, std::int64_t hi) {
  return {lo, hi,
          static_cast<std::int64_t>(sizeof(typename Region::Element)) * matrix.view().stride(Region::kDims - 1)};
}

/// The rows of a task, band by band, with memory for K temporaries. A band keeps the rows that it shares with the one
/// before.
template <std::size_t K>
class Band {
 public:
  /// Pre: rows is not empty, height >= 1
  Band(const std::array<BandRows, K>& needs, const Box<1>& rows, std::int64_t height)
      : needs_(needs), end_(rows.hi[0]), height_(std::min(height, rows.extent(0))), lo_(rows.lo[0]), hi_(rows.lo[0]) {
    for (std::size_t k = 0; k < K; ++k) {
      const std::int64_t bytes = (height_ + needs[k].num_shared()) * needs[k].row_bytes;
      memory_[k] = StorageRef::adopt(Storage::create(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))));
    }
  }

  /// Goes to the next band; false if there is none.
  [[nodiscard]] bool next() {
    is_first_ = hi_ == lo_;
    const std::int64_t done = hi_ - lo_;
    if (hi_ == end_) return false;
    lo_ = hi_;
    hi_ = std::min(lo_ + height_, end_);
    for (std::size_t k = 0; k < K && !is_first_; ++k) {
      auto* const first = static_cast<std::byte*>(memory_[k].get()->data());
      const std::int64_t bytes = needs_[k].row_bytes;
      std::memmove(first, first + done * bytes, static_cast<std::size_t>(needs_[k].num_shared() * bytes));
    }
    return true;
  }

  /// The temporary, of which the band's rows have memory. It is borrowed.
  template <class Region>
  [[nodiscard]] Region matrix(std::size_t k, const Region& whole) const {
    constexpr int kLast = Region::kDims - 1;
    using Element = typename Region::Element;
    auto* const first = static_cast<Element*>(memory_[k].get()->data());
    return Region::lent_by(
        memory_[k], typename Region::ViewType(first - (lo_ + needs_[k].lo) * whole.view().stride(kLast), whole.sizes(),
                                              whole.multipliers()));
  }
  /// The part of a maker's box that makes rows of temporary `k` which are not there yet. Rows are the box's dimension
  /// `dim`.
  template <int N>
  [[nodiscard]] Box<N> made(std::size_t k, int dim, Box<N> box) const {
    const std::int64_t shared = is_first_ ? 0 : needs_[k].num_shared();
    box.lo[dim] = std::max(box.lo[dim], lo_ + needs_[k].lo + shared);
    box.hi[dim] = std::min(box.hi[dim], hi_ + needs_[k].hi - 1);
    return box;
  }
  /// The part of the reader's box that is in the band.
  template <int N>
  [[nodiscard]] Box<N> part(int dim, Box<N> box) const {
    box.lo[dim] = lo_;
    box.hi[dim] = hi_;
    return box;
  }

 private:
  std::array<BandRows, K> needs_;
  std::array<StorageRef, K> memory_;
  std::int64_t end_, height_;
  std::int64_t lo_, hi_;
  bool is_first_ = true;
};

/// Runs the reader's rows in bands, and waits for them: `f(Frame&, const Band<K>&)` makes what a band needs and is not
/// there yet, then runs the band. Bands of a task follow one another; tasks run in parallel.
///
/// Errors: rethrows the first exception of a task
template <std::size_t K, class F>
void run_bands(Frame& frame, const Box<1>& rows, const std::array<BandRows, K>& needs, const F& f) {
  if (rows.is_empty()) return;
  const std::int64_t height = band_height(needs.data(), K, simd::second_cache_bytes());
  const std::int64_t split = rows_of_task(needs.data(), K, rows.extent(0), frame.num_workers());
  // Pieces have at least half of what is said here, unless there are fewer rows.
  parallel_for(frame, rows, 2 * split, [&](Frame& task, const Box<1>& part) {
    for (Band<K> band(needs, part, height); band.next();) f(task, static_cast<const Band<K>&>(band));
  });
}

}  // namespace pbrt
