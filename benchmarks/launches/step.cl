// A step of a chain: one row of a matrix.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void one_step(__global double* to, __global const double* from, int row, int n, double factor, double summand) {
  const int x = (int)get_global_id(0);
  if (x < n) to[row * n + x] = from[row * n + x] * factor + summand;
}
