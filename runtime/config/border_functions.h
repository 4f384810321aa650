// SPDX-License-Identifier: MIT
// The borders of `.cell` inputs (docs/reference/language.md 5.7): functions that map any coordinate to one in [0,
// `size`), where `size` is at least 1. There is one text for generated C++ (runtime/matrix/index_math.h) and for
// kernels (PB_BORDER_KERNEL_TEXT).
#pragma once

#define PB_WRAPPED(FUNCTION, INDEX)                 \
  FUNCTION INDEX pb_wrapped(INDEX at, INDEX size) { \
    INDEX rest = at;                                \
    if (at < 0 || at >= size) rest = at % size;     \
    return rest < 0 ? rest + size : rest;           \
  }
#define PB_CLAMPED(FUNCTION, INDEX) \
  FUNCTION INDEX pb_clamped(INDEX at, INDEX size) { return at < 0 ? 0 : at < size ? at : size - 1; }
#define PB_MIRRORED(FUNCTION, INDEX)                 \
  FUNCTION INDEX pb_mirrored(INDEX at, INDEX size) { \
    if (at >= 0 && at < size) return at;             \
    if (size == 1) return 0;                         \
    const INDEX rest = at % (2 * size - 2);          \
    const INDEX from = rest < 0 ? -rest : rest;      \
    return from < size ? from : 2 * size - 2 - from; \
  }

#define PB_TEXT_OF_EXPANDED(...) #__VA_ARGS__
#define PB_TEXT_OF(...) PB_TEXT_OF_EXPANDED(__VA_ARGS__)
/// OpenCL C, a line each.
#define PB_BORDER_KERNEL_TEXT \
  PB_TEXT_OF(PB_WRAPPED(, long)) "\n" PB_TEXT_OF(PB_CLAMPED(, long)) "\n" PB_TEXT_OF(PB_MIRRORED(, long)) "\n"
