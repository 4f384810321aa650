// SPDX-License-Identifier: MIT
// A histogram of bytes: a table per group in local memory, counted by atomic additions, after V. Podlozhnyuk, Histogram Calculation
// in CUDA, 2007.
__kernel void clear(__global int* count) { count[get_global_id(0)] = 0; }

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void count(__global const uchar* restrict a, __global int* count, int n) {
  __local int table[256];
  const int item = get_local_id(0);
  table[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&table[a[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (table[item] != 0) atomic_add(&count[item], table[item]);
}
