// SPDX-License-Identifier: MIT
// Routines of BLAS. Sums are made in two steps, partial sums of the groups and their sum, after M. Harris, Optimizing Parallel
// Reduction in CUDA, 2007. A row of a matrix times a vector is the sum of one group.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define GROUP 256
#define ROW 64

// The sum of `value` over the group, in item 0.
double sum_of_group(__local double* sums, double value, int size) {
  const int item = get_local_id(0);
  sums[item] = value;
  for (int others = size / 2; others > 0; others /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < others) sums[item] += sums[item + others];
  }
  return sums[0];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void blas_dot(__global const double* restrict x,
    __global const double* restrict y, __global double* restrict part, int n) {
  __local double sums[GROUP];
  double sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i] * y[i];
  sum = sum_of_group(sums, sum, GROUP);
  if (get_local_id(0) == 0) part[get_group_id(0)] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void blas_asum(__global const double* restrict x,
    __global const double* restrict none, __global double* restrict part, int n) {
  __local double sums[GROUP];
  double sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += fabs(x[i]);
  sum = sum_of_group(sums, sum, GROUP);
  if (get_local_id(0) == 0) part[get_group_id(0)] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void last(__global const double* restrict part,
    __global double* restrict result, int n) {
  __local double sums[GROUP];
  double sum = 0;
  for (int i = get_local_id(0); i < n; i += GROUP) sum += part[i];
  sum = sum_of_group(sums, sum, GROUP);
  if (get_local_id(0) == 0) result[0] = sum;
}

__kernel void blas_copy(__global const double* restrict x, __global double* restrict y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = x[i];
}

__kernel void blas_scal(__global const double* restrict x, double alpha, __global double* restrict y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = alpha * x[i];
}

__kernel __attribute__((reqd_work_group_size(ROW, 1, 1))) void blas_gemv(__global const double* restrict a,
    __global const double* restrict x, __global double* restrict y, int n) {
  __local double sums[ROW];
  __global const double* row = a + (size_t)get_group_id(0) * n;
  double sum = 0;
  for (int i = get_local_id(0); i < n; i += ROW) sum += row[i] * x[i];
  sum = sum_of_group(sums, sum, ROW);
  if (get_local_id(0) == 0) y[get_group_id(0)] = sum;
}
