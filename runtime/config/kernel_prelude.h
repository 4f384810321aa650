// SPDX-License-Identifier: MIT
// The beginning of every kernel's source, as a string literal, so that generated programs can join it to theirs. `pbc
// --emit=opencl` prints it too. Launch's Note [Kernel parameters] and KernelDesc say what the macros stand for.
#pragma once

#define PB_KERNEL_PRELUDE                             \
  "#ifndef PB_INDEX\n"                                \
  "#define PB_INDEX long\n"                           \
  "#endif\n"                                          \
  "#ifdef PB_UNIT_STRIDE\n"                           \
  "#define PB_STRIDE0(stride) 1\n"                    \
  "#else\n"                                           \
  "#define PB_STRIDE0(stride) (PB_INDEX)(stride)\n"   \
  "#endif\n"                                          \
  "#if defined(__x86_64__) || defined(__aarch64__)\n" \
  "#define PB_CPU\n"                                  \
  "#endif\n"                                          \
  "#define PB_MIN(a, b) ((a) < (b) ? (a) : (b))\n"    \
  "#define PB_MAX(a, b) ((a) > (b) ? (a) : (b))\n"    \
  "#define PB_FLOORD(a, b) ((a) / (b) - ((a) % (b) < 0))\n"
