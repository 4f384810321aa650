// SPDX-License-Identifier: MIT
// Prices of European options, one per work-item, after NVIDIA's sample BlackScholes. With -DERFC the normal distribution is that
// of erfc, else polynomial 26.2.17 of Abramowitz and Stegun.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifdef ERFC
inline double normal(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }
#else
inline double normal(double x) {
  const double t = 1 / (1 + 0.2316419 * fabs(x));
  const double sum =
      t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double tail = 0.39894228040143267794 * exp(-0.5 * x * x) * sum;
  return x > 0 ? 1 - tail : tail;
}
#endif

__kernel void prices(__global const double* restrict spot, __global const double* restrict strike,
                     __global const double* restrict years, __global double* restrict call, __global double* restrict put,
                     double rate, double volatility, int count) {
  const int i = get_global_id(0);
  if (i >= count) return;
  const double s = spot[i], k = strike[i], t = years[i];
  const double deviation = volatility * sqrt(t);
  const double d1 = (log(s / k) + (rate + volatility * volatility / 2) * t) / deviation;
  const double n1 = normal(d1), n2 = normal(d1 - deviation), discounted = k * exp(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1 - n2) - s * (1 - n1);
}
