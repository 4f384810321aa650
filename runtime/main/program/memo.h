// SPDX-License-Identifier: MIT
// Results of memoized transforms (docs/reference/language.md 4.10). For each transform of a run the table holds copies
// of the last call's arguments and results. A call with the same arguments takes the results instead of running.
// Generated code uses the table through MemoCall. It belongs to the RunContext, so every run starts with an empty one.
//
// Entries never change once they are in the table; the lock is held only to take or replace one, never while
// contents are compared or copied, and never across a switch of fibers.
#pragma once

#include <memory>
#include <vector>

#include "runtime/gpu/region_ref.h"
#include "runtime/matrix/any_matrix.h"

namespace pbrt {

class Frame;

/// The stored calls of a run. Threads: any.
class MemoTable {
 public:
  struct Entry {
    std::vector<AnyMatrix> keys;  ///< inputs, and outputs that are read before they are written
    std::vector<AnyMatrix> outputs;
  };

  MemoTable();
  ~MemoTable();
  MemoTable(const MemoTable&) = delete;
  MemoTable& operator=(const MemoTable&) = delete;

  /// The entry of a transform; null if it was not called yet.
  [[nodiscard]] std::shared_ptr<const Entry> find(int transform) const;
  void put(int transform, std::shared_ptr<const Entry> entry);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

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
