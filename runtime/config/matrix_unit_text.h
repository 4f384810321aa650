// SPDX-License-Identifier: MIT
// The functions of kernels for units that add products of small matrices. pbc prints them in kernels, and the runtime
// tries them on a device (runtime/gpu/units/matrix_units.h).
//
// PB_ADD_PRODUCTS adds 8 products to each of 16 x 8 sums. The 32 work-items of a warp hold the numbers together. Lane t
// has the sums (t / 4, 2 * (t % 4)) in c0, the next column in c1, and the same 8 rows below in c2 and c3. It has the
// factors of row t / 4 in the products t % 4 (a0) and t % 4 + 4 (a2), of row t / 4 + 8 in a1 and a3, and those of
// column t / 4 in b0 and b1. Each sum gets its products one after the other, with one rounding per product, as `fma`
// has it. PB_MATRIX_UNITS is the number of rows that an instruction of the device has: 16 or 8.
//
// PB_ADD_PARTS does the same with parts of floats, by instructions whose factors keep 11 bits: they do not read the
// other ones. PB_SPLIT makes two parts of a float: `x` is the nearest number with 11 bits, and `y` what is left, of
// which a unit reads 11 bits as well. The product of two floats is the sum of three products of parts; that of both `y`
// is left out, which is below 2^-22 of the whole. Units add with fewer bits than sums of floats have, so they shall add
// 8 products to zero, and what comes out is added to the sum with one rounding. Factors that are infinite, or that 11
// bits round to infinity (from 2^128 - 2^116 on), give NaN.
#pragma once

#define PB_MATRIX_UNIT_TEXT                                                                                     \
  "#ifdef PB_MATRIX_UNITS\n"                                                                                    \
  "#if PB_MATRIX_UNITS == 16\n"                                                                                 \
  "#define PB_ADD_PRODUCTS(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1) asm("                                        \
  "\"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "           \
  "{%0, %1, %2, %3};\" : \"+d\"(c0), \"+d\"(c1), \"+d\"(c2), \"+d\"(c3) : \"d\"(a0), \"d\"(a1), \"d\"(a2), "    \
  "\"d\"(a3), \"d\"(b0), \"d\"(b1))\n"                                                                          \
  "#else\n"                                                                                                     \
  "#define PB_ADD_4_PRODUCTS(c0, c1, a, b) asm("                                                                \
  "\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\" "                        \
  ": \"+d\"(c0), \"+d\"(c1) : \"d\"(a), \"d\"(b))\n"                                                            \
  "#define PB_ADD_PRODUCTS(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1) do { PB_ADD_4_PRODUCTS(c0, c1, a0, b0); "    \
  "PB_ADD_4_PRODUCTS(c2, c3, a1, b0); PB_ADD_4_PRODUCTS(c0, c1, a2, b1); PB_ADD_4_PRODUCTS(c2, c3, a3, b1); } " \
  "while (0)\n"                                                                                                 \
  "#endif\n"                                                                                                    \
  "#endif\n"

#define PB_SPLIT_UNIT_TEXT                                                                                   \
  "#if PB_MATRIX_UNITS == 16\n"                                                                              \
  "#define PB_UPPER(factor) ((as_uint(factor) + 0x1000u) & 0xffffe000u)\n"                                   \
  "#define PB_SPLIT(factor) (uint2)(PB_UPPER(factor), as_uint((factor) - as_float(PB_UPPER(factor))))\n"     \
  "#define PB_ADD_PARTS(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1) "                                            \
  "asm(\"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "  \
  "{%0, %1, %2, %3};\" : \"+f\"(c0), \"+f\"(c1), \"+f\"(c2), \"+f\"(c3) : \"r\"(a0), \"r\"(a1), \"r\"(a2), " \
  "\"r\"(a3), \"r\"(b0), \"r\"(b1))\n"                                                                       \
  "#endif\n"
