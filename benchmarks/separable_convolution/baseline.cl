// Hand-written OpenCL for the job of examples/separable_convolution.pbcc, one cell per
// work-item as in the paper. Built with -DT=double|float -DKWIDTH=7, so that every loop over taps
// unrolls; weights in constant memory; 32-bit offsets. The tiles are sized for the launched group.
#ifdef NEEDS_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

__kernel void both_basic(__global const T* restrict in, __constant T* restrict k, __global T* restrict out, int w, int ow,
                         int oh) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < ow && y < oh) {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < KWIDTH; ++i)
#pragma unroll
      for (int j = 0; j < KWIDTH; ++j) sum += in[(y + j) * w + x + i] * k[i] * k[j];
    out[y * ow + x] = sum;
  }
}

__kernel void rows_basic(__global const T* restrict in, __constant T* restrict k, __global T* restrict out, int w, int ow,
                         int oh) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < ow && y < oh) {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < KWIDTH; ++i) sum += in[y * w + x + i] * k[i];
    out[y * ow + x] = sum;
  }
}

__kernel void columns_basic(__global const T* restrict in, __constant T* restrict k, __global T* restrict out, int w,
                            int ow, int oh) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < ow && y < oh) {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < KWIDTH; ++i) sum += in[(y + i) * w + x] * k[i];
    out[y * ow + x] = sum;
  }
}

// Loads the tile of one group, (group + halo) cells in each direction, row by row.
inline void load_tile(__global const T* restrict in, __local T* tile, int tw, int th, int w, int h) {
  const int x0 = get_group_id(0) * get_local_size(0), y0 = get_group_id(1) * get_local_size(1);
  for (int ty = get_local_id(1); ty < th; ty += get_local_size(1))
    for (int tx = get_local_id(0); tx < tw; tx += get_local_size(0)) {
      const int x = x0 + tx, y = y0 + ty;
      tile[ty * tw + tx] = x < w && y < h ? in[y * w + x] : (T)0;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void both_local(__global const T* restrict in, __constant T* restrict k, __global T* restrict out, int w, int ow,
                         int oh, __local T* tile, int h) {
  const int tw = get_local_size(0) + KWIDTH - 1, th = get_local_size(1) + KWIDTH - 1;
  load_tile(in, tile, tw, th, w, h);
  const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  if (x < ow && y < oh) {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < KWIDTH; ++i)
#pragma unroll
      for (int j = 0; j < KWIDTH; ++j) sum += tile[(ly + j) * tw + lx + i] * k[i] * k[j];
    out[y * ow + x] = sum;
  }
}

__kernel void rows_local(__global const T* restrict in, __constant T* restrict k, __global T* restrict out, int w, int ow,
                         int oh, __local T* tile, int h) {
  const int tw = get_local_size(0) + KWIDTH - 1;
  load_tile(in, tile, tw, get_local_size(1), w, h);
  const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  if (x < ow && y < oh) {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < KWIDTH; ++i) sum += tile[ly * tw + lx + i] * k[i];
    out[y * ow + x] = sum;
  }
}

__kernel void columns_local(__global const T* restrict in, __constant T* restrict k, __global T* restrict out, int w,
                            int ow, int oh, __local T* tile, int h) {
  const int tw = get_local_size(0);
  load_tile(in, tile, tw, get_local_size(1) + KWIDTH - 1, w, h);
  const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  if (x < ow && y < oh) {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < KWIDTH; ++i) sum += tile[(ly + i) * tw + lx] * k[i];
    out[y * ow + x] = sum;
  }
}
