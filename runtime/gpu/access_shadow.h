// SPDX-License-Identifier: MIT
// The state of each element of one storage by program order, in programs of `pbc --checked-copies`. The residency
// table, in contrast, knows what has really happened. A launch makes what it writes stale when it is enqueued. Only an
// announcement of launch.h makes it fresh again, however early the device is done. Used by launch.cpp, with the mutex
// of the storage's record held.
//
// Reads are checked where they happen (runtime/matrix/access_watch.h). A write is found by the changed value, at the
// next announcement or launch that concerns the element. So writes through pointers and by foreign libraries are found,
// too, and reading through a mutable handle is no fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/gpu/box_set.h"
#include "runtime/gpu/layout.h"
#include "runtime/matrix/access_watch.h"
#include "runtime/matrix/storage.h"
#include "runtime/sched/rule_records.h"

namespace pbrt::gpu {

class AccessShadow final : public WatchedMemory {
 public:
  /// Watches the memory of `storage`, whose elements have the coordinates of `layout`. `mutex` is the one of the
  /// storage's record. All three outlive the shadow.
  AccessShadow(Storage& storage, const Layout& layout, std::mutex& mutex);

  /// Called before a kernel of `rule` reads or writes `view`.
  ///
  /// Errors: CopyError if the host wrote an element that the device has, and did not announce it
  void before_launch(const OwnedView& view, const RuleDesc& rule) const;
  /// Called after the kernel was enqueued.
  void launched(const OwnedView& view, bool is_written, const RuleDesc& rule);

  /// Called by need_on_host: `view` is on the host, except for what is `newer` on the device, because of launches of
  /// other tasks.
  void needed(const OwnedView& view, const BoxSet& newer);
  /// Called by before_host_write, or, with `is_void`, by before_host_overwrite: `view` is on the host, except for what
  /// other tasks made `newer` on the device, and the device has no further use for it.
  ///
  /// Errors: CopyError if the host has written an element that the device was using
  void quiet(const OwnedView& view, const BoxSet& newer, bool is_void);
  /// Called by wrote_on_host.
  ///
  /// Errors: as quiet
  void written(const OwnedView& view);

  /// Called where a run is repeated: its launches are no more, and the host has what counts.
  void forget_launches();

  /// Says in words which element it is. Threads: any, without the record's mutex.
  [[nodiscard]] std::string describe(std::int64_t element) const override;

 private:
  /// Further flags of an element.
  static constexpr std::uint8_t kUsed = 2;   ///< a launch uses it, and no before_host_write came since
  static constexpr std::uint8_t kKnown = 4;  ///< the device has the value that `copy_` holds
  struct Launched {
    const RuleDesc* rule;
    OwnedView view;
    bool is_written;
  };

  /// Whether the host's element differs from the device's value of it.
  [[nodiscard]] bool differs(std::int64_t element) const;
  void keep(std::int64_t element);
  void check_unwritten(const OwnedView& view) const;
  /// For each element of the storage: whether it lies in `newer`; empty if none does.
  [[nodiscard]] std::vector<bool> newer_elements(const BoxSet& newer) const;
  [[nodiscard]] std::string text_of_cell(std::int64_t element) const;
  [[nodiscard]] std::string name_of(std::int64_t element) const;
  [[nodiscard]] std::string box_text(const OwnedView& view) const;

  Storage& storage_;
  const Layout& layout_;  ///< becomes finer as views of other shapes come
  std::mutex& record_mutex_;
  std::unique_ptr<std::byte[]> copy_;
  std::deque<Launched> launches_;  ///< the most recent launches
};

}  // namespace pbrt::gpu
