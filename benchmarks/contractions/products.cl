// SPDX-License-Identifier: MIT
// Many products of 32 x 32 matrices. PRODUCTS products share a group; 64 work-items make one of them, each 4 x 4 cells. Both
// matrices are read once, 16 or 32 bytes at a time, and used from local memory.
// T is the type of the numbers, and T4 that of four of them.
#define SIDE 32
#define ITEMS 64
#define WIDE (SIDE / 4)            // vectors of a row
#define ROW (WIDE + 1)             // vectors of a row of `a` in local memory, so that rows lie in different banks

__kernel __attribute__((reqd_work_group_size(ITEMS, PRODUCTS, 1))) void products(__global const T4* restrict a,
    __global const T4* restrict b, __global T4* restrict c, int batch) {
  __local T4 of_a[PRODUCTS][SIDE * ROW], of_b[PRODUCTS][SIDE * WIDE];
  const int item = get_local_id(0), own = get_local_id(1);
  const int z = get_global_id(1);
  const bool exists = z < batch;
  const size_t start = (size_t)z * SIDE * WIDE;
  T4 next_a[SIDE * WIDE / ITEMS], next_b[SIDE * WIDE / ITEMS];
  if (exists) {
#pragma unroll
    for (int i = 0; i < SIDE * WIDE / ITEMS; ++i) {
      next_a[i] = a[start + item + i * ITEMS];
      next_b[i] = b[start + item + i * ITEMS];
    }
#pragma unroll
    for (int i = 0; i < SIDE * WIDE / ITEMS; ++i) {
      const int at = item + i * ITEMS;
      of_a[own][at / WIDE * ROW + at % WIDE] = next_a[i];
      of_b[own][at] = next_b[i];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!exists) return;
  const int x = item % WIDE, y = item / WIDE;  // of 8 x 8 blocks; rows y, y + 8, y + 16 and y + 24
  T4 sum[4] = {0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < WIDE; ++k) {
    const T4 b0 = of_b[own][(4 * k + 0) * WIDE + x], b1 = of_b[own][(4 * k + 1) * WIDE + x];
    const T4 b2 = of_b[own][(4 * k + 2) * WIDE + x], b3 = of_b[own][(4 * k + 3) * WIDE + x];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const T4 row = of_a[own][(y + r * 8) * ROW + k];
      sum[r] = fma((T4)row.x, b0, sum[r]);
      sum[r] = fma((T4)row.y, b1, sum[r]);
      sum[r] = fma((T4)row.z, b2, sum[r]);
      sum[r] = fma((T4)row.w, b3, sum[r]);
    }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) c[start + (y + r * 8) * WIDE + x] = sum[r];
}
