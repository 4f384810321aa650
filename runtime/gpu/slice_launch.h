// SPDX-License-Identifier: MIT
// What generated code says of a launch that runs one slice of a nest, all lines of a scan, or a wavefront. The last
// dimension of a slice's box is that of the slices. Generated code includes this through generated.h.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/gpu/launch.h"

namespace pbrt::gpu {

/// The slice that a box lies in.
template <int N>
[[nodiscard]] std::int32_t slice_of(const Box<N>& box) {
  return static_cast<std::int32_t>(box.lo[N - 1]);
}

/// Gives the launch the loops inside of the slice.
template <int N>
PB_COLD void range_in_slice(Launch& launch, const Box<N>& box) {
  std::int32_t lo[N], extent[N];
  for (int d = 0; d + 1 < N; ++d) {
    lo[d] = static_cast<std::int32_t>(box.lo[d]);
    extent[d] = static_cast<std::int32_t>(std::max<std::int64_t>(0, box.hi[d] - box.lo[d]));
  }
  launch.range(N - 1, lo, extent);
}

/// The first instances of the lines along loop `dim`, which may be read before they are written.
template <int N>
[[nodiscard]] PB_COLD Box<N> first_of_lines(Box<N> box, int dim, bool is_backward) {
  if (box.is_empty()) return box;
  is_backward ? box.lo[dim] = box.hi[dim] - 1 : box.hi[dim] = box.lo[dim] + 1;
  return box;
}

/// Gives the launch a region of which the kernel reads no more than a part, which may be empty. A box may reach beyond
/// the matrix.
template <class Region, int N>
PB_COLD void input_part(Launch& launch, const Region& view, const Box<N>& read) {
  launch.input(view, part_of(view, inside(view, read)));
}
template <class Region, int N>
PB_COLD void input_part(Launch& launch, const Region& view, const BorderedBox<N>& read) {
  bool has_any = false;
  for_each_part(view, read, [&](const Region&) { has_any = true; });
  has_any ? launch.input(view, read) : launch.input(view, part_of(view, Box<N>{}));
}

/// Gives the launch a region of which the kernel may read and may write the cells of `part`, and no others.
template <class Region, int N>
PB_COLD void inout_part(Launch& launch, const Region& view, const Box<N>& part, CopyOut copy_out) {
  launch.inout(view, part_or_none(view, part), copy_out);
}

/// Says that the kernel also reads what lies in `all` and not in `written`.
template <class Region, int N>
PB_COLD void also_reads_beside(Launch& launch, const Region& view, const Box<N>& all, Box<N> written) {
  for (int d = 0; d < N; ++d) {
    written.lo[d] = std::max(written.lo[d], all.lo[d]);
    written.hi[d] = std::min(written.hi[d], all.hi[d]);
  }
  for_each_outside(all, written, [&](const Box<N>& part) { launch.also_reads(view, part_of(view, part)); });
}

/// Gives the launch a region of which the kernel writes every cell of `written`, and of `read` may read what it has
/// written and what lies beside that. A box that is read may reach beyond the matrix.
template <class Region, int N>
PB_COLD void continued_output(Launch& launch, const Region& view, const Box<N>& written, const Box<N>& read,
                              CopyOut copy_out) {
  launch.output(view, written, copy_out);
  also_reads_beside(launch, view, inside(view, read), written);
}
template <class Region, int N>
PB_COLD void continued_output(Launch& launch, const Region& view, const Box<N>& written, const BorderedBox<N>& read,
                              CopyOut copy_out) {
  launch.output(view, written, copy_out);
  std::int64_t sizes[N];
  for (int d = 0; d < N; ++d) sizes[d] = view.size(d);
  for_each_read(read, sizes, [&](const Box<N>& all) { also_reads_beside(launch, view, all, written); });
}

}  // namespace pbrt::gpu
