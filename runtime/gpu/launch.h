// SPDX-License-Identifier: MIT
// What generated code needs to run a kernel on a device and to keep host and device copies of a matrix
// consistent. Light: no threads, no OpenCL. The kernel's parameter list is fixed here, see Note [Kernel parameters].
//
//   pbrt::gpu::Launch launch(kKernel_Convolve2D_0_basic, pb_frame, ctx.gpu());
//   launch.output(Out, box, pbrt::gpu::CopyOut::May).input(In).input(Kernel)
//         .scalar(w).scalar(h).scalar(KWIDTH).range(box).group(ctx.tunable_array(kTunable_wg), 2);
//   if (!ctx.run(launch, site, alternative)) { /* CPU version */ }
//
// Around host code, whether or not a device exists (a branch when the run has none, a load when the storage never was
// there):
//   need_on_host(frame, In);            before reading
//   before_host_write(frame, Out);      before writing, also if only some cells of the part are written
//   before_host_overwrite(frame, Out);  instead, if all are
//   … host code …
//   wrote_on_host(frame, Out);          afterwards: device copies of that part are stale
//
// These are announcements. The invariant: a host access of a cell comes after the last device write of it in program
// order, and is announced between that write and the next device use. So an announcement stands after every launch that
// precedes the host code, and before every launch that follows it. Announcements stand around a whole step if none of
// its instances may call a transform; else they stand around each slice, point or instance
// (clgen/lower/analysis/host_care.h). `pbc --checked-copies` makes programs that check this (access_shadow.h). An
// announcement may name more than what is accessed, except for before_host_overwrite. Tasks that run at the same time
// may launch kernels on other cells of what it names; what they make newer on a device stays newer there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "runtime/config/kernel_prelude.h"
#include "runtime/gpu/bordered_box.h"
#include "runtime/gpu/kernel_desc.h"
#include "runtime/gpu/region_ref.h"
#include "runtime/gpu/scalar_argument.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/loops/box.h"

namespace pbrt {

/// Returns a handle of the cells with indices in `box`.
template <class Region, int N>
[[nodiscard]] Region part_of(const Region& region, const Box<N>& box) {
  return [&]<int... D>(std::integer_sequence<int, D...>) {
    return region.region(static_cast<IndexT>(box.lo[D])..., static_cast<IndexT>(box.hi[D])...);
  }
  (std::make_integer_sequence<int, N>());
}

/// As part_of, but an empty box may lie anywhere.
template <class Region, int N>
[[nodiscard]] Region part_or_none(const Region& region, const Box<N>& box) {
  return part_of(region, box.is_empty() ? Box<N>{} : box);
}

/// The part of `box` that lies in the matrix; if it lies beside the matrix, an empty box at the matrix's border.
template <class Region, int N>
[[nodiscard]] Box<N> inside(const Region& region, Box<N> box) {
  for (int d = 0; d < N; ++d) {
    box.lo[d] = std::clamp<std::int64_t>(box.lo[d], 0, region.size(d));
    box.hi[d] = std::clamp<std::int64_t>(box.hi[d], box.lo[d], region.size(d));
  }
  return box;
}

/// Runs `function` on handles of the parts that are read.
template <class Region, int N, class F>
void for_each_part(const Region& region, const BorderedBox<N>& read, const F& function) {
  std::int64_t sizes[N];
  for (int d = 0; d < N; ++d) sizes[d] = region.size(d);
  for_each_read(read, sizes, [&](const Box<N>& box) { function(part_of(region, box)); });
}

}  // namespace pbrt

