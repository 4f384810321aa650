// SPDX-License-Identifier: MIT
// What program order says of each element of one storage, in programs of `pbc --checked-copies`: beside the residency
// table, which knows what has happened. A launch makes what it writes stale when it is enqueued; only an announcement
// of launch.h makes it fresh, however early the device is done. Used by launch.cpp, with the mutex of the storage's
// record held.
//
// Reads are looked at where they happen (runtime/matrix/access_watch.h). Writes are found by their values, by the next
// announcement or launch that concerns the element: so also those through pointers and foreign libraries, and a mutable
// handle may be read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "runtime/gpu/box_set.h"
#include "runtime/gpu/layout.h"
#include "runtime/matrix/access_watch.h"
#include "runtime/sched/rule_scope.h"

namespace pbrt::gpu {

class StorageRecord;

class AccessShadow final : public WatchedMemory {
 public:
  explicit AccessShadow(StorageRecord& record);

  /// A kernel of `rule` is about to read or write `view`.
  ///
  /// Errors: CopyError if the host wrote an element that the device has, and did not announce it
  void before_launch(const OwnedView& view, const RuleDesc& rule) const;
  /// The kernel was enqueued.
  void launched(const OwnedView& view, bool is_written, const RuleDesc& rule);

  /// need_on_host was called: `view` is on the host, except what the record says is newer on the device, by launches of
  /// others.
  void needed(const OwnedView& view);
  /// before_host_write was called, or with `is_void` before_host_overwrite: `view` is on the host, except what others
  /// made newer on the device, and the device has no further use for it.
  ///
  /// Errors: CopyError if the host has written an element that the device was using
  void quiet(const OwnedView& view, bool is_void);
  /// wrote_on_host was called.
  ///
  /// Errors: as quiet
  void written(const OwnedView& view);

  /// Says in words which element it is. Threads: any, without the record's mutex.
  [[nodiscard]] std::string describe(std::int64_t element) const override;

 private:
  /// Further flags of an element.
  static constexpr std::uint8_t kUsed = 2;   ///< a launch uses it, and no before_host_write came since
  static constexpr std::uint8_t kKnown = 4;  ///< the device has what `copy_` holds of it
  struct Launched {
    const RuleDesc* rule;
    OwnedView view;
    bool is_written;
  };

  /// Whether the host's element differs from what the device has of it.
  [[nodiscard]] bool differs(std::int64_t element) const;
  void keep(std::int64_t element);
  void check_unwritten(const OwnedView& view) const;
  /// Whether the record says, by element, that it is newer on the device.
  [[nodiscard]] std::vector<bool> newer_elements(const OwnedView& view) const;
  [[nodiscard]] std::string text_of_cell(std::int64_t element) const;
  [[nodiscard]] std::string name_of(std::int64_t element) const;
  [[nodiscard]] std::string box_text(const OwnedView& view) const;

  StorageRecord& record_;
  std::unique_ptr<std::byte[]> copy_;
  std::deque<Launched> launches_;  ///< the last ones
};

}  // namespace pbrt::gpu
