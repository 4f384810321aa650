// SPDX-License-Identifier: MIT
#include "runtime/gpu/copies/copy_kernel.h"

#include <bit>

#include "runtime/config/kernel_prelude.h"

namespace pbrt::gpu {
namespace {

// PB_T is an integer as large as an element, and PB_N the number of dimensions.
constexpr char kCopySource[] = PB_KERNEL_PRELUDE R"cl(
#if PB_N == 1
#define PB_INTS(head) head##0
#define PB_SIZES(name) const long name##_stride0, const int name##_size0
#define PB_AT(name) name##_data[name##_offset + (pb_lo0 + i0) * name##_stride0]
#define PB_FOR_ITEMS
#define PB_IS_INSIDE i0 < pb_extent0
#elif PB_N == 2
#define PB_INTS(head) head##0, head##1
#define PB_SIZES(name) const long name##_stride0, const long name##_stride1, const int name##_size0, const int name##_size1
#define PB_AT(name) name##_data[name##_offset + (pb_lo0 + i0) * name##_stride0 + (pb_lo1 + i1) * name##_stride1]
#define PB_FOR_ITEMS for (int pb_k1 = 0; pb_k1 < PB_ITEMS1; ++pb_k1)
#define PB_IS_INSIDE i0 < pb_extent0 && i1 < pb_extent1
#else
#define PB_INTS(head) head##0, head##1, head##2
#define PB_SIZES(name) const long name##_stride0, const long name##_stride1, const long name##_stride2, \
    const int name##_size0, const int name##_size1, const int name##_size2
#define PB_AT(name) name##_data[name##_offset + (pb_lo0 + i0) * name##_stride0 + (pb_lo1 + i1) * name##_stride1 + \
    (pb_lo2 + i2) * name##_stride2]
#define PB_FOR_ITEMS for (int pb_k2 = 0; pb_k2 < PB_ITEMS2; ++pb_k2) for (int pb_k1 = 0; pb_k1 < PB_ITEMS1; ++pb_k1)
#define PB_IS_INSIDE i0 < pb_extent0 && i1 < pb_extent1 && i2 < pb_extent2
#endif

__kernel void pb_copy(__global PB_T* restrict to_data, const long to_offset, PB_SIZES(to),
                      __global const PB_T* restrict from_data, const long from_offset, PB_SIZES(from),
                      PB_INTS(const int pb_lo), PB_INTS(const int pb_extent) PB_SCRATCH) {
#if PB_ITEMS > 1
#pragma unroll
  PB_FOR_ITEMS for (int pb_k0 = 0; pb_k0 < PB_ITEMS0; ++pb_k0)
#endif
  {
    const int i0 = PB_PLACE0;
#if PB_N > 1
    const int i1 = PB_PLACE1;
#endif
#if PB_N > 2
    const int i2 = PB_PLACE2;
#endif
    if (PB_IS_INSIDE) PB_AT(to) = PB_AT(from);
  }
}
)cl";

constexpr KernelDesc desc_of(const char* options) {
  return {.name = "pb_copy",
          .rule = {"copyTo", "opencl"},
          .source = kCopySource,
          .options = options,
          .num_regions = 2,
          .default_items = 4};
}

constexpr KernelDesc kCopyKernels[3][4] = {{desc_of("-DPB_N=1 -DPB_T=uchar"), desc_of("-DPB_N=1 -DPB_T=ushort"),
                                            desc_of("-DPB_N=1 -DPB_T=uint"), desc_of("-DPB_N=1 -DPB_T=ulong")},
                                           {desc_of("-DPB_N=2 -DPB_T=uchar"), desc_of("-DPB_N=2 -DPB_T=ushort"),
                                            desc_of("-DPB_N=2 -DPB_T=uint"), desc_of("-DPB_N=2 -DPB_T=ulong")},
                                           {desc_of("-DPB_N=3 -DPB_T=uchar"), desc_of("-DPB_N=3 -DPB_T=ushort"),
                                            desc_of("-DPB_N=3 -DPB_T=uint"), desc_of("-DPB_N=3 -DPB_T=ulong")}};

}  // namespace

const KernelDesc* copy_kernel_of(int num_dims, int element_bytes) {
  if (num_dims < 1 || num_dims > 3 || element_bytes < 1 || element_bytes > 8) return nullptr;
  if (!std::has_single_bit(static_cast<unsigned>(element_bytes))) return nullptr;
  return &kCopyKernels[num_dims - 1][std::countr_zero(static_cast<unsigned>(element_bytes))];
}

}  // namespace pbrt::gpu
