// SPDX-License-Identifier: MIT
// Prefix sums in three kernels, after M. Harris, S. Sengupta, J. Owens, Parallel Prefix Sum (Scan) with CUDA (GPU Gems 3,
// chapter 39), 2007. A group makes a part of GROUP * EACH elements. They go through local memory, so that neighbours in memory are
// read and written together.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define GROUP 256
#define EACH 8
#define PART (GROUP * EACH)

// The sum of `value` over the items up to this one.
double scan_group(__local double* sums, double value) {
  const int item = get_local_id(0);
  sums[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < GROUP; distance *= 2) {
    const double before = item >= distance ? sums[item - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return sums[item];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void totals(__global const double* restrict a,
    __global double* restrict total, int count) {
  __local double sums[GROUP];
  const int item = get_local_id(0), first = get_group_id(0) * PART;
  double sum = 0;
  for (int k = 0; k < EACH; ++k) {
    const int i = first + k * GROUP + item;
    sum += i < count ? a[i] : 0;
  }
  const double all = scan_group(sums, sum);
  if (item == GROUP - 1) total[get_group_id(0)] = all;
}

// Replaces each total by the sum of those before it. One group.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void over_totals(__global double* total, int parts) {
  __local double sums[GROUP];
  const int item = get_local_id(0);
  double before = 0;
  for (int first = 0; first < parts; first += GROUP) {
    const int i = first + item;
    const double value = i < parts ? total[i] : 0;
    const double sum = scan_group(sums, value);
    if (i < parts) total[i] = before + sum - value;
    before += sums[GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void within_parts(__global const double* restrict a,
    __global const double* restrict total, __global double* restrict s, int count) {
  __local double part[PART + PART / 16], sums[GROUP];
  const int item = get_local_id(0), first = get_group_id(0) * PART;
  for (int k = item; k < PART; k += GROUP) part[k + k / 16] = first + k < count ? a[first + k] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  double own = 0;
  for (int k = item * EACH; k < (item + 1) * EACH; ++k) own += part[k + k / 16];
  double sum = total[get_group_id(0)] + scan_group(sums, own) - own;
  for (int k = item * EACH; k < (item + 1) * EACH; ++k) part[k + k / 16] = sum += part[k + k / 16];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = item; k < PART; k += GROUP)
    if (first + k < count) s[first + k] = part[k + k / 16];
}
