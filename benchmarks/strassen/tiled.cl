// SPDX-License-Identifier: MIT
// C = A B, row by row, double. A group of 16 x 16 work-items makes 64 x 64 cells of C, each work-item 4 x 4 of them, from parts
// of A and B in local memory (V. Volkov, J. Demmel: Benchmarking GPUs to tune dense linear algebra, 2008; NVIDIA's and AMD's SDK
// samples of matrix products have one cell per work-item).
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define GROUP 16
#define CELLS 4
#define TILE (GROUP * CELLS)
#define DEPTH 16

__kernel __attribute__((reqd_work_group_size(GROUP, GROUP, 1))) void product(__global const double* restrict a,
    __global const double* restrict b, __global double* restrict c, int m, int n, int k) {
  __local double part_a[DEPTH][TILE + 1], part_b[DEPTH][TILE];
  const int x = get_local_id(0), y = get_local_id(1), item = y * GROUP + x;
  const int x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
  double sum[CELLS][CELLS];
  for (int i = 0; i < CELLS; ++i)
    for (int j = 0; j < CELLS; ++j) sum[i][j] = 0;
  for (int z0 = 0; z0 < k; z0 += DEPTH) {
    for (int i = item; i < TILE * DEPTH; i += GROUP * GROUP) {
      const int row = y0 + i / DEPTH, z = z0 + i % DEPTH;
      part_a[i % DEPTH][i / DEPTH] = row < m && z < k ? a[(size_t)row * k + z] : 0;
    }
    for (int i = item; i < TILE * DEPTH; i += GROUP * GROUP) {
      const int z = z0 + i / TILE, column = x0 + i % TILE;
      part_b[i / TILE][i % TILE] = z < k && column < n ? b[(size_t)z * n + column] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int z = 0; z < DEPTH; ++z) {
      double of_a[CELLS], of_b[CELLS];
      for (int i = 0; i < CELLS; ++i) of_a[i] = part_a[z][y + i * GROUP];
      for (int j = 0; j < CELLS; ++j) of_b[j] = part_b[z][x + j * GROUP];
      for (int i = 0; i < CELLS; ++i)
        for (int j = 0; j < CELLS; ++j) sum[i][j] = fma(of_a[i], of_b[j], sum[i][j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < CELLS; ++i)
    for (int j = 0; j < CELLS; ++j) {
      const int row = y0 + y + i * GROUP, column = x0 + x + j * GROUP;
      if (row < m && column < n) c[(size_t)row * n + column] = sum[i][j];
    }
}
