// SPDX-License-Identifier: MIT
// The beginning of every kernel's source, as a string literal, so that generated programs can join it to theirs. `pbc
// --emit=opencl` prints it too. Launch's Note [Kernel parameters] and KernelDesc say what the macros stand for.
//
// PB_ITEMS0 is the number of instances per work-item along loop 0; PB_SPAN0 that of a work-group. PB_LOCAL0 is the
// place in the group of instance `pb_k0` of this work-item, and PB_PLACE0 its place in the launch: along loop 0, which
// runs along rows, instances of a work-item stand a group apart, along the others they are neighbours. PB_FOLD_GROUPS
// is the number of work-groups that run an instance together in this launch. PB_STAGE is 0 where one launch does all.
// PB_KEPT_ROUNDS is the number of rounds whose cells a work-item keeps, where it keeps them. PB_BLOCK_ROUNDS is the
// number of rounds of a block, where folds run in blocks: work-groups then have PB_GROUP0 x PB_GROUP1 x PB_GROUP2
// work-items, and PB_PANEL0 and so on are the elements of what they copy. PB_PART_LANES work-items combine what several
// groups have of an instance.
//
// With PB_VECTORS, work-items run so many neighbouring instances in a vector, where all instances of their group exist.
// PB_LIKE_GPU has a CPU run the text of GPUs, for tests.
//
// PB_PARTS is the number of elements of an array through which lanes combine parts of a fold. With PB_SHUFFLES, they
// and those of scans exchange them within warps of 32 work-items (PB_WARP_SIZE asks for these) without it:
// `pb_opposite_T(x, distance)` is the x of the lane whose number differs in that bit, and `pb_of_lane_T(x, lane)` that
// of the lane with this number in the warp.
#pragma once

