// SPDX-License-Identifier: MIT
// Results of memoized transforms (docs/reference/language.md 4.10). For each transform of a run the table holds copies
// of the last call's arguments and results. It belongs to the RunContext, so every run starts with an empty one. Calls
// use it through MemoCall (memo.h).
//
// Entries never change once they are in the table; the lock is held only to take or replace one, never while
// contents are compared or copied, and never across a switch of fibers.
#pragma once

#include <memory>
#include <vector>

#include "runtime/matrix/any_matrix.h"

namespace pbrt {

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

}  // namespace pbrt
