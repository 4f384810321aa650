// SPDX-License-Identifier: MIT
// What bounds programs on a device: memory that is read and written in order, and arithmetic. A group handles GROUP * EACH neighbours,
// in steps of GROUP, so that its items touch neighbours together and each item has several accesses under way.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define AT(k) (get_group_id(0) * (GROUP * EACH) + (k) * GROUP + get_local_id(0))
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void

KERNEL triad(__global double2* restrict x, __global const double2* restrict y, __global const double2* restrict z, double factor) {
#pragma unroll
  for (int k = 0; k < EACH; ++k) x[AT(k)] = y[AT(k)] + factor * z[AT(k)];
}

KERNEL copy(__global double2* restrict x, __global const double2* restrict y) {
#pragma unroll
  for (int k = 0; k < EACH; ++k) x[AT(k)] = y[AT(k)];
}

// Compilers cannot know that no sum is `never`, so they have to read everything.
KERNEL sum(__global const double2* restrict y, __global double* restrict found, double never) {
  double2 sums = 0;
#pragma unroll
  for (int k = 0; k < EACH; ++k) sums += y[AT(k)];
  if (sums.x + sums.y == never) found[0] = never;
}

// CHAINS independent chains of multiply-adds on vectors, which stay in the registers of an item.
KERNEL multiply_add(__global Pack* restrict results, double factor, double summand, int steps) {
  Pack packs[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) packs[c] = (Pack)(1.0 + c);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) packs[c] = fma(packs[c], (Pack)(factor), (Pack)(summand));
  }
  Pack total = packs[0];
#pragma unroll
  for (int c = 1; c < CHAINS; ++c) total += packs[c];
  results[get_global_id(0)] = total;
}