#define PB_KERNEL_PRELUDE                                                                                           \
  "#ifndef PB_INDEX\n"                                                                                              \
  "#define PB_INDEX long\n"                                                                                         \
  "#endif\n"                                                                                                        \
  "#ifdef PB_UNIT_STRIDE\n"                                                                                         \
  "#define PB_STRIDE0(stride) 1\n"                                                                                  \
  "#else\n"                                                                                                         \
  "#define PB_STRIDE0(stride) (PB_INDEX)(stride)\n"                                                                 \
  "#endif\n"                                                                                                        \
  "#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(PB_LIKE_GPU)\n"                                    \
  "#define PB_CPU\n"                                                                                                \
  "#endif\n"                                                                                                        \
  "#define PB_MIN(a, b) ((a) < (b) ? (a) : (b))\n"                                                                  \
  "#define PB_MAX(a, b) ((a) > (b) ? (a) : (b))\n"                                                                  \
  "#define PB_FLOORD(a, b) ((a) / (b) - ((a) % (b) < 0))\n"                                                         \
  "#ifndef PB_ITEMS0\n"                                                                                             \
  "#define PB_ITEMS0 1\n"                                                                                           \
  "#endif\n"                                                                                                        \
  "#ifndef PB_ITEMS1\n"                                                                                             \
  "#define PB_ITEMS1 1\n"                                                                                           \
  "#endif\n"                                                                                                        \
  "#ifndef PB_ITEMS2\n"                                                                                             \
  "#define PB_ITEMS2 1\n"                                                                                           \
  "#endif\n"                                                                                                        \
  "#define PB_ITEMS (PB_ITEMS0 * PB_ITEMS1 * PB_ITEMS2)\n"                                                          \
  "#if PB_ITEMS0 > 1\n"                                                                                             \
  "#define PB_SPAN0 ((int)get_local_size(0) * PB_ITEMS0)\n"                                                         \
  "#define PB_LOCAL0 (get_local_id(0) + pb_k0 * get_local_size(0))\n"                                               \
  "#define PB_PLACE0 ((int)get_group_id(0) * PB_SPAN0 + (int)PB_LOCAL0)\n"                                          \
  "#else\n"                                                                                                         \
  "#define PB_SPAN0 (int)get_local_size(0)\n"                                                                       \
  "#define PB_LOCAL0 get_local_id(0)\n"                                                                             \
  "#define PB_PLACE0 (int)get_global_id(0)\n"                                                                       \
  "#endif\n"                                                                                                        \
  "#if PB_ITEMS1 > 1\n"                                                                                             \
  "#define PB_SPAN1 ((int)get_local_size(1) * PB_ITEMS1)\n"                                                         \
  "#define PB_LOCAL1 ((int)get_local_id(1) * PB_ITEMS1 + pb_k1)\n"                                                  \
  "#define PB_PLACE1 ((int)get_group_id(1) * PB_SPAN1 + (int)PB_LOCAL1)\n"                                          \
  "#else\n"                                                                                                         \
  "#define PB_SPAN1 (int)get_local_size(1)\n"                                                                       \
  "#define PB_LOCAL1 get_local_id(1)\n"                                                                             \
  "#define PB_PLACE1 (int)get_global_id(1)\n"                                                                       \
  "#endif\n"                                                                                                        \
  "#if PB_ITEMS2 > 1\n"                                                                                             \
  "#define PB_SPAN2 ((int)get_local_size(2) * PB_ITEMS2)\n"                                                         \
  "#define PB_LOCAL2 ((int)get_local_id(2) * PB_ITEMS2 + pb_k2)\n"                                                  \
  "#define PB_PLACE2 ((int)get_group_id(2) * PB_SPAN2 + (int)PB_LOCAL2)\n"                                          \
  "#else\n"                                                                                                         \
  "#define PB_SPAN2 (int)get_local_size(2)\n"                                                                       \
  "#define PB_LOCAL2 get_local_id(2)\n"                                                                             \
  "#define PB_PLACE2 (int)get_global_id(2)\n"                                                                       \
  "#endif\n"                                                                                                        \
  "#ifndef PB_STAGE\n"                                                                                              \
  "#define PB_STAGE 0\n"                                                                                            \
  "#endif\n"                                                                                                        \
  "#ifndef PB_FOLD_GROUPS\n"                                                                                        \
  "#define PB_FOLD_GROUPS 1\n"                                                                                      \
  "#endif\n"                                                                                                        \
  "#ifndef PB_PART_LANES\n"                                                                                         \
  "#define PB_PART_LANES 1\n"                                                                                       \
  "#endif\n"                                                                                                        \
  "#if PB_STAGE > 0\n"                                                                                              \
  "#define PB_SCRATCH , __global ulong* restrict pb_scratch\n"                                                      \
  "#else\n"                                                                                                         \
  "#define PB_SCRATCH\n"                                                                                            \
  "#endif\n"                                                                                                        \
  "#if PB_HAS_PTX_SHUFFLES + PB_HAS_SUB_GROUPS > 0 && (PB_LANES > 1 && PB_GROUP_ITEMS % 32 == 0 || "                \
  "PB_SCAN_ITEMS > 0 && PB_SCAN_ITEMS % 32 == 0)\n"                                                                 \
  "#define PB_SHUFFLES\n"                                                                                           \
  "#define PB_WARP_LANES PB_MIN(PB_LANES, 32)\n"                                                                    \
  "#define PB_WARPS (PB_LANES / PB_WARP_LANES)\n"                                                                   \
  "#if PB_LANES > 32\n"                                                                                             \
  "#define PB_PARTS (PB_GROUP_ITEMS + PB_GROUP_ITEMS / 32 + PB_GROUP_ITEMS / PB_LANES * 32)\n"                      \
  "#else\n"                                                                                                         \
  "#define PB_PARTS PB_GROUP_ITEMS\n"                                                                               \
  "#endif\n"                                                                                                        \
  "#ifdef PB_HAS_SUB_GROUPS\n"                                                                                      \
  "#define PB_WARP_SIZE __attribute__((intel_reqd_sub_group_size(32)))\n"                                           \
  "#define pb_opposite_uint(x, distance) sub_group_shuffle_xor(x, distance)\n"                                      \
  "#define pb_of_lane_uint(x, lane) sub_group_shuffle(x, lane)\n"                                                   \
  "#else\n"                                                                                                         \
  "#define PB_WARP_SIZE\n"                                                                                          \
  "static inline uint pb_opposite_uint(uint x, uint distance) {\n"                                                  \
  "  uint y;\n"                                                                                                     \
  "  asm volatile(\"shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;\" : \"=r\"(y) : \"r\"(x), \"r\"(distance));\n" \
  "  return y;\n"                                                                                                   \
  "}\n"                                                                                                             \
  "static inline uint pb_of_lane_uint(uint x, uint lane) {\n"                                                       \
  "  uint y;\n"                                                                                                     \
  "  asm volatile(\"shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;\" : \"=r\"(y) : \"r\"(x), \"r\"(lane));\n"      \
  "  return y;\n"                                                                                                   \
  "}\n"                                                                                                             \
  "#endif\n"                                                                                                        \
  "#define PB_SHUFFLE_4(name, type) static inline type name##_##type(type x, uint at) { return "                    \
  "as_##type(name##_uint(as_uint(x), at)); }\n"                                                                     \
  "#define PB_SHUFFLE_8(name, type) static inline type name##_##type(type x, uint at) { const uint2 both = "        \
  "as_uint2(x); return as_##type((uint2)(name##_uint(both.x, at), name##_uint(both.y, at))); }\n"                   \
  "PB_SHUFFLE_4(pb_opposite, int)\n"                                                                                \
  "PB_SHUFFLE_4(pb_of_lane, int)\n"                                                                                 \
  "PB_SHUFFLE_4(pb_opposite, float)\n"                                                                              \
  "PB_SHUFFLE_4(pb_of_lane, float)\n"                                                                               \
  "PB_SHUFFLE_8(pb_opposite, long)\n"                                                                               \
  "PB_SHUFFLE_8(pb_of_lane, long)\n"                                                                                \
  "PB_SHUFFLE_8(pb_opposite, ulong)\n"                                                                              \
  "PB_SHUFFLE_8(pb_of_lane, ulong)\n"                                                                               \
  "PB_SHUFFLE_8(pb_opposite, double)\n"                                                                             \
  "PB_SHUFFLE_8(pb_of_lane, double)\n"                                                                              \
  "#else\n"                                                                                                         \
  "#define PB_PARTS PB_GROUP_ITEMS\n"                                                                               \
  "#define PB_WARP_SIZE\n"                                                                                          \
  "#endif\n"
