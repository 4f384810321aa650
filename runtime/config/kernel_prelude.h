// SPDX-License-Identifier: MIT
// The beginning of every kernel's source, as a string literal, so that generated programs can join it to theirs. `pbc
// --emit=opencl` prints it too. Launch's Note [Kernel parameters] and KernelDesc say what the macros stand for.
//
// PB_ITEMS0 is the number of instances per work-item along loop 0; PB_SPAN0 that of a work-group. PB_LOCAL0 is the
// place in the group of instance `pb_k0` of this work-item, and PB_PLACE0 its place in the launch. PB_FOLD_GROUPS is
// the number of work-groups that run an instance together in this launch. PB_STAGE is 0 where one launch does all.
// PB_KEPT_ROUNDS is the number of rounds whose cells a work-item keeps, where it keeps them.
#pragma once

#define PB_KERNEL_PRELUDE                                                  \
  "#ifndef PB_INDEX\n"                                                     \
  "#define PB_INDEX long\n"                                                \
  "#endif\n"                                                               \
  "#ifdef PB_UNIT_STRIDE\n"                                                \
  "#define PB_STRIDE0(stride) 1\n"                                         \
  "#else\n"                                                                \
  "#define PB_STRIDE0(stride) (PB_INDEX)(stride)\n"                        \
  "#endif\n"                                                               \
  "#if defined(__x86_64__) || defined(__aarch64__)\n"                      \
  "#define PB_CPU\n"                                                       \
  "#endif\n"                                                               \
  "#define PB_MIN(a, b) ((a) < (b) ? (a) : (b))\n"                         \
  "#define PB_MAX(a, b) ((a) > (b) ? (a) : (b))\n"                         \
  "#define PB_FLOORD(a, b) ((a) / (b) - ((a) % (b) < 0))\n"                \
  "#ifndef PB_ITEMS0\n"                                                    \
  "#define PB_ITEMS0 1\n"                                                  \
  "#endif\n"                                                               \
  "#ifndef PB_ITEMS1\n"                                                    \
  "#define PB_ITEMS1 1\n"                                                  \
  "#endif\n"                                                               \
  "#ifndef PB_ITEMS2\n"                                                    \
  "#define PB_ITEMS2 1\n"                                                  \
  "#endif\n"                                                               \
  "#define PB_ITEMS (PB_ITEMS0 * PB_ITEMS1 * PB_ITEMS2)\n"                 \
  "#if PB_ITEMS0 > 1\n"                                                    \
  "#define PB_SPAN0 ((int)get_local_size(0) * PB_ITEMS0)\n"                \
  "#define PB_LOCAL0 (get_local_id(0) + pb_k0 * get_local_size(0))\n"      \
  "#define PB_PLACE0 ((int)get_group_id(0) * PB_SPAN0 + (int)PB_LOCAL0)\n" \
  "#else\n"                                                                \
  "#define PB_SPAN0 (int)get_local_size(0)\n"                              \
  "#define PB_LOCAL0 get_local_id(0)\n"                                    \
  "#define PB_PLACE0 (int)get_global_id(0)\n"                              \
  "#endif\n"                                                               \
  "#if PB_ITEMS1 > 1\n"                                                    \
  "#define PB_SPAN1 ((int)get_local_size(1) * PB_ITEMS1)\n"                \
  "#define PB_LOCAL1 (get_local_id(1) + pb_k1 * get_local_size(1))\n"      \
  "#define PB_PLACE1 ((int)get_group_id(1) * PB_SPAN1 + (int)PB_LOCAL1)\n" \
  "#else\n"                                                                \
  "#define PB_SPAN1 (int)get_local_size(1)\n"                              \
  "#define PB_LOCAL1 get_local_id(1)\n"                                    \
  "#define PB_PLACE1 (int)get_global_id(1)\n"                              \
  "#endif\n"                                                               \
  "#if PB_ITEMS2 > 1\n"                                                    \
  "#define PB_SPAN2 ((int)get_local_size(2) * PB_ITEMS2)\n"                \
  "#define PB_LOCAL2 (get_local_id(2) + pb_k2 * get_local_size(2))\n"      \
  "#define PB_PLACE2 ((int)get_group_id(2) * PB_SPAN2 + (int)PB_LOCAL2)\n" \
  "#else\n"                                                                \
  "#define PB_SPAN2 (int)get_local_size(2)\n"                              \
  "#define PB_LOCAL2 get_local_id(2)\n"                                    \
  "#define PB_PLACE2 (int)get_global_id(2)\n"                              \
  "#endif\n"                                                               \
  "#ifndef PB_STAGE\n"                                                     \
  "#define PB_STAGE 0\n"                                                   \
  "#endif\n"                                                               \
  "#ifndef PB_FOLD_GROUPS\n"                                               \
  "#define PB_FOLD_GROUPS 1\n"                                             \
  "#endif\n"                                                               \
  "#if PB_STAGE > 0\n"                                                     \
  "#define PB_SCRATCH , __global ulong* restrict pb_scratch\n"             \
  "#else\n"                                                                \
  "#define PB_SCRATCH\n"                                                   \
  "#endif\n"
