// SPDX-License-Identifier: MIT
// Half sweeps of red-black over-relaxation, one cell per work-item. Each colour has a plane of its own with a frame of zeros;
// cell (i, y) of a plane is cell 2i + (y + colour) % 2 of row y of the grid.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void half_sweep(__global double* restrict own, __global const double* restrict other, __global const double* restrict f,
                         int n, int m, int colour) {
  const int i = get_global_id(0), y = get_global_id(1), odd = (y + colour) % 2, stride = (n + 1) / 2 + 2;
  if (2 * i + odd >= n || y >= m) return;
  const int at = (y + 1) * stride + i + 1;
  const double sum = other[at] + other[at + 2 * odd - 1] + other[at - stride] + other[at + stride] + f[at];
  own[at] += 1.9 * (0.25 * sum - own[at]);
}

// All planes with their frames from a grid. Cells that belong to the frame are zero.
__kernel void split(__global const double* restrict grid, __global double* restrict red, __global double* restrict black,
                    __global double* restrict f_red, __global double* restrict f_black, int n, int m) {
  const int w = (n + 1) / 2 + 2, i = get_global_id(0), y = get_global_id(1);
  if (i >= w || y >= m + 2) return;
  const int at = y * w + i, left = 2 * (i - 1), row = y - 1;
  const int is_inside = i > 0 && i < w - 1 && row >= 0 && row < m;
  const double even = is_inside ? grid[row * n + left] : 0, odd = is_inside && left + 1 < n ? grid[row * n + left + 1] : 0;
  red[at] = black[at] = 0;
  f_red[at] = row % 2 == 0 ? even : odd;
  f_black[at] = row % 2 == 0 ? odd : even;
}

__kernel void join(__global const double* restrict red, __global const double* restrict black, __global double* restrict grid, int n,
                   int m) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= m) return;
  const int at = (y + 1) * ((n + 1) / 2 + 2) + x / 2 + 1;
  grid[y * n + x] = (x + y) % 2 == 0 ? red[at] : black[at];
}
