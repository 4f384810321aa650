// SPDX-License-Identifier: MIT
// Squares of the distances of the points of P from those of Q. A group of 16 x 16 work-items makes 128 x 128 cells, each
// work-item 8 x 8 of them, from parts of P and Q in local memory. Parts of DEPTH coordinates are copied while the part before
// is used. There, coordinates of neighbouring points are neighbours.
// T is the type of the numbers, and T4 that of four of them.
#define GROUP 16
#define ITEMS (GROUP * GROUP)
#define CELLS 8
#define TILE (GROUP * CELLS)
#define ROW (TILE + 4)
#define RUNS (TILE * DEPTH / 4 / ITEMS)  // vectors that a work-item copies of each matrix
#define WIDE (DEPTH / 4)                 // vectors of a part of a point

// Four coordinates of a point, or what stands for them beyond the ends.
T4 coordinates(__global const T* restrict points, int point, int first, int n, int d) {
  if (point >= n) return 0;
  __global const T* from = points + (size_t)point * d + first;
  if (d % 4 == 0) return first < d ? *(__global const T4*)from : (T4)0;
  return (T4)(first < d ? from[0] : 0, first + 1 < d ? from[1] : 0, first + 2 < d ? from[2] : 0, first + 3 < d ? from[3] : 0);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void distances(__global const T* restrict p,
    __global const T* restrict q, __global T* restrict out, int n, int m, int d) {
  __local T of_p[STAGES][DEPTH][ROW] __attribute__((aligned(32))), of_q[STAGES][DEPTH][ROW] __attribute__((aligned(32)));
  const int item = get_local_id(0);
  // A warp is a square of 8 x 4 work-items, so that it reads few different cells of local memory.
  const int x = item % 8 + item / 32 % 2 * 8, y = item / 8 % 4 + item / 64 * 4;
  const int columns = (m + TILE - 1) / TILE;
  const int x0 = get_group_id(0) % columns * TILE, y0 = get_group_id(0) / columns * TILE;
  T sum[CELLS][CELLS];
#pragma unroll
  for (int i = 0; i < CELLS; ++i)
#pragma unroll
    for (int j = 0; j < CELLS; ++j) sum[i][j] = 0;
  T4 next_p[RUNS], next_q[RUNS];
#define READ(first)                                                                 \
  _Pragma("unroll") for (int i = 0; i < RUNS; ++i) {                                \
    const int at = item + i * ITEMS, point = at / WIDE, c = (first) + at % WIDE * 4; \
    next_p[i] = coordinates(p, y0 + point, c, n, d);                                \
    next_q[i] = coordinates(q, x0 + point, c, m, d);                                \
  }
#define WRITE(stage)                                                     \
  _Pragma("unroll") for (int i = 0; i < RUNS; ++i) {                     \
    const int at = item + i * ITEMS, point = at / WIDE, c = at % WIDE * 4; \
    of_p[stage][c][point] = next_p[i].x;                                 \
    of_p[stage][c + 1][point] = next_p[i].y;                             \
    of_p[stage][c + 2][point] = next_p[i].z;                             \
    of_p[stage][c + 3][point] = next_p[i].w;                             \
    of_q[stage][c][point] = next_q[i].x;                                 \
    of_q[stage][c + 1][point] = next_q[i].y;                             \
    of_q[stage][c + 2][point] = next_q[i].z;                             \
    of_q[stage][c + 3][point] = next_q[i].w;                             \
  }
  READ(0)
  WRITE(0)
  barrier(CLK_LOCAL_MEM_FENCE);
  int stage = 0;
  for (int c0 = 0; c0 < d; c0 += DEPTH) {
    const bool has_next = c0 + DEPTH < d;
#if STAGES == 2
    if (has_next) { READ(c0 + DEPTH) }
#endif
#pragma unroll
    for (int c = 0; c < DEPTH; ++c) {
      T a[CELLS], b[CELLS];
      *(T4*)a = *(__local T4*)&of_p[stage][c][4 * y];
      *(T4*)(a + 4) = *(__local T4*)&of_p[stage][c][TILE / 2 + 4 * y];
      *(T4*)b = *(__local T4*)&of_q[stage][c][4 * x];
      *(T4*)(b + 4) = *(__local T4*)&of_q[stage][c][TILE / 2 + 4 * x];
#pragma unroll
      for (int i = 0; i < CELLS; ++i)
#pragma unroll
        for (int j = 0; j < CELLS; ++j) {
          const T apart = a[i] - b[j];
          sum[i][j] = fma(apart, apart, sum[i][j]);
        }
    }
    if (has_next) {
#if STAGES == 2
      stage = 1 - stage;
#else
      barrier(CLK_LOCAL_MEM_FENCE);
      READ(c0 + DEPTH)
#endif
      WRITE(stage)
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
#pragma unroll
  for (int i = 0; i < CELLS; ++i) {
    const int row = y0 + i / 4 * (TILE / 2) + 4 * y + i % 4;
    if (row >= n) continue;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int column = x0 + side * (TILE / 2) + 4 * x;
      __global T* to = out + (size_t)row * m + column;
      if (m % 4 == 0 && column < m) {
        *(__global T4*)to = (T4)(sum[i][4 * side], sum[i][4 * side + 1], sum[i][4 * side + 2], sum[i][4 * side + 3]);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (column + j < m) to[j] = sum[i][4 * side + j];
      }
    }
  }
}
