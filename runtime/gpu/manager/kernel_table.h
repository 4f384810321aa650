// SPDX-License-Identifier: MIT
// The built kernels of one device: per KernelDesc its variants (specialised by value), and which kernels the driver
// rejected. Manager thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/work_shape.h"
#include "runtime/gpu/units/matrix_units.h"

namespace pbrt::gpu {

/// Work-group shape that device and kernel allow: larger dimensions are halved first.
///
/// Post: every extent >= 1, product <= max_group_size
[[nodiscard]] std::array<std::size_t, 3> clamp_group(std::array<std::size_t, 3> group, const DeviceInfo& device,
                                                     std::size_t max_group_size);

/// Whether offsets and sums of products of indices and strides of the argument fit 32 bits, with a size's worth of
/// room. Kernels compute the place of a version in 64 bits, so only what lies within both counts.
[[nodiscard]] bool fits_32_bits(const LaunchRegion& region);

class KernelTable {
 public:
  struct Found {
    Kernel* kernel = nullptr;  ///< null: rejected
    bool is_generic = false;   ///< kMaxVariants was reached; a work-item has one instance, an instance one lane
    const std::string* new_log = nullptr;  ///< set when this call found out that the driver rejects it
  };

  /// The kernel for these arguments; builds it if needed.
  ///
  /// Errors: throws what Device::build throws, except BuildFailure
  ///
  /// `stage` is the number of the launch, from 1, if several groups run an instance together; else 0
  [[nodiscard]] Found find(Device& device, const LaunchPlan& plan, const WorkShape& shape, int stage = 0);
  /// Thrown where a kernel would have to be built, or the device be tried, and that must not be.
  struct NotKnown {};
  /// While `is_brief`, find() and matrix_units_of() throw NotKnown instead of asking the device.
  void set_brief(bool is_brief) { is_brief_ = is_brief; }
  /// Tells all tables that code with descriptions of kernels was unloaded, so that others may lie at their addresses.
  /// Threads: any
  static void note_unloaded_code() noexcept;
  /// How often that was.
  [[nodiscard]] static std::uint64_t num_unloadings() noexcept;
  /// The device's units for such products of matrices. The first call tries them.
  ///
  /// Errors: throws what find_matrix_units throws
  [[nodiscard]] MatrixUnits matrix_units_of(Device& device, Products products);
  void clear() {
    entries_.clear();
    exchange_.reset();
    units_of_doubles_.reset();
    units_of_floats_.reset();
  }

 private:
  /// The values that decide a build: 32-bit indices, unit strides, group, instances per work-item, lanes, stage,
  /// specialised scalars; and rounds, stages, units, lanes and panels of blocks. A kernel that is null is one that the
  /// driver rejected.
  using Key = std::vector<std::int64_t>;
  struct Entry {
    std::string text;                  ///< of the description, since another one may lie at its address later
    std::uint64_t num_unloadings = 0;  ///< when the text was last compared
    std::map<Key, std::unique_ptr<Kernel>> variants;
    std::unique_ptr<Kernel> generic;
    bool is_rejected = false;
    std::string log;
  };

  [[nodiscard]] Entry& entry_of(const KernelDesc& desc);
  static Key key_of(const LaunchPlan& plan, const WorkShape& shape, int stage);
  static std::string options_of(const KernelDesc& desc, const Key& key);
  [[nodiscard]] LaneExchange exchange_of(Device& device);

  void throw_if_brief() const {
    if (is_brief_) throw NotKnown();
  }

  bool is_brief_ = false;
  std::map<const KernelDesc*, Entry> entries_;
  std::optional<LaneExchange> exchange_;         ///< of the device, once a kernel has lanes
  std::optional<MatrixUnits> units_of_doubles_;  ///< likewise, once a kernel may use them
  std::optional<MatrixUnits> units_of_floats_;   ///< for split products, likewise
};

}  // namespace pbrt::gpu
