// SPDX-License-Identifier: MIT
#include "runtime/main/program/memo.h"

#include <cstring>
#include <memory>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/gpu/launch.h"
#include "runtime/main/program/memo_table.h"
#include "runtime/main/program/run_context.h"
#include "runtime/matrix/access_watch.h"
#include "runtime/sched/frame.h"

namespace pbrt {

namespace {

AnyMatrix copy_of(const RawView& view) {
  if (are_accesses_watched()) detail::check_view_access(view);
  AnyMatrix out = AnyMatrix::allocate(view.kind, view.num_dims, view.sizes);
  detail::copy_view(out.raw(), view);
  return out;
}

/// Whether both have the same shape and the same bytes. Pre: `view` is dense, as every whole matrix is.
bool is_same(const RawView& view, const AnyMatrix& matrix) {
  if (view.kind != matrix.kind() || view.num_dims != matrix.num_dims()) return false;
  for (int d = 0; d < view.num_dims; ++d)
    if (view.sizes[d] != matrix.size(d)) return false;
  const auto bytes = static_cast<std::size_t>(matrix.bytes());
  return bytes == 0 || std::memcmp(view.base, matrix.data(), bytes) == 0;
}

}  // namespace

bool MemoCall::find() {
  if (!is_whole_) return false;
  for (const gpu::RegionRef& key : keys_) need_on_host(frame_, key);
  const std::shared_ptr<const MemoTable::Entry> entry = frame_.context().memos().find(transform_);
  bool is_hit = entry != nullptr && entry->keys.size() == keys_.size();
  for (std::size_t i = 0; is_hit && i < keys_.size(); ++i) is_hit = is_same(keys_[i].view, entry->keys[i]);
  // An output may have another size although all inputs are the same.
  for (std::size_t i = 0; is_hit && i < outputs_.size(); ++i)
    for (int d = 0; d < outputs_[i].view.num_dims; ++d)
      is_hit = is_hit && outputs_[i].view.sizes[d] == entry->outputs[i].size(d);
  if (!is_hit) {
    for (const gpu::RegionRef& key : keys_) key_copies_.push_back(copy_of(key.view));
    return false;
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    before_host_overwrite(frame_, outputs_[i]);
    detail::copy_view(outputs_[i].view, entry->outputs[i].raw());
    if (!PB_FAULT(memo_result_is_not_announced)) wrote_on_host(outputs_[i]);
  }
  return true;
}

void MemoCall::store() {
  if (!is_whole_) return;
  auto entry = std::make_shared<MemoTable::Entry>();
  entry->keys = std::move(key_copies_);
  for (const gpu::RegionRef& output : outputs_) {
    need_on_host(frame_, output);
    entry->outputs.push_back(copy_of(output.view));
  }
  frame_.context().memos().put(transform_, std::move(entry));
}

}  // namespace pbrt