namespace pbrt::gpu {

class Manager;
class ManagerSet;
struct LaunchRequest;

/// The devices that a launch may use: one, or those of a run, which outlive the launch and of which run() chooses one
/// (several/manager_set.h). Both may be null.
struct LaunchDevices {
  LaunchDevices(Manager* one) : manager(one) {}
  LaunchDevices(const ManagerSet* of_run) : set(of_run) {}
  Manager* manager = nullptr;
  const ManagerSet* set = nullptr;
};

/// One execution of a kernel. Arguments are given in the order of the kernel's parameters.
class Launch {
 public:
  /// Without a device, run() fails with the reason.
  Launch(const KernelDesc& kernel, Frame& frame, LaunchDevices devices);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  /// A region that the kernel reads. `read`: the part it reads, a view of the same storage; default the whole view.
  Launch& input(const RegionRef& view) { return add_region(view, view, kRead, CopyOut::May); }
  Launch& input(const RegionRef& view, const RegionRef& read) { return add_region(view, read, kRead, CopyOut::May); }

  /// A region that the kernel reads in several parts, because borders map what lies outside of it.
  template <class Region, int N>
  PB_COLD Launch& input(const Region& view, const BorderedBox<N>& read);

  /// A region of which the kernel writes *every* cell of `written` and reads none. Another region may be the same
  /// matrix, as in `Scale(v, v)`: then an instance may read, of what is written, what it writes itself.
  Launch& output(const RegionRef& view, CopyOut copy_out) { return add_region(view, view, kWrite, copy_out); }
  Launch& output(const RegionRef& view, const RegionRef& written, CopyOut copy_out) {
    return add_region(view, written, kWrite, copy_out);
  }
  template <class Region, int N>
  PB_COLD Launch& output(const Region& view, const Box<N>& written, CopyOut copy_out);

  /// A region that the kernel may read and may write: its earlier contents are copied in (rules that may leave cells
  /// unchanged).
  Launch& inout(const RegionRef& view, CopyOut copy_out) { return add_region(view, view, kRead | kWrite, copy_out); }
  Launch& inout(const RegionRef& view, const RegionRef& touched, CopyOut copy_out) {
    return add_region(view, touched, kRead | kWrite, copy_out);
  }

  /// A region that the kernel may read and may write, of which only the cells in `written` change: steps that run
  /// beside may write the others.
  template <class Region, int N>
  PB_COLD Launch& inout(const Region& view, std::initializer_list<Box<N>> written, CopyOut copy_out);

  /// A further part of the storage of the region that was given last, which the kernel reads.
  Launch& also_reads(const RegionRef& view, const RegionRef& read);

  /// Says that the kernel reads no more than `part` of the region that was given last, for runs whose accesses are
  /// watched. This does not change what is copied in.
  Launch& reads(const RegionRef& part);
  template <class Region, int N>
  PB_COLD Launch& reads(const Region& view, const Box<N>& part) {
    return reads(part_of(view, inside(view, part)));
  }

  template <class Region, int N>
  PB_COLD Launch& reads(const Region& view, const BorderedBox<N>& read) {
    for_each_part(view, read, [&](const Region& part) { reads(RegionRef(part)); });
    return *this;
  }

  Launch& scalar(const ScalarArgument& value);

  /// `__local T*` of the product of `dims` extents, for the work-group shape that is used in the end. If `contiguous`
  /// is a dimension, it is a panel: the build of the kernel has its memory, rows along that dimension are padded, and
  /// an extent may be kBlockExtent.
  Launch& tile(int element_bytes, int num_dims, const TileDim* dims, int contiguous = -1);

  /// The loops, fastest first: first instance and number of instances. Loops beyond the third are folded into
  /// dimension 2.
  Launch& range(int num_dims, const std::int32_t* lo, const std::int32_t* extent);
  template <int N>
  Launch& range(const Box<N>& box) {
    return range_of(N, box.lo, box.hi);
  }

