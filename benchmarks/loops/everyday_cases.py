# SPDX-License-Identifier: MIT
"""More loops as in cases.py: what people compute per row, per cell and per block most days."""

from cases import Case

CASES = [
    Case("running_sum", """transform Job from A[n] to B[n] {
  B.cell(0) from (A.cell(0) a) { return a; }
  B.cell(i) from (A.cell(i) a, B.cell(i-1) p) { return 0.5f*p + a; } }""", ("n", "n"), 1, """m0[0] = m1[0];
for (int i = 1; i < n; ++i) m0[i] = 0.5f*m0[i-1] + m1[i];""", 20000),
    Case("running_sum_rows", """transform Job from A[n,n] to B[n,n] {
  to (B.row(y) b) from (A.row(y) a) { ElementT s = 0; for (int i = 0; i < n; ++i) { s += a.cell(i); b.cell(i) = s; } } }""",
         ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) { E s = 0; for (int i = 0; i < n; ++i) { s += m1[i+y*n]; m0[i+y*n] = s; } }""", 150),
    Case("argmin_rows", """transform Job from A[n,n] to I[n] {
  I.cell(y) from (A.row(y) a) { int k = 0; for (int i = 1; i < n; ++i) if (a.cell(i) < a.cell(k)) k = i; return k; } }""",
         ("n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  const E* a = m1 + y*n;
  int k = 0;
  for (int i = 1; i < n; ++i) if (a[i] < a[k]) k = i;
  m0[y] = k;
}""", 150),
    Case("range_of_rows", """transform Job from A[n,n] to LO[n], HI[n] {
  to (LO.cell(y) lo, HI.cell(y) hi) from (A.row(y) a) {
    ElementT l = a.cell(0), h = l;
    for (int i = 1; i < n; ++i) { l = std::min(l, a.cell(i)); h = std::max(h, a.cell(i)); }
    lo = l; hi = h; } }""", ("n", "n", "n,n"), 2, """parallel
for (int y = 0; y < n; ++y) {
  E l = m2[y*n], h = l;
  for (int i = 1; i < n; ++i) { l = std::min(l, m2[i+y*n]); h = std::max(h, m2[i+y*n]); }
  m0[y] = l; m1[y] = h;
}""", 150),
    Case("softmax_rows", """transform Job from A[n,n] to B[n,n] {
  to (B.row(y) b) from (A.row(y) a) {
    ElementT s = 0;
    for (int i = 0; i < n; ++i) { b.cell(i) = std::exp(a.cell(i)); s += b.cell(i); }
    for (int i = 0; i < n; ++i) b.cell(i) /= s; } }""", ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  E s = 0;
  for (int i = 0; i < n; ++i) { m0[i+y*n] = std::exp(m1[i+y*n]); s += m0[i+y*n]; }
  for (int i = 0; i < n; ++i) m0[i+y*n] /= s;
}""", 100),
    Case("reverse", "transform Job from A[n] to B[n] { B.cell(i) from (A.cell(n-1-i) a) { return 2*a; } }", ("n", "n"), 1,
         """parallel
for (int i = 0; i < n; ++i) m0[i] = 2*m1[n-1-i];""", 20000),
    Case("mirror_rows", "transform Job from A[n,n] to B[n,n] { B.cell(x,y) from (A.cell(x,y) a, A.cell(n-1-x,y) b) { return a+b; } }",
         ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n] + m1[n-1-x+y*n];""", 150),
    Case("lower_triangle", """transform Job from A[n,n] to B[n,n] {
  B.cell(x,y) from (A.cell(x,y) a) where x <= y { return 2*a; }
  secondary B.cell(x,y) from () { return 0; } }""", ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  for (int x = 0; x <= y; ++x) m0[x+y*n] = 2*m1[x+y*n];
  for (int x = y+1; x < n; ++x) m0[x+y*n] = 0;
}""", 150),
    Case("four_borders", """transform Job from A[n,n] to B[n,n] {
  B.cell(x,y) from (A.cell(x-1,y) l, A.cell(x+1,y) r, A.cell(x,y-1) u, A.cell(x,y+1) d) { return 0.25f*(l+r+u+d); }
  secondary B.cell(0,y) from (A.cell(1,y) r) { return r; }
  secondary B.cell(n-1,y) from (A.cell(n-2,y) l) { return l; }
  secondary B.cell(x,0) from (A.cell(x,1) d) { return d; }
  secondary B.cell(x,n-1) from (A.cell(x,n-2) u) { return u; } }""", ("n,n", "n,n"), 1, """for (int x = 1; x < n-1; ++x) { m0[x] = m1[x+n]; m0[x+(n-1)*n] = m1[x+(n-2)*n]; }
