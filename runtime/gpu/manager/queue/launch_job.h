// SPDX-License-Identifier: MIT
// The data of one launch and of one wait, as they travel from a worker to the management thread. Private to
// runtime/gpu.
#pragma once

#include <array>
#include <atomic>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/kernel_desc.h"
#include "runtime/gpu/layout.h"
#include "runtime/gpu/manager/windows/launch_window.h"
#include "runtime/gpu/scalar_argument.h"
#include "runtime/gpu/storage_record.h"
#include "runtime/matrix/element_kind.h"
#include "runtime/sched/frame.h"

namespace pbrt::gpu {

/// What a launch has asked other managers for: to bring what is newer on their devices to the host. It is not asked
/// again before they have begun.
struct Wish {
  explicit Wish(std::shared_ptr<Registry> of) : asker(std::move(of)) {}
  /// Called by a manager that was asked, once it has begun the copies or found that none are needed; it then pokes the
  /// asker.
  void was_granted() { num_open.fetch_sub(1, std::memory_order_release); }  // pairs with is_open
  [[nodiscard]] bool is_open() const { return num_open.load(std::memory_order_acquire) != 0; }

  const std::shared_ptr<Registry> asker;
  std::atomic<int> num_open{0};
};

struct LaunchRegion {
  StorageRef storage;
  StorageRecord* record = nullptr;
  Residence* home = nullptr;       ///< what the launch's device has of the storage
  std::shared_ptr<Wish> wish;      ///< null: nothing was asked for
  OwnedView view;                  ///< the kernel's argument
  OwnedView touched;               ///< the part of it that the kernel reads or writes
  std::vector<OwnedView> written;  ///< parts of `touched` that may change; none: all of it, if it is written
  std::vector<OwnedView> read;     ///< likewise, for accesses that are watched
  bool is_argument = true;         ///< else it is a further part of an argument's storage that the kernel reads
  bool has_versions = false;       ///< a matrix of versions, as at_version gives it: only what is touched has memory
  bool is_read = false;
  bool is_written = false;
  CopyOut copy_out = CopyOut::May;
  ElementKind kind = ElementKind::Double;

  /// The parts that the kernel writes. Pre: the region is written.
  [[nodiscard]] std::span<const OwnedView> written_parts() const;
  /// Their boxes. Pre: the record's mutex is held, and the region is written.
  [[nodiscard]] BoxSet written_boxes() const;
};

/// Whether a launch of these regions may read what cells of `region` hold before it writes them: because it reads this
/// region, or because it reads the same cells through another one, as `Scale(v, v)` does. If it fails, or if somebody
/// else is to do its work, too, these contents are missed.
[[nodiscard]] bool is_changed_in_place(const LaunchRegion& region, std::span<const LaunchRegion> regions);

struct LaunchTile {
  int element_bytes = 0;
  std::vector<TileDim> dims;
};

struct LaunchPanel {
  LaunchTile cells;
  std::size_t contiguous = 0;  ///< the dimension whose rows are padded
};

/// Tells a fiber how its wait ended. It lies on the fiber's stack. The manager writes it before it wakes the fiber.
struct Outcome {
  bool ok = false;
  bool lacks_memory = false;  ///< it does not fit the device's memory; with fewer instances it may
  bool is_lost = false;       ///< it is not ok because an input was lost with a device
  std::string reason;
};

/// A fiber to wake, once.
struct WaitingFiber {
  Outcome* outcome = nullptr;
  std::optional<Waker> waker;