  /// The shape of a work-group, fastest first; clamped to what device and kernel allow (counted in the statistics). If
  /// it is null or has a 0, the manager chooses (runtime/gpu/manager/work_shape.cpp, Note [Default shapes]).
  /// `items`: how many instances a work-item has along each loop; likewise. Kernels without default_items have one.
  /// `lanes`: how many work-items run one instance together, likewise; cut to a power of two. If a group has no room
  /// for them, they stand in several. Kernels without lanes have one. `kept_rounds`: the most rounds of which a lane
  /// keeps cells; null or 0: it keeps none. `block_items`: the instances of a work-item along the two loops that the
  /// kernel has them along where folds run in blocks; null or a 0 leaves the choice to the manager. `block_rounds`: the
  /// most rounds of a block; null or 0: there are no blocks. `block_stages`: 2 if what the next block reads is copied
  /// while a block runs, 1 if not; null or 0 leaves the choice to the manager. `block_parts`: into how many ranges the
  /// rounds are cut, each of which has groups of its own; null or 1: they are not; 0 leaves the choice to the manager.
  /// `matrix_units`: whether units for products of matrices run the rounds where device and kernel have them; null: no.
  Launch& group(const std::int64_t* shape, int num_dims, const std::int64_t* items = nullptr,
                const std::int64_t* lanes = nullptr, const std::int64_t* kept_rounds = nullptr,
                const std::int64_t* block_items = nullptr, const std::int64_t* block_rounds = nullptr,
                const std::int64_t* block_stages = nullptr, const std::int64_t* block_parts = nullptr,
                const std::int64_t* matrix_units = nullptr);

  /// Runs the kernel; the fiber is suspended meanwhile. If it returns false, nothing was changed that the kernel may
  /// read, or it counts as lost: the caller does the work on the CPU and counts reason().
  ///
  /// Threads: a worker's fiber. An empty range is true at once.
  /// Errors:  throws DeviceLost if an input existed only on a device that failed
  [[nodiscard]] bool run();

  /// Why run() returned false; static or owned by the launch.
  [[nodiscard]] const char* reason() const;

 private:
  friend bool lacks_memory(const Launch& launch);
  friend void use_device(Launch& launch, Manager& manager);
  friend Manager* device_of(const Launch& launch);
  friend void stand_for(Launch& launch, const RegionRef& number);
  friend void only_if(Launch& launch, bool condition, const char* reason);
  friend void set_margins(Launch& launch, int num_dims, const std::int64_t* margins);
  friend const LaunchRequest& request_of(const Launch& launch);
  enum Access : std::uint8_t { kRead = 1, kWrite = 2 };
  Launch& add_region(const RegionRef& view, const RegionRef& touched, int access, CopyOut copy_out);
  void add_written(const RegionRef& part);
  Launch& range_of(int num_dims, const std::int64_t* lo, const std::int64_t* hi);

