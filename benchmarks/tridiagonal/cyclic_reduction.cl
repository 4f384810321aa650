// Cyclic reduction after Zhang, Cohen and Owens, "Fast Tridiagonal Solvers on the GPU", PPoPP 2010, section 3: `small`
// solves a system in the local memory of one work-group; `reduce` and `substitute` are one step for systems in global
// memory that are too large for that.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// One system per work-group, in place in local memory: a step with distance `s` keeps each second equation of those kept
// before, the ones at 2s-1, 4s-1 …
__kernel void small(__global const double* a, __global const double* b, __global const double* c, __global const double* d,
                    __global double* x, int n, __local double* la, __local double* lb, __local double* lc,
                    __local double* ld) {
  const int me = get_local_id(0), count = get_local_size(0);
  const size_t at = (size_t)get_group_id(0) * n;
  for (int i = me; i < n; i += count) {
    la[i] = i > 0 ? a[at + i] : 0;
    lb[i] = b[at + i];
    lc[i] = i < n - 1 ? c[at + i] : 0;
    ld[i] = d[at + i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int s = 1;
  for (; 2 * s <= n; s *= 2) {
    for (int i = 2 * s - 1 + 2 * s * me; i < n; i += 2 * s * count) {
      const int low = i - s, high = i + s;
      const double left = la[i] / lb[low];
      double nb = lb[i] - left * lc[low], nd = ld[i] - left * ld[low], nc = 0;
      if (high < n) {
        const double right = lc[i] / lb[high];
        nb -= right * la[high];
        nd -= right * ld[high];
        nc = -right * lc[high];
      }
      la[i] = -left * la[low];
      lb[i] = nb;
      lc[i] = nc;
      ld[i] = nd;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // The unknowns of a step follow from those at a distance of s, which replace their right sides.
  for (; s > 0; s /= 2) {
    for (int i = s - 1 + 2 * s * me; i < n; i += 2 * s * count) {
      const double low = i - s >= 0 ? la[i] * ld[i - s] : 0, high = i + s < n ? lc[i] * ld[i + s] : 0;
      ld[i] = (ld[i] - low - high) / lb[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = me; i < n; i += count) x[at + i] = ld[i];
}

// Equation i of the n/2 kept ones, from equations 2i to 2i+2 of n. Systems are the second dimension.
__kernel void reduce(__global const double* a, __global const double* b, __global const double* c,
                     __global const double* d, __global double* a2, __global double* b2, __global double* c2,
                     __global double* d2, int n) {
  const int i = get_global_id(0), half_n = n / 2;
  if (i >= half_n) return;
  const size_t at = (size_t)get_global_id(1) * n + 2 * i + 1, to = (size_t)get_global_id(1) * half_n + i;
  const double left = a[at] / b[at - 1];
  double nb = b[at] - left * c[at - 1], nd = d[at] - left * d[at - 1], nc = 0;
  if (2 * i + 2 < n) {
    const double right = c[at] / b[at + 1];
    nb -= right * a[at + 1];
    nd -= right * d[at + 1];
    nc = -right * c[at + 1];
  }
  a2[to] = i > 0 ? -left * a[at - 1] : 0;
  b2[to] = nb;
  c2[to] = nc;
  d2[to] = nd;
}

// All unknowns from the odd ones.
__kernel void substitute(__global const double* a, __global const double* b, __global const double* c,
                         __global const double* d, __global const double* x2, __global double* x, int n) {
  const int i = get_global_id(0), half_n = n / 2;
  if (2 * i >= n) return;
  const size_t at = (size_t)get_global_id(1) * n + 2 * i, from = (size_t)get_global_id(1) * half_n + i;
  const double low = i > 0 ? a[at] * x2[from - 1] : 0, high = 2 * i + 1 < n ? c[at] * x2[from] : 0;
  x[at] = (d[at] - low - high) / b[at];
  if (2 * i + 1 < n) x[at + 1] = x2[from];
}