  void finish(bool ok, std::string reason = {}) {
    if (!waker) return;
    outcome->ok = ok;
    outcome->reason = std::move(reason);
    const Waker wake = *waker;
    waker.reset();
    wake.wake();
  }
};

/// What Launch collects. Moving it throws nothing, as moving a BoxSet.
struct LaunchPlan {  // NOLINT(bugprone-exception-escape): the check sees allocations of copies
  const KernelDesc* kernel = nullptr;
  std::vector<LaunchRegion> regions;
  boost::container::small_vector<ScalarArgument, 8> scalars;
  std::vector<LaunchTile> tiles;
  std::vector<LaunchPanel> panels;
  boost::container::small_vector<std::int32_t, 4> lo, extent;  ///< of the loops, the fastest first
  std::array<std::size_t, 3> group = {1, 1, 1};     ///< work-items of a group; a 0 leaves the choice to the manager
  std::array<std::size_t, 3> items = {1, 1, 1};     ///< instances of a work-item; likewise
  std::array<std::size_t, 3> margins = {0, 0, 0};   ///< instances at both ends of a group that other groups have, too
  std::size_t lanes = 1;                            ///< work-items that run one instance together; likewise
  std::size_t kept_rounds = 0;                      ///< the most rounds of which a work-item keeps cells
  std::array<std::size_t, 2> block_items = {0, 0};  ///< instances of a work-item where folds run in blocks; likewise
  std::size_t block_rounds = 0;                     ///< the most rounds of a block; 0: there are no blocks
  std::size_t block_stages = 0;                     ///< panels of an input; 0 leaves the choice to the manager
  std::size_t block_parts = 1;                      ///< ranges of rounds with groups of their own; likewise
  bool may_use_matrix_units = false;                ///< if device and kernel have what it takes
};

class Operation;

/// A launch of the device. Most executions of a kernel have one.
struct LaunchStage {
  Kernel* kernel = nullptr;
  KernelRange range;
  std::vector<std::int32_t> numbers = {};  ///< arguments of this launch, behind those that all launches have
};

/// The launches of a kernel execution, and what they need. Executions that are alike share it.
struct KernelChoice {
  std::vector<LaunchStage> stages;
  bool is_in_blocks = false;        ///< its folds run in blocks of rounds
  bool is_in_parts = false;         ///< and several groups divide the rounds of an instance among each other
  bool is_in_vectors = false;       ///< its work-items run neighbouring instances in vectors
  bool is_on_matrix_units = false;  ///< and matrix units run the rounds
  bool is_generic = false;          ///< its kernel is the one for all values
  bool is_clamped = false;          ///< its groups are not those that were wanted
  std::size_t scratch_bytes = 0;    ///< of the records that stages leave for later ones
  std::vector<std::size_t> tile_bytes;
  Halo halo = {};             ///< around what windows have of the matrices
  bool was_launched = false;  ///< all of it: drivers may compile at the first launch in groups of a shape
};
using ChoicePtr = std::shared_ptr<KernelChoice>;

/// What the tasks of one kernel execution have in common; only the manager's thread uses it.
struct LaunchJob {
  enum class Stage : std::uint8_t { Submitted, Prepared, Executing, Ended };

  LaunchPlan plan;
  WaitingFiber waiting;
  Stage stage = Stage::Submitted;
  bool only_prefetch = false;   ///< copies its regions in and launches nothing
  bool is_enqueued = false;     ///< the kernel may have changed device memory
  int num_copy_ins = 0;         ///< copy-in tasks that are not done
  bool has_late_reads = false;  ///< results to read back, beside other kernels, once this one has ended
  ChoicePtr choice;             ///< null until the kernel is chosen
  std::shared_ptr<Buffer> scratch;
  std::vector<LaunchWindow> windows;  ///< of storages that the job uses in buffers of its own
  boost::container::small_vector<Residence*, 8> pinned;
  /// Host memory that the kernel is about to use on a device that shares it: until the operation's own parts are noted.
  std::vector<std::unique_ptr<OperationPart>> claims;
  boost::container::small_vector<std::shared_ptr<Operation>, 2> operations;  ///< to wait for before the job ends

  /// The window of a storage; null if the job uses the storage's buffer.
  [[nodiscard]] LaunchWindow* window_of(const StorageRecord& record);
  [[nodiscard]] const LaunchWindow* window_of(const StorageRecord& record) const;
};

}  // namespace pbrt::gpu
