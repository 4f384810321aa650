// SPDX-License-Identifier: MIT
// The Mandelbrot set, one point per work-item, as in the samples of AMD's and NVIDIA's SDKs.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void escape(__global int* restrict count, double left, double top, double step, int limit, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const double re = left + x * step, im = top + y * step;
  double zr = 0, zi = 0;
  int k = 0;
  for (; k < limit && zr * zr + zi * zi <= 4; ++k) {
    const double next = zr * zr - zi * zi + re;
    zi = 2 * zr * zi + im;
    zr = next;
  }
  count[(size_t)y * width + x] = k;
}
