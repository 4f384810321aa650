// SPDX-License-Identifier: MIT
// Plain C++, included by a prefix block.
static inline double cube(double x) { return x*x*x; }