  LaunchRequest* request_;  // owned
};

/// Makes run() use this device, whichever it would choose.
void use_device(Launch& launch, Manager& manager);
/// The device that run() used; null if it used none.
[[nodiscard]] Manager* device_of(const Launch& launch);

/// Whether the launch did not run because the device's memory has no room for what it uses together. Launches of parts
/// of its range may run.
[[nodiscard]] bool lacks_memory(const Launch& launch);

/// Says that the region that was given last is written in the place of a number, which keeps its value until the launch
/// has ended. It lives as long as the launch.
void stand_for(Launch& launch, const RegionRef& number);

/// Unless the condition holds, run() fails for this reason, which outlives the launch.
void only_if(Launch& launch, bool condition, const char* reason);

/// Says that groups overlap: of the instances of a group, the first and the last `margins[d]` along loop d only help
/// it, and other groups have them, too. Without this there are none.
void set_margins(Launch& launch, int num_dims, const std::int64_t* margins);

// For run_checked().
[[nodiscard]] const LaunchRequest& request_of(const Launch& launch);
[[nodiscard]] const KernelDesc& kernel_of(const Launch& launch);
[[nodiscard]] Frame& frame_of(const Launch& launch);

template <class Region, int N>
Launch& Launch::input(const Region& view, const BorderedBox<N>& read) {
  bool is_first = true;
  for_each_part(view, read, [&](const Region& part) {
    if (!is_first) return void(also_reads(RegionRef(view), RegionRef(part)));
    input(RegionRef(view), RegionRef(part));
    is_first = false;
  });
  return is_first ? input(RegionRef(view)) : *this;
}

namespace detail {
void need_on_host_slow(Frame& frame, const RegionRef& region);
void before_host_write_slow(Frame& frame, const RegionRef& region);
void before_host_overwrite_slow(Frame& frame, const RegionRef& region);
void wrote_on_host_slow(const RegionRef& region);
void forget_launches_slow(const Storage& storage);
void forget_lost_slow(const RegionRef& region);
void note_new_slow(Storage& storage);
void note_void_slow(const RegionRef& region);
void back_on_host_slow(Frame& frame, const RegionRef& region);
void fetch_slow(const RegionRef& region);

// The slow paths, for data that was on a device. They are not inlined, and there is one per type of handle.
template <class Region>
PB_COLD void need_slow(Frame& frame, const Region& region) {
  // The state is tested again, because one region that needs this suffices to call it for all of several regions.
  if (device_state(region) & (kDirty | kWatched)) need_on_host_slow(frame, region);
}
template <class Region, int N>
PB_COLD void need_part_slow(Frame& frame, const Region& region, const Box<N>& part) {
  if (const Box<N> box = inside(region, part); !box.is_empty()) need_on_host_slow(frame, part_of(region, box));
}
template <class Region, int N>
PB_COLD void need_part_slow(Frame& frame, const Region& region, const BorderedBox<N>& read) {
  for_each_part(region, read, [&](const Region& part) { need_on_host_slow(frame, part); });
}
template <class Region, int N>
PB_COLD void fetch_part_slow(const Region& region, const BorderedBox<N>& read) {
  for_each_part(region, read, [&](const Region& part) { fetch_slow(part); });
}
template <class Region>
PB_COLD void fetch_part_slow(const Region& region) {
  fetch_slow(region);
}
template <class Region, int N>
PB_COLD void fetch_part_slow(const Region& region, const Box<N>& part) {
  if (const Box<N> box = inside(region, part); !box.is_empty()) fetch_slow(part_of(region, box));
}
template <class Region>
PB_COLD void before_write_slow(Frame& frame, const Region& region) {
  before_host_write_slow(frame, region);
}
template <class Region>
PB_COLD void before_overwrite_slow(Frame& frame, const Region& region) {
  before_host_overwrite_slow(frame, region);
}
template <class Region>
PB_COLD void wrote_slow(const Region& region) {
  wrote_on_host_slow(region);
}
template <class Region>
PB_COLD void back_slow(Frame& frame, const Region& region) {
  back_on_host_slow(frame, region);
}
}  // namespace detail

}  // namespace pbrt::gpu

