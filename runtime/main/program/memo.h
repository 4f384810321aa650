// SPDX-License-Identifier: MIT
// Calls of memoized transforms (docs/reference/language.md 4.10), for generated code. A call with the same arguments as
// the last one takes the results from the run's table (memo_table.h) instead of running.
#pragma once

#include <vector>

#include "runtime/gpu/region_ref.h"
#include "runtime/matrix/any_matrix.h"

namespace pbrt {

class Frame;

/// A call of a memoized transform. It borrows the handles, which live as long as the call.
class MemoCall {
 public:
  /// A call of the transform with this index in the program.
  MemoCall(Frame& frame, int transform) : frame_(frame), transform_(transform) {}

  template <class Region>
  void input(const Region& region) {
    add(keys_, region);
  }
  /// Adds an output. `is_read`: the results depend on what it holds before the call.
  template <class Region>
  void output(const Region& region, bool is_read) {
    add(outputs_, region);
    if (is_read) keys_.emplace_back(region);
  }

  /// True if the outputs were taken from the last call. Only calls whose arguments are all whole matrices count.
  [[nodiscard]] bool find();
  /// Keeps the results of the call, after the transform ran.
  void store();

 private:
  template <class Region>
  void add(std::vector<gpu::RegionRef>& list, const Region& region) {
    list.emplace_back(region);
    if constexpr (Region::kDims > 0) is_whole_ = is_whole_ && region.isEntireBuffer();
  }

  Frame& frame_;
  int transform_;
  bool is_whole_ = true;
  std::vector<gpu::RegionRef> keys_, outputs_;
  std::vector<AnyMatrix> key_copies_;  ///< taken before the transform runs
};

}  // namespace pbrt
