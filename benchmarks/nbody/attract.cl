// SPDX-License-Identifier: MIT
// Accelerations of bodies, one per work-item. The group of work-items reads the other bodies together, tile by tile, after
// L. Nyland, M. Harris, J. Prins, Fast N-Body Simulation with CUDA (GPU Gems 3, chapter 31), 2007.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define GROUP 128
#define SOFTENING 1e-3

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void attract(__global const double* restrict mass,
    __global const double* restrict xs, __global const double* restrict ys, __global const double* restrict zs,
    __global double* restrict ax, __global double* restrict ay, __global double* restrict az, int count) {
  __local double4 tile[GROUP];
  const int i = get_global_id(0), item = get_local_id(0);
  const double x = i < count ? xs[i] : 0, y = i < count ? ys[i] : 0, z = i < count ? zs[i] : 0;
  double sum_x = 0, sum_y = 0, sum_z = 0;
  for (int first = 0; first < count; first += GROUP) {
    const int j = first + item;
    tile[item] = j < count ? (double4)(xs[j], ys[j], zs[j], mass[j]) : (double4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < GROUP; ++k) {
      const double4 other = tile[k];
      const double dx = other.x - x, dy = other.y - y, dz = other.z - z;
      const double square = dx * dx + dy * dy + dz * dz + SOFTENING;
      const double factor = other.w / (square * sqrt(square));
      sum_x += factor * dx;
      sum_y += factor * dy;
      sum_z += factor * dz;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i >= count) return;
  ax[i] = sum_x;
  ay[i] = sum_y;
  az[i] = sum_z;
}
