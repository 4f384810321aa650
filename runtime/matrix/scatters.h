// SPDX-License-Identifier: MIT
// What loops need that update or store cells at computed places (choicegraph/plan/computation.h, ScatterLoop). Used by
// generated code: bins of chunks (runtime/sched/loops/divided_bins.h), regions that ignore what is stored
// (runtime/sched/loops/divided_places.h), and, in checked programs, a test that rounds store to different cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/fold_operators.h"
#include "runtime/matrix/view.h"

namespace pbrt {

/// The bins of one output, which the loop updates by the operator `Op`.
template <class Op, class View>
class Bins {
 public:
  using Part = FoldPart<Op, typename View::Element>;
  static constexpr int kDims = View::kDims;
  /// Bins of a chunk, with the sizes of the output.
  using Own = BasicView<Part, kDims, true, true>;

  explicit Bins(const View& whole) : whole_(whole) {}

  [[nodiscard]] const View& whole() const { return whole_; }
  [[nodiscard]] std::int64_t num_cells() const { return whole_.count(); }
  [[nodiscard]] std::int64_t num_bytes() const { return num_cells() * static_cast<std::int64_t>(sizeof(Part)); }

  /// Gets memory for the bins of all chunks.
  void allocate(std::int64_t num_chunks) {
    num_chunks_ = num_chunks;
    stride_ = (num_cells() + kPerLine - 1) / kPerLine * kPerLine;
    parts_ = std::make_unique_for_overwrite<Part[]>(static_cast<std::size_t>(num_chunks * stride_));
  }

  /// Returns the bins of a chunk, with the values with which they begin. Chunks may call it side by side.
  [[nodiscard]] Own begin_chunk(std::int64_t number) const {
    Part* const cells = parts_.get() + number * stride_;
    each_row(0, num_cells(), [&](const typename View::Element* row, std::int64_t first, std::int64_t count) {
      for (std::int64_t x = 0; x < count; ++x)
        cells[first + x] = Op::start(static_cast<Part>(row[x * whole_.stride(0)]));
    });
    std::int64_t strides[View::kSlots] = {1};
    for (int d = 1; d < kDims; ++d) strides[d] = strides[d - 1] * whole_.size(d - 1);
    return Own(cells, whole_.sizes(), strides);
  }

  /// Takes the bins of all chunks, in their order, into the cells [lo, hi) of the output. Cells are numbered with the
  /// first dimension fastest.
  void combine(std::int64_t lo, std::int64_t hi) const {
    each_row(lo, hi, [&](typename View::Element* row, std::int64_t first, std::int64_t count) {
      for (std::int64_t x = 0; x < count; ++x) {
        Part all = static_cast<Part>(row[x * whole_.stride(0)]);
        for (std::int64_t chunk = 0; chunk < num_chunks_; ++chunk)
          Op::combine(all, parts_[static_cast<std::size_t>(chunk * stride_ + first + x)]);
        row[x * whole_.stride(0)] = static_cast<typename View::Element>(all);
      }
    });
  }

 private:
  /// So many cells begin no line of the caches that others write.
  static constexpr std::int64_t kPerLine = std::max<std::int64_t>(1, 64 / static_cast<std::int64_t>(sizeof(Part)));

  /// Calls `visit(address, number of its first cell, number of cells)` for each row of the output that has some of the
  /// cells [lo, hi).
  template <class Visit>
  void each_row(std::int64_t lo, std::int64_t hi, const Visit& visit) const {
    for (std::int64_t first = lo; first < hi;) {
      std::int64_t rest = first, offset = 0;
      for (int d = 0; d < kDims; ++d) {
        offset += rest % whole_.size(d) * whole_.stride(d);
        rest /= whole_.size(d);
      }
      const std::int64_t count = std::min(hi - first, whole_.size(0) - first % whole_.size(0));
      visit(whole_.address() + offset, first, count);
      first += count;
    }
  }

