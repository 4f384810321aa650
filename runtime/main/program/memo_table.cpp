// SPDX-License-Identifier: MIT
#include "runtime/main/program/memo_table.h"

#include <map>
#include <mutex>

namespace pbrt {

struct MemoTable::State {
  std::mutex mutex;
  std::map<int, std::shared_ptr<const Entry>> entries;
};

MemoTable::MemoTable() : state_(std::make_unique<State>()) {}
MemoTable::~MemoTable() = default;

std::shared_ptr<const MemoTable::Entry> MemoTable::find(int transform) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const auto found = state_->entries.find(transform);
  return found == state_->entries.end() ? nullptr : found->second;
}

void MemoTable::put(int transform, std::shared_ptr<const Entry> entry) {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->entries[transform].swap(entry);
  }
  // The former entry is freed here, after the lock is released.
}

}  // namespace pbrt
