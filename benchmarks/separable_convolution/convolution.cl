// SPDX-License-Identifier: MIT
// Convolution with a separable kernel: whole windows, rows, columns. Each work-item makes OUTPUTS cells, as far apart as the
// group is wide or high (V. Podlozhnyuk, Image Convolution with CUDA, 2007). With IN_TILES a group first loads what it reads into
// local memory. Built with -DT=double or float, -DWIDTH, -DOUTPUTS, so that every loop unrolls.
#ifdef NEEDS_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifdef IN_TILES
#define SAMPLE(column, row) tile[((row) - y0) * tile_w + (column) - x0]
#else
#define SAMPLE(column, row) in[(row) * w + (column)]
#endif

// Loads tile_w by tile_h cells from (x0, y0) on. Cells outside of the picture are not loaded, and no output needs them.
inline void load(__global const T* restrict in, __local T* tile, int x0, int y0, int tile_w, int tile_h, int w, int h) {
#ifdef IN_TILES
  for (int y = get_local_id(1); y < tile_h && y0 + y < h; y += get_local_size(1))
    for (int x = get_local_id(0); x < tile_w && x0 + x < w; x += get_local_size(0)) tile[y * tile_w + x] = in[(y0 + y) * w + x0 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

__kernel void direct(__global const T* restrict in, __constant T* restrict weights, __global T* restrict out, int w, int h, int out_w,
                     int out_h, __local T* tile) {
  const int group_w = get_local_size(0), group_h = get_local_size(1), tile_w = group_w + WIDTH - 1;
  const int x0 = get_group_id(0) * group_w, y0 = get_group_id(1) * group_h * OUTPUTS;
  load(in, tile, x0, y0, tile_w, group_h * OUTPUTS + WIDTH - 1, w, h);
  const int x = x0 + get_local_id(0);
#pragma unroll
  for (int k = 0; k < OUTPUTS; ++k) {
    const int y = y0 + get_local_id(1) + k * group_h;
    if (x >= out_w || y >= out_h) return;
    T sum = 0;
#pragma unroll
    for (int j = 0; j < WIDTH; ++j)
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) sum += SAMPLE(x + i, y + j) * (weights[i] * weights[j]);
    out[y * out_w + x] = sum;
  }
}

__kernel void rows(__global const T* restrict in, __constant T* restrict weights, __global T* restrict out, int w, int h, int out_w,
                   int out_h, __local T* tile) {
  const int group_w = get_local_size(0), group_h = get_local_size(1), tile_w = group_w * OUTPUTS + WIDTH - 1;
  const int x0 = get_group_id(0) * group_w * OUTPUTS, y0 = get_group_id(1) * group_h;
  load(in, tile, x0, y0, tile_w, group_h, w, h);
  const int y = y0 + get_local_id(1);
#pragma unroll
  for (int k = 0; k < OUTPUTS; ++k) {
    const int x = x0 + get_local_id(0) + k * group_w;
    if (x >= out_w || y >= out_h) return;
    T sum = 0;
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) sum += SAMPLE(x + i, y) * weights[i];
    out[y * out_w + x] = sum;
  }
}

__kernel void columns(__global const T* restrict in, __constant T* restrict weights, __global T* restrict out, int w, int h, int out_w,
                      int out_h, __local T* tile) {
  const int group_w = get_local_size(0), group_h = get_local_size(1), tile_w = group_w;
  const int x0 = get_group_id(0) * group_w, y0 = get_group_id(1) * group_h * OUTPUTS;
  load(in, tile, x0, y0, tile_w, group_h * OUTPUTS + WIDTH - 1, w, h);
  const int x = x0 + get_local_id(0);
#pragma unroll
  for (int k = 0; k < OUTPUTS; ++k) {
    const int y = y0 + get_local_id(1) + k * group_h;
    if (x >= out_w || y >= out_h) return;
    T sum = 0;
#pragma unroll
    for (int j = 0; j < WIDTH; ++j) sum += SAMPLE(x, y + j) * weights[j];
    out[y * out_w + x] = sum;
  }
}
