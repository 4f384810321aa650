# SPDX-License-Identifier: MIT
"""More loops as in cases.py, of shapes that are met less often."""

from cases import Case

CASES = [
    Case("reduce_middle", """transform Job from A[n,n,n] to S[n,n] {
  S.cell(x,z) from (A.region(x,0,z,x+1,n,z+1) a) { ElementT s = 0; for (int k = 0; k < n; ++k) s += a.cell(0,k,0); return s; } }""",
         ("n,n", "n,n,n"), 1, """parallel
for (int z = 0; z < n; ++z) {
  for (int x = 0; x < n; ++x) m0[x+z*n] = 0;
  for (int k = 0; k < n; ++k) for (int x = 0; x < n; ++x) m0[x+z*n] += m1[x+(k+z*n)*n];
}""", 48),
    Case("filter_columns", """transform Job from A[n,n] to B[n,n] {
  to (B.column(x) b) from (A.column(x) a) {
    b.cell(0) = a.cell(0);
    for (int y = 1; y < n; ++y) b.cell(y) = a.cell(y) + 0.5f*b.cell(y-1); } }""",
         ("n,n", "n,n"), 1, """for (int x = 0; x < n; ++x) m0[x] = m1[x];
for (int y = 1; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n] + 0.5f*m0[x+(y-1)*n];""", 200),
    Case("eliminate_columns", """transform Job from A[n,n] to X[n,n], C[n,n] {
  to (X.column(x) d, C.column(x) c) from (A.column(x) a) {
    c.cell(0) = -0.25f; d.cell(0) = a.cell(0)*0.25f;
    for (int k = 1; k < n; ++k) {
      ElementT m = 1/(4 + c.cell(k-1));
      c.cell(k) = -m;
      d.cell(k) = (a.cell(k) + d.cell(k-1))*m;
    }
    for (int k = n-2; k >= 0; --k) d.cell(k) -= c.cell(k)*d.cell(k+1); } }""", ("n,n", "n,n", "n,n"), 2,
         """for (int x = 0; x < n; ++x) { m1[x] = -0.25f; m0[x] = m2[x]*0.25f; }
for (int k = 1; k < n; ++k)
  for (int x = 0; x < n; ++x) {
    E m = 1/(4 + m1[x+(k-1)*n]);
    m1[x+k*n] = -m;
    m0[x+k*n] = (m2[x+k*n] + m0[x+(k-1)*n])*m;
  }
for (int k = n-2; k >= 0; --k) for (int x = 0; x < n; ++x) m0[x+k*n] -= m1[x+k*n]*m0[x+(k+1)*n];""", 203),
    Case("wave_3d", """transform Job from A[n,n,n] to B[n,n,n] {
  B.cell(x,y,z) from (B.cell(x-1,y,z) p, B.cell(x,y-1,z) q, B.cell(x,y,z-1) r, A.cell(x,y,z) a) { return a + 0.3f*(p+q+r); }
  secondary B.cell(x,y,z) from (A.cell(x,y,z) a) { return a; } }""", ("n,n,n", "n,n,n"), 1,
         """const int s = n, t = n*n;
for (int z = 0; z < n; ++z) for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) {
  const int i = x + y*s + z*t;
  m0[i] = x && y && z ? m1[i] + 0.3f*(m0[i-1] + m0[i-s] + m0[i-t]) : m1[i];
}""", 48),
    Case("median_3x3", """transform Job from A[n,n] to B[n-2,n-2] {
  B.cell(x,y) from (A.region(x,y,x+3,y+3) a) {
    ElementT v[9];
    for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) v[3*j+i] = a.cell(i,j);
    for (int i = 0; i < 5; ++i) for (int j = i+1; j < 9; ++j) {
      ElementT lo = std::min(v[i], v[j]), hi = std::max(v[i], v[j]);
      v[i] = lo; v[j] = hi;
    }
    return v[4]; } }""", ("n-2,n-2", "n,n"), 1, """parallel
for (int y = 0; y < n-2; ++y) for (int x = 0; x < n-2; ++x) {
  E v[9];
  for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) v[3*j+i] = m1[x+i+(y+j)*n];
  for (int i = 0; i < 5; ++i) for (int j = i+1; j < 9; ++j) {
    E lo = std::min(v[i], v[j]), hi = std::max(v[i], v[j]);
    v[i] = lo; v[j] = hi;
  }
  m0[x+y*(n-2)] = v[4];
}""", 100),
    Case("optional", """transform Job from A[n,n] to B[n,n] {
  B.cell(x,y) from (A.cell(x,y) c, A.cell(x-1,y) l = 0, A.cell(x+1,y) r = 0, A.cell(x,y-1) u = 0, A.cell(x,y+1) d = 0) {
    return c + 0.1f*(l+r+u+d-4*c); } }""", ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) {
  const E c = m1[x+y*n], l = x > 0 ? m1[x-1+y*n] : 0, r = x < n-1 ? m1[x+1+y*n] : 0;
  const E u = y > 0 ? m1[x+(y-1)*n] : 0, d = y < n-1 ? m1[x+(y+1)*n] : 0;
  m0[x+y*n] = c + 0.1f*(l+r+u+d-4*c);
}""", 200),
    Case("refine", """transform Job from C[w,h] to F[2*w-1,2*h-1] {
  F.cell(x,y) from (C.cell(x/2,y/2) a, C.cell((x+1)/2,y/2) b, C.cell(x/2,(y+1)/2) c, C.cell((x+1)/2,(y+1)/2) d) {
    return 0.25f*(a+b+c+d); } }""", ("2*n-1,2*n-1", "n,n"), 1, """parallel
for (int y = 0; y < 2*n-1; ++y) for (int x = 0; x < 2*n-1; ++x)
  m0[x+y*(2*n-1)] = 0.25f*(m1[x/2+y/2*n] + m1[(x+1)/2+y/2*n] + m1[x/2+(y+1)/2*n] + m1[(x+1)/2+(y+1)/2*n]);""", 100),
    Case("interleave", """transform Job from A[n], B[n] to C[2*n] {
  C.cell(2*i) from (A.cell(i) a) { return a; }
  C.cell(2*i+1) from (B.cell(i) b) { return b; } }""", ("2*n", "n", "n"), 1, """parallel
for (int i = 0; i < n; ++i) { m0[2*i] = m1[i]; m0[2*i+1] = m2[i]; }""", 20000),
    Case("triangular_product", """transform Job from U[n,n], B[n,n] to C[n,n] {
  C.cell(x,y) from (U.row(y) u, B.column(x) b) where x >= y {
    ElementT s = 0; for (int k = y; k <= x; ++k) s += u.cell(k)*b.cell(k); return s; }
  secondary C.cell(x,y) from () { return 0; } }""", ("n,n", "n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  for (int x = 0; x < n; ++x) m0[x+y*n] = 0;
  for (int k = y; k < n; ++k) for (int x = k; x < n; ++x) m0[x+y*n] += m1[k+y*n]*m2[x+k*n];
}""", 100),
    Case("row_temporary", """transform Job from A[n,n] to B[n,n] {
  to (B.row(y) b) from (A.row(y) a) using (T[n]) {
    for (int i = 0; i < n; ++i) T.cell(i) = a.cell(i)*a.cell(i);
    for (int i = 0; i < n; ++i) b.cell(i) = T.cell(i) + T.cell(n-1-i); } }""", ("n,n", "n,n"), 1, """std::vector<E> t(n);
for (int y = 0; y < n; ++y) {
  for (int i = 0; i < n; ++i) t[i] = m1[i+y*n]*m1[i+y*n];
  for (int i = 0; i < n; ++i) m0[i+y*n] = t[i] + t[n-1-i];
}""", 100),
    Case("call_per_cell", """transform Smooth from A[3] to S { S from (A a) { return (a.cell(0) + 2*a.cell(1) + a.cell(2))/4; } }
transform Job from A[n] to B[n-2] { to (B.cell(i) b) from (A.region(i,i+3) a) { Smooth(b, a); } }""", ("n-2", "n"), 1,
         """parallel
for (int i = 0; i < n-2; ++i) m0[i] = (m1[i] + 2*m1[i+1] + m1[i+2])/4;""", 1000),
    Case("interpolate_1d", """transform Job from C[n] to F[2*n-1] {
  F.cell(2*i) from (C.cell(i) c) { return c; }
  F.cell(2*i+1) from (C.cell(i) l, C.cell(i+1) r) { return 0.5f*(l+r); } }""", ("2*n-1", "n"), 1, """parallel
for (int i = 0; i < n-1; ++i) { m0[2*i] = m1[i]; m0[2*i+1] = 0.5f*(m1[i]+m1[i+1]); }
m0[2*n-2] = m1[n-1];""", 20000),
    Case("interpolate_2d", """transform Job from C[n,n] to F[2*n-1,2*n-1] {
  F.cell(2*x,2*y) from (C.cell(x,y) c) { return c; }
  F.cell(2*x+1,2*y) from (C.cell(x,y) l, C.cell(x+1,y) r) { return 0.5f*(l+r); }
  F.cell(2*x,2*y+1) from (C.cell(x,y) u, C.cell(x,y+1) d) { return 0.5f*(u+d); }
  F.cell(2*x+1,2*y+1) from (C.cell(x,y) a, C.cell(x+1,y) b, C.cell(x,y+1) c, C.cell(x+1,y+1) d) {
    return 0.25f*(a+b+c+d); } }""", ("2*n-1,2*n-1", "n,n"), 1, """const int m = 2*n-1;
parallel
for (int y = 0; y < n-1; ++y) {
  const E *p = m1 + y*n, *q = p + n;
  E *f = m0 + 2*y*m, *g = f + m;
  for (int x = 0; x < n-1; ++x) {
    f[2*x] = p[x];
    f[2*x+1] = 0.5f*(p[x]+p[x+1]);
    g[2*x] = 0.5f*(p[x]+q[x]);
    g[2*x+1] = 0.25f*(p[x]+p[x+1]+q[x]+q[x+1]);
  }
  f[m-1] = p[n-1];
  g[m-1] = 0.5f*(p[n-1]+q[n-1]);
}
const E *p = m1 + (n-1)*n;
E *f = m0 + (m-1)*m;
for (int x = 0; x < n-1; ++x) { f[2*x] = p[x]; f[2*x+1] = 0.5f*(p[x]+p[x+1]); }
f[m-1] = p[n-1];""", 100),
    Case("even_odd_rows", """transform Job from A[n,m] to B[n,2*m] {
  B.cell(x,2*y) from (A.cell(x,y) a) { return a; }
  B.cell(x,2*y+1) from (A.cell(x,y) a, A.cell(x,y+1) b) { return 0.5f*(a+b); }
  secondary B.cell(x,2*y+1) from (A.cell(x,y) a) { return a; } }""", ("n,2*n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  const E *p = m1 + y*n, *q = y+1 < n ? p + n : p;
  for (int x = 0; x < n; ++x) {
    m0[x+2*y*n] = p[x];
    m0[x+(2*y+1)*n] = 0.5f*(p[x]+q[x]);
  }
}""", 150),
    Case("butterfly", """transform Job from A[2*n] to B[2*n] {
  B.cell(i) from (A.cell(2*i) a, A.cell(2*i+1) b) { return a+b; }
  B.cell(i+n) from (A.cell(2*i) a, A.cell(2*i+1) b) { return a-b; } }""", ("2*n", "2*n"), 1, """parallel
for (int i = 0; i < n; ++i) {
  const E a = m1[2*i], b = m1[2*i+1];
  m0[i] = a+b;
  m0[i+n] = a-b;
}""", 10000),
    Case("complex_pairs", """transform Job from A[2*n], B[2*n] to C[2*n] {
  C.cell(2*i) from (A.cell(2*i) ar, A.cell(2*i+1) ai, B.cell(2*i) br, B.cell(2*i+1) bi) { return ar*br - ai*bi; }
  C.cell(2*i+1) from (A.cell(2*i) ar, A.cell(2*i+1) ai, B.cell(2*i) br, B.cell(2*i+1) bi) { return ar*bi + ai*br; } }""",
         ("2*n", "2*n", "2*n"), 1, """parallel
for (int i = 0; i < n; ++i) {
  m0[2*i] = m1[2*i]*m2[2*i] - m1[2*i+1]*m2[2*i+1];
  m0[2*i+1] = m1[2*i]*m2[2*i+1] + m1[2*i+1]*m2[2*i];
}""", 10000),
    Case("interleave_3", """transform Job from R[n,n], G[n,n], B[n,n] to P[3*n,n] {
  P.cell(3*x,y) from (R.cell(x,y) r) { return r; }
  P.cell(3*x+1,y) from (G.cell(x,y) g) { return g; }
  P.cell(3*x+2,y) from (B.cell(x,y) b) { return b; } }""", ("3*n,n", "n,n", "n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) {
  E* p = m0 + 3*x + 3*n*y;
  p[0] = m1[x+y*n];
  p[1] = m2[x+y*n];
  p[2] = m3[x+y*n];
}""", 150),
    Case("red_black", """transform Job from A[2*w,2*h] to B[2*w,2*h] {
  B.cell(2*x,2*y) from (A.cell(2*x,2*y) a, A.cell(2*x+1,2*y) b) { return a + 0.5f*b; }
  B.cell(2*x+1,2*y+1) from (A.cell(2*x+1,2*y+1) a, A.cell(2*x,2*y+1) b) { return a + 0.5f*b; }
  B.cell(2*x+1,2*y) from (A.cell(2*x+1,2*y) a) { return a; }
  B.cell(2*x,2*y+1) from (A.cell(2*x,2*y+1) a) { return a; } }""", ("2*n,2*n", "2*n,2*n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) {
  const E *a = m1 + 2*x + 4*y*n, *b = a + 2*n;
  E *c = m0 + 2*x + 4*y*n, *d = c + 2*n;
  c[0] = a[0] + 0.5f*a[1];
  c[1] = a[1];
  d[0] = b[0];
  d[1] = b[1] + 0.5f*b[0];
}""", 100),
]