  View whole_;
  std::int64_t num_chunks_ = 0;
  std::int64_t stride_ = 0;  ///< of the bins of neighbouring chunks, in cells
  std::unique_ptr<Part[]> parts_;
};

/// A region to whose cells a loop stores. The region refuses to give the same cell twice.
template <class View>
class DistinctCells : public View {
 public:
  /// `name` is that of the region in the body.
  DistinctCells(const View& view, const char* name)
      : View(view), name_(name), stored_(static_cast<std::size_t>(view.count())) {}

  /// Notes that a round begins of the loop that has `depth` others of the nest around it.
  void begin_round(int depth, const char* variable, std::int64_t value) {
    if (depth >= detail::StoringRound::kMaxLoops) return;
    now_.variables[depth] = variable;
    now_.values[depth] = value;
    now_.num_loops = depth + 1;
  }

  template <class... I>
  requires(sizeof...(I) == View::kDims) [[nodiscard]] typename View::Element& cell(I... indices) {
    typename View::Element& out = View::cell(indices...);
    const std::int64_t at[] = {static_cast<std::int64_t>(indices)...};
    std::int64_t number = 0;
    for (int d = View::kDims - 1; d >= 0; --d) number = number * this->size(d) + at[d];
    std::optional<detail::StoringRound>& before = stored_[static_cast<std::size_t>(number)];
    if (before) detail::stored_twice(name_, at, View::kDims, *before, now_);
    before = now_;
    return out;
  }

 private:
  const char* name_;
  detail::StoringRound now_;
  std::vector<std::optional<detail::StoringRound>> stored_;  ///< by cell: the round that has stored to it
};

/// A region that ignores what a loop stores, which then only computes how far its places run.
template <class View>
class IgnoredCells : public View {
 public:
  /// Takes any value.
  struct Cell {
    template <class T>
    void operator=(const T&) const {}
  };

  explicit IgnoredCells(const View& view) : View(view) {}

  template <class... I>
  requires(sizeof...(I) == View::kDims) [[nodiscard]] Cell cell(I...) const { return {}; }
};

/// Values for cells that follow one another. They are kept before they are stored, so that whether a value counts is no
/// branch, which processors would often guess wrong.
template <class View>
class SomeCells {
 public:
  /// `may_wait`: no read of the loop sees what it stores.
  SomeCells(const View& view, bool may_wait) : view_(view), most_(may_wait ? kMost : 1) {}

  /// Adds a value for the place `at` and raises that, if it counts.
  template <class Place>
  [[gnu::always_inline]] void put(Place& at, typename View::Element value, bool counts) {
    values_[num_] = value;
    num_ += counts ? 1 : 0;
    at += counts ? 1 : 0;
    if (num_ == most_) flush(at);
  }

  /// Stores the values that count, up to the place `at`.
  template <class Place>
  void flush(Place at) {
    for (std::size_t i = 0; i < num_; ++i) view_.cell(at - static_cast<Place>(num_ - i)) = values_[i];
    num_ = 0;
  }

 private:
  static constexpr std::size_t kMost = 512;

  const View& view_;
  std::size_t most_;
  std::size_t num_ = 0;
  typename View::Element values_[kMost];
};

/// Nothing is stored, so nothing is kept.
template <class View>
class SomeCells<IgnoredCells<View>> {
 public:
  SomeCells(const IgnoredCells<View>&, bool) {}
  template <class Place, class T>
  [[gnu::always_inline]] void put(Place& at, const T&, bool counts) {
    at += counts ? 1 : 0;
  }
  template <class Place>
  void flush(Place) {}
};

/// Returns how many rounds and cells a loop over `num_rounds` that reads cells of these views probably looks at.
template <class... Views>
[[nodiscard]] std::int64_t likely_updates(std::int64_t num_rounds, const Views&... views) {
  return std::max<std::int64_t>({num_rounds, views.count()...});
}

}  // namespace pbrt
