// SPDX-License-Identifier: MIT
// A convolution layer of 3 x 3 weights without a matrix of its windows (implicit). A group makes 64 features of COLUMNS x ROWS
// pixels of a picture. Each work-item makes 8 features of 8 neighbouring pixels of a row. Tiles of DEPTH channels and their weights
// are in local memory; with two stages, the next ones are copied meanwhile. `order` first brings the weights into the order in which
// they are read.
// T is the type of the numbers, and T4 that of four of them.
#define FEATURES 64
#define PIXELS 8
#define ITEMS (8 * COLUMNS / PIXELS * ROWS)
#define TILE_W (COLUMNS + 2)
#define TILE_H (ROWS + 2)
#define PITCH ((TILE_W + 3) / 4 * 4)
#define OF_TILE (TILE_W * TILE_H * DEPTH)
#define RUNS ((OF_TILE + ITEMS - 1) / ITEMS)
#define OF_WEIGHTS (9 * DEPTH * FEATURES / 4)
#define WEIGHT_RUNS ((OF_WEIGHTS + ITEMS - 1) / ITEMS)

// ordered[block of 64 features][channel][row][column][feature of the block]. What stands for channels and features that do not
// exist is 0.
__kernel void order(__global const T* restrict weights, __global T* restrict ordered, int channels, int features, int padded) {
  const int at = get_global_id(0), f = at / (padded * 9 * FEATURES) * FEATURES + at % FEATURES;
  const int tap = at / FEATURES % 9, c = at / (FEATURES * 9) % padded;
  if (at < (features + FEATURES - 1) / FEATURES * FEATURES * padded * 9)
    ordered[at] = f < features && c < channels ? weights[((size_t)f * channels + c) * 9 + tap] : 0;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void layer(__global const T* restrict in,
    __global const T4* restrict ordered, __global T* restrict out, int w, int h, int channels, int features, int padded) {
  __local T tile[STAGES][DEPTH][TILE_H][PITCH] __attribute__((aligned(32)));
  __local T4 of_weights[STAGES][DEPTH][9][FEATURES / 4];
  const int item = get_local_id(0);
  const int f = item % 8, pixel = item / 8, x = pixel % (COLUMNS / PIXELS) * PIXELS, y = pixel / (COLUMNS / PIXELS);
  const int columns = (w - 2 + COLUMNS - 1) / COLUMNS, rows = (h - 2 + ROWS - 1) / ROWS;
  const int x0 = get_group_id(0) % columns * COLUMNS, y0 = get_group_id(0) / columns % rows * ROWS, z = get_group_id(0) / (columns * rows);
  const int block = get_group_id(1);
  const int plane = w * h;
  in += (size_t)z * channels * plane;
  out += ((size_t)z * features + block * FEATURES) * (w - 2) * (h - 2);
  ordered += (size_t)block * padded * 9 * (FEATURES / 4);
  // Where the work-item's cells of a tile come from. Cells beyond the ends repeat the last ones.
  int from[RUNS];
#pragma unroll
  for (int i = 0; i < RUNS; ++i) {
    const int at = item + i * ITEMS;
    from[i] = min(y0 + at / TILE_W % TILE_H, h - 1) * w + min(x0 + at % TILE_W, w - 1);
  }
  T sum[8][PIXELS];
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < PIXELS; ++j) sum[i][j] = 0;
  T next[RUNS];
  T4 next_weights[WEIGHT_RUNS];
#define READ(first)                                                                                           \
  _Pragma("unroll") for (int i = 0; i < RUNS; ++i) {                                                          \
    const int at = item + i * ITEMS;                                                                          \
    if (OF_TILE % ITEMS == 0 || at < OF_TILE) next[i] = in[min((first) + at / (TILE_W * TILE_H), channels - 1) * plane + from[i]]; \
  }                                                                                                           \
  _Pragma("unroll") for (int i = 0; i < WEIGHT_RUNS; ++i) {                                                   \
    const int at = item + i * ITEMS;                                                                          \
    if (OF_WEIGHTS % ITEMS == 0 || at < OF_WEIGHTS) next_weights[i] = ordered[(first) * 9 * (FEATURES / 4) + at]; \
  }
#define WRITE(stage)                                                                                          \
  _Pragma("unroll") for (int i = 0; i < RUNS; ++i) {                                                          \
    const int at = item + i * ITEMS;                                                                          \
    if (OF_TILE % ITEMS == 0 || at < OF_TILE)                                                                 \
      tile[stage][at / (TILE_W * TILE_H)][at / TILE_W % TILE_H][at % TILE_W] = next[i];                       \
  }                                                                                                           \
  _Pragma("unroll") for (int i = 0; i < WEIGHT_RUNS; ++i) {                                                   \
    const int at = item + i * ITEMS;                                                                          \
    if (OF_WEIGHTS % ITEMS == 0 || at < OF_WEIGHTS) ((__local T4*)of_weights[stage])[at] = next_weights[i];   \
  }
  READ(0)
  WRITE(0)
  barrier(CLK_LOCAL_MEM_FENCE);
  int stage = 0;
  for (int c0 = 0; c0 < channels; c0 += DEPTH) {
    const bool has_next = c0 + DEPTH < channels;
#if STAGES == 2
    if (has_next) { READ(c0 + DEPTH) }
#endif
#pragma unroll UNROLL
    for (int c = 0; c < DEPTH; ++c) {
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        T row[PIXELS + 4];
        __local const T* of_row = &tile[stage][c][y + j][x];
        *(T4*)row = *(__local const T4*)of_row;
        *(T4*)(row + 4) = *(__local const T4*)(of_row + 4);
        row[8] = of_row[8];
        row[9] = of_row[9];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
          const T4 low = of_weights[stage][c][3 * j + i][f], high = of_weights[stage][c][3 * j + i][f + 8];
          const T weight[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
          for (int g = 0; g < 8; ++g)
#pragma unroll
            for (int k = 0; k < PIXELS; ++k) sum[g][k] = fma(weight[g], row[k + i], sum[g][k]);
        }
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
  if (y0 + y >= h - 2) return;
#pragma unroll
  for (int g = 0; g < 8; ++g) {
    const int feature = g / 4 * 32 + 4 * f + g % 4;
    if (block * FEATURES + feature >= features) continue;
    __global T* to = out + ((size_t)feature * (h - 2) + y0 + y) * (w - 2) + x0 + x;
    if ((w - 2) % 4 == 0 && x0 + x + PIXELS <= w - 2) {
      *(__global T4*)to = (T4)(sum[g][0], sum[g][1], sum[g][2], sum[g][3]);
      *(__global T4*)(to + 4) = (T4)(sum[g][4], sum[g][5], sum[g][6], sum[g][7]);
    } else {
#pragma unroll
      for (int k = 0; k < PIXELS; ++k)
        if (x0 + x + k < w - 2) to[k] = sum[g][k];
    }
  }
}