namespace pbrt {

/// Suspends the fiber until these parts of their storages are whole in host memory.
///
/// A box may reach beyond its matrix.
///
/// Errors: DeviceLost if one existed only on a device that failed
/// Cost:   a load for each if nothing of the storages is newer on a device
template <gpu::Handle... Regions>
[[gnu::always_inline]] inline void need_on_host(Frame& frame, const Regions&... regions) {
  if (frame.has_device() && ((gpu::device_state(regions) | ...) & (gpu::kDirty | gpu::kWatched))) [[unlikely]]
    (gpu::detail::need_slow(frame, regions), ...);
}
template <gpu::Handle Region, int N>
[[gnu::always_inline]] inline void need_on_host(Frame& frame, const Region& region, const Box<N>& part) {
  if (frame.has_device() && gpu::device_state(region) & (gpu::kDirty | gpu::kWatched)) [[unlikely]]
    gpu::detail::need_part_slow(frame, region, part);
}
template <gpu::Handle Region, int N>
[[gnu::always_inline]] inline void need_on_host(Frame& frame, const Region& region, const BorderedBox<N>& read) {
  if (frame.has_device() && gpu::device_state(region) & (gpu::kDirty | gpu::kWatched)) [[unlikely]]
    gpu::detail::need_part_slow(frame, region, read);
}

namespace gpu {
/// Whether some of this part is newer on a device than on the host.
[[nodiscard]] bool is_newer_on_device(const RegionRef& region);

/// Starts to copy to the host what is newer on a device of this part, or of the whole, ahead of all that is launched
/// from now on.
template <Handle Region, class... Part>
[[gnu::always_inline]] inline void fetch(Frame& frame, const Region& region, const Part&... part) {
  if (frame.has_device() && device_state(region) & kDirty) [[unlikely]]
    detail::fetch_part_slow(region, part...);
}
}  // namespace gpu

/// Suspends the fiber until no device operation in flight uses this part of the storage in host memory and nothing of
/// it is newer on a device, so that cells that are left unwritten keep their values and no copy-out runs into the
/// host's writes.
///
/// Errors: DeviceLost if something of it existed only on a device that failed
/// Cost:   one load if nothing is in flight or newer
template <gpu::Handle Region>
[[gnu::always_inline]] inline void before_host_write(Frame& frame, const Region& region) {
  if (frame.has_device() && gpu::device_state(region) & (gpu::kDirty | gpu::kInFlight | gpu::kWatched)) [[unlikely]]
    gpu::detail::before_write_slow(frame, region);
}
template <gpu::Handle Region, int N>
[[gnu::always_inline]] inline void before_host_write(Frame& frame, const Region& region, const Box<N>& part) {
  if (frame.has_device() && gpu::device_state(region) & (gpu::kDirty | gpu::kInFlight | gpu::kWatched)) [[unlikely]]
    gpu::detail::before_write_slow(frame, part_or_none(region, part));
}

/// Suspends the fiber as before_host_write does, if the host then writes every cell of the part without reading it. So
/// data that is newer on a device is not copied.
template <gpu::Handle Region>
[[gnu::always_inline]] inline void before_host_overwrite(Frame& frame, const Region& region) {
  if (frame.has_device() && gpu::device_state(region) & (gpu::kDirty | gpu::kInFlight | gpu::kWatched)) [[unlikely]]
    gpu::detail::before_overwrite_slow(frame, region);
}
template <gpu::Handle Region, int N>
[[gnu::always_inline]] inline void before_host_overwrite(Frame& frame, const Region& region, const Box<N>& part) {
  if (frame.has_device() && gpu::device_state(region) & (gpu::kDirty | gpu::kInFlight | gpu::kWatched)) [[unlikely]]
    gpu::detail::before_overwrite_slow(frame, part_or_none(region, part));
}

/// Says that a run is repeated whose launches used the storage, because their device failed. Programs of `pbc
/// --checked-copies` would take what these wrote for stale, although the host makes it anew, without a device.
///
/// Pre:  no launch is under way on a device that has not failed
template <gpu::Handle Region>
inline void forget_launches(const Region& region) {
  if (gpu::device_state(region) != 0) gpu::detail::forget_launches_slow(*gpu::RegionRef(region).storage);
}

/// Says that the repeated run makes this part anew: what was lost of it is missed by nobody. The run may ask for cells
/// that it has not made yet, since announcements may name more than what is accessed.
template <gpu::Handle Region>
inline void forget_lost(const Region& region) {
  if (gpu::device_state(region) & gpu::kDirty) gpu::detail::forget_lost_slow(region);
}

/// Says that the host wrote this part: device copies of it are stale, except for what is newer there.
///
/// Pre:  before_host_write(frame, region) since the last launch that uses what was written
/// Cost: one load if the storage never was on a device
template <gpu::Handle Region>
[[gnu::always_inline]] inline void wrote_on_host(const Region& region) {
  if (gpu::device_state(region) != 0) [[unlikely]]
    gpu::detail::wrote_slow(region);
}
template <gpu::Handle Region>
[[gnu::always_inline]] inline void wrote_on_host(Frame& frame, const Region& region) {
  if (frame.has_device()) wrote_on_host(region);
}
template <gpu::Handle Region, int N>
[[gnu::always_inline]] inline void wrote_on_host(Frame& frame, const Region& region, const Box<N>& part) {
  if (frame.has_device() && gpu::device_state(region) != 0) [[unlikely]]
    gpu::detail::wrote_slow(part_or_none(region, part));
}

/// Says that the matrix was just made, with a storage of its own: its cells have no values. So none is copied to a
/// device before something writes it.
///
/// Pre:  nobody else knows the matrix yet
template <gpu::Handle Region>
inline void note_new(Frame& frame, const Region& region) {
  if (!frame.has_device()) return;
  if (Storage* const storage = region.storage_ref().get(); storage != nullptr) gpu::detail::note_new_slow(*storage);
}

/// Says that a call gives a new value to every cell of the region, and needs no value from before: so none is copied to
/// a device. Not so if one of the inputs lies in the same storage, as in `Scale(v, v)`.
///
/// Pre:  no other task accesses the region before the call ends
template <gpu::Handle Region, gpu::Handle... Inputs>
inline void note_void(Frame& frame, const Region& region, const Inputs&... inputs) {
  Storage* const storage = region.storage_ref().get();
  if (!frame.has_device() || storage == nullptr || ((inputs.storage_ref().get() == storage) || ...)) return;
  gpu::detail::note_void_slow(region);
}

/// After a call that was given this part: suspends the fiber until the host may both read and write it.
///
/// Errors: DeviceLost if it existed only on a device that failed
/// Cost:   one load if nothing is in flight or newer
template <gpu::Handle Region>
[[gnu::always_inline]] inline void back_on_host(Frame& frame, const Region& region) {
  if (frame.has_device() && gpu::device_state(region) & (gpu::kDirty | gpu::kInFlight | gpu::kWatched)) [[unlikely]]
    gpu::detail::back_slow(frame, region);
}

namespace gpu {
/// Copies all of `from` to `to` on a device that has `from`. Returns false if none has it all, or it did not work:
/// nothing was changed then.
///
/// Errors: as Launch::run
[[nodiscard]] bool copy_on_device(Frame& frame, const ManagerSet* devices, const RegionRef& from, const RegionRef& to);
}  // namespace gpu

/// Runs `from.copyTo(to)` on a device, or else on the host, with the announcements around it. Without `devices`, which
/// may be null, it runs on the host.
///
/// Errors: DeviceLost if `from` existed only on a device that failed; RuntimeError if the sizes differ
template <gpu::Handle From, gpu::Handle To>
void copy_contents(Frame& frame, const gpu::ManagerSet* devices, const From& from, const To& to) {
  if (frame.has_device() && gpu::device_state(from) != 0) [[unlikely]] {
    if (gpu::copy_on_device(frame, devices, from, to)) return;
  }
  need_on_host(frame, from);
  before_host_overwrite(frame, to);
  from.copyTo(to);
  wrote_on_host(frame, to);
}

template <class Region, int N>
gpu::Launch& gpu::Launch::output(const Region& view, const Box<N>& written, CopyOut copy_out) {
  return output(view, part_or_none(view, written), copy_out);
}

template <class Region, int N>
gpu::Launch& gpu::Launch::inout(const Region& view, std::initializer_list<Box<N>> written, CopyOut copy_out) {
  inout(RegionRef(view), copy_out);
  for (const Box<N>& part : written) add_written(part_or_none(view, part));
  return *this;
}

}  // namespace pbrt

// Note [Kernel parameters]
//
// In this order:
//   1. per region, in order of input/output/inout calls:
//        __global [const] T* <name>_data      the whole storage
//        const long <name>_offset             of the view's first element, in elements
//        const long <name>_stride0 … stride{N-1}   in elements
//        const int  <name>_size0 … size{N-1}       of the view
//      N = 0: data and offset only
//   2. the scalars, in order of scalar calls
//   3. const int pb_lo0 … pb_lo{D-1}, then const int pb_extent0 … pb_extent{D-1}
//   4. __local T* <name>_tile per tile call
//   5. with PB_STAGE: __global ulong* pb_scratch
//   6. of a wavefront: const int pb_wave, pb_first, pb_span0 … pb_span{R-1} (clgen/opencl/waves/kernel_waves.cpp)
// The range has min(D, 3) dimensions. Along each, a group has as many instances as its work-items have together,
// without the launch's margins, and the number of groups is rounded up: kernels test that an instance's place is less
// than pb_extent{d}. The instances of a work-item stand a group apart along loop 0, and are neighbours along the others
// (PB_PLACE in runtime/config/kernel_prelude.h).
