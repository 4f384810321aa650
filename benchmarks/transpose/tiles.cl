// SPDX-License-Identifier: MIT
// The transposed matrix, a tile of 32 x 32 cells per group of 32 x 8 work-items, through local memory, so that both sides are read
// and written row by row (G. Ruetsch, P. Micikevicius, Optimizing Matrix Transpose in CUDA, 2009).
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define TILE 32

__kernel void transpose(__global const double* restrict a, __global double* restrict b, int width, int height) {
  __local double tile[TILE][TILE + 1];
  const int x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE, x = get_local_id(0);
  for (int y = get_local_id(1); y < TILE; y += get_local_size(1))
    if (x0 + x < width && y0 + y < height) tile[y][x] = a[(size_t)(y0 + y) * width + x0 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int y = get_local_id(1); y < TILE; y += get_local_size(1))
    if (y0 + x < height && x0 + y < width) b[(size_t)(x0 + y) * height + y0 + x] = tile[x][y];
}