parallel
for (int y = 1; y < n-1; ++y)
  for (int x = 1; x < n-1; ++x) m0[x+y*n] = 0.25f*(m1[x-1+y*n] + m1[x+1+y*n] + m1[x+(y-1)*n] + m1[x+(y+1)*n]);
for (int y = 0; y < n; ++y) { m0[y*n] = m1[1+y*n]; m0[n-1+y*n] = m1[n-2+y*n]; }""", 150),
    Case("halve", """transform Job from A[2*n,2*n] to B[n,n] {
  B.cell(x,y) from (A.region(2*x,2*y,2*x+2,2*y+2) a) { return 0.25f*(a.cell(0,0)+a.cell(1,0)+a.cell(0,1)+a.cell(1,1)); } }""",
         ("n,n", "2*n,2*n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) {
  const E *a = m1 + 2*x + 4*y*n, *b = a + 2*n;
  m0[x+y*n] = 0.25f*(a[0]+a[1]+b[0]+b[1]);
}""", 100),
    Case("gray_of_rgb", """transform Job from P[3*n] to G[n] {
  G.cell(i) from (P.cell(3*i) r, P.cell(3*i+1) g, P.cell(3*i+2) b) { return 0.3f*r + 0.6f*g + 0.1f*b; } }""", ("n", "3*n"), 1,
         """parallel
for (int i = 0; i < n; ++i) m0[i] = 0.3f*m1[3*i] + 0.6f*m1[3*i+1] + 0.1f*m1[3*i+2];""", 10000),
    Case("histogram", """transform Job from A[n] to H[32] {
  H.cell(k) from (A a) { int c = 0; for (int i = 0; i < n; ++i) if (int(a.cell(i)*32) == k) ++c; return c; } }""", ("32", "n"), 1,
         """parallel
for (int k = 0; k < 32; ++k) { int c = 0; for (int i = 0; i < n; ++i) if (int(m1[i]*32) == k) ++c; m0[k] = c; }""", 2000),
    Case("symmetrize", "transform Job from A[n,n] to B[n,n] { B.cell(x,y) from (A.cell(x,y) a, A.cell(y,x) b) { return 0.5f*(a+b); } }",
         ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = 0.5f*(m1[x+y*n] + m1[y+x*n]);""", 150),
    Case("small_matrices", """transform Job from A[3,3,n], X[3,n] to Y[3,n] {
  to (Y.row(k) y) from (A.region(0,0,k,3,3,k+1) a, X.row(k) x) {
    for (int i = 0; i < 3; ++i) y.cell(i) = a.cell(0,i,0)*x.cell(0) + a.cell(1,i,0)*x.cell(1) + a.cell(2,i,0)*x.cell(2); } }""",
         ("3,n", "3,3,n", "3,n"), 1, """parallel
for (int k = 0; k < n; ++k)
  for (int i = 0; i < 3; ++i)
    m0[i+3*k] = m1[3*i+9*k]*m2[3*k] + m1[1+3*i+9*k]*m2[1+3*k] + m1[2+3*i+9*k]*m2[2+3*k];""", 3000),
]
