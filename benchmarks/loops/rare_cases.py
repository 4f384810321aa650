# SPDX-License-Identifier: MIT
"""More loops as in cases.py: integers and masks, wide halos, many dimensions, computed places."""

from cases import Case

MATRICES_4X4 = """parallel
for (int k = 0; k < n; ++k) {
  const E *a = m1 + 16*k, *b = m2 + 16*k;
  E* c = m0 + 16*k;
  for (int y = 0; y < 4; ++y) for (int x = 0; x < 4; ++x) {
    E s = 0; for (int i = 0; i < 4; ++i) s += a[i+4*y]*b[x+4*i];
    c[x+4*y] = s; }
}"""

CASES = [
    Case("sparse_rows", """transform Job from int FIRST[n+1], int COLUMN[k], V[k], X[n] to Y[n] {
  Y.cell(r) from (FIRST.cell(r) b, FIRST.cell(r+1) e, COLUMN c, V v, X x) {
    ElementT s = 0; for (int i = b; i < e; ++i) s += v.cell(i)*x.cell(c.cell(i)); return s; } }""",
         ("n", "int n+1", "int 12*n", "12*n", "n"), 1, """parallel
for (int r = 0; r < n; ++r) { E s = 0; for (int i = m1[r]; i < m1[r+1]; ++i) s += m3[i]*m4[m2[i]]; m0[r] = s; }""", 2000,
         """for (int i = 0; i <= n; ++i) m1[i] = 12*i;
for (int i = 0; i < 12*n; ++i) m2[i] = (i/12 + i*7919%100) % n;"""),
    Case("star_3d", """transform Job from A[n,n,n] to B[n-8,n-8,n-8] {
  B.cell(x,y,z) from (A.region(x,y,z,x+9,y+9,z+9) a) {
    ElementT s = 0;
    for (int k = 1; k <= 4; ++k)
      s += (a.cell(4-k,4,4) + a.cell(4+k,4,4) + a.cell(4,4-k,4) + a.cell(4,4+k,4) + a.cell(4,4,4-k) + a.cell(4,4,4+k)) / k;
    return a.cell(4,4,4) + 0.1f*s; } }""", ("n-8,n-8,n-8", "n,n,n"), 1, """const int m = n-8, p = n*n;
parallel
for (int z = 0; z < m; ++z) for (int y = 0; y < m; ++y) for (int x = 0; x < m; ++x) {
  const E* a = m1 + x+4 + (y+4)*n + (z+4)*p;
  E s = 0;
  for (int k = 1; k <= 4; ++k) s += (a[-k] + a[k] + a[-k*n] + a[k*n] + a[-k*p] + a[k*p]) / k;
  m0[x+y*m+z*m*m] = a[0] + 0.1f*s;
}""", 48),
    Case("box_3d", """transform Job from A[n,n,n] to B[n-4,n-4,n-4] {
  B.cell(x,y,z) from (A.region(x,y,z,x+5,y+5,z+5) a) {
    ElementT s = 0;
    for (int k = 0; k < 5; ++k) for (int j = 0; j < 5; ++j) for (int i = 0; i < 5; ++i) s += a.cell(i,j,k);
    return s; } }""", ("n-4,n-4,n-4", "n,n,n"), 1, """const int m = n-4;
parallel
for (int z = 0; z < m; ++z) for (int y = 0; y < m; ++y) for (int x = 0; x < m; ++x) {
  E s = 0;
  for (int k = 0; k < 5; ++k) for (int j = 0; j < 5; ++j) for (int i = 0; i < 5; ++i) s += m1[x+i+(y+j)*n+(z+k)*n*n];
  m0[x+y*m+z*m*m] = s;
}""", 32),
    Case("count_ints", """transform Job from int A[n], int K to int S {
  S from (A a, K k) { int c = 0; for (int i = 0; i < n; ++i) if (a.cell(i) > k) ++c; return c; } }""", ("int ", "int n", "int "), 1,
         "int c = 0;\nfor (int i = 0; i < n; ++i) if (m1[i] > m2) ++c;\nm0 = c;", 20000),
    Case("count_bytes", """transform Job from uchar A[n,n] to int S[n] {
  S.cell(y) from (A.row(y) a) { int c = 0; for (int i = 0; i < n; ++i) c += a.cell(i) == 7; return c; } }""", ("int n", "uchar n,n"), 1,
         "parallel\nfor (int y = 0; y < n; ++y) { int c = 0; for (int i = 0; i < n; ++i) c += m1[i+y*n] == 7; m0[y] = c; }", 400),
    Case("byte_mask", "transform Job from A[n,n] to uchar M[n,n] { M.cell(x,y) from (A.cell(x,y) a) { return a > 0.5f ? 255 : 0; } }",
         ("uchar n,n", "n,n"), 1, "parallel\nfor (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n] > 0.5f ? 255 : 0;", 200),
    Case("masked", """transform Job from uchar M[n,n], A[n,n], B[n,n] to C[n,n] {
  C.cell(x,y) from (M.cell(x,y) m, A.cell(x,y) a, B.cell(x,y) b) { return m ? a : b; } }""", ("n,n", "uchar n,n", "n,n", "n,n"), 1,
         "parallel\nfor (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n] ? m2[x+y*n] : m3[x+y*n];", 150),
    Case("byte_blend", """transform Job from uchar A[n,n], uchar B[n,n] to uchar C[n,n] {
  C.cell(x,y) from (A.cell(x,y) a, B.cell(x,y) b) { return (3*a + b) / 4; } }""", ("uchar n,n", "uchar n,n", "uchar n,n"), 1,
         "parallel\nfor (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = (3*m1[x+y*n] + m2[x+y*n]) / 4;", 300),
    Case("byte_blur", """transform Job from uchar A[n,n] to uchar B[n-2,n-2] {
  B.cell(x,y) from (A.region(x,y,x+3,y+3) a) {
    int s = 0;
    for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += a.cell(i,j);
    return s / 9; } }""", ("uchar n-2,n-2", "uchar n,n"), 1, """parallel
for (int y = 0; y < n-2; ++y) for (int x = 0; x < n-2; ++x) {
  int s = 0;
  for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += m1[x+i+(y+j)*n];
  m0[x+y*(n-2)] = s / 9;
}""", 300),
    Case("int_mix", """transform Job from int A[n], int B[n] to int C[n] {
  C.cell(i) from (A.cell(i) a, B.cell(i) b) { return (a*31 ^ (b >> 3)) & 65535; } }""", ("int n", "int n", "int n"), 1,
         "parallel\nfor (int i = 0; i < n; ++i) m0[i] = (m1[i]*31 ^ (m2[i] >> 3)) & 65535;", 20000),
    Case("quadrants", """transform Job from A[n,n] to B[n,n] {
  B.cell(x,y) from (A.cell(x,y) a) where x < n/2 && y < n/2 { return a; }
  B.cell(x,y) from (A.cell(x,y) a, A.cell(x-1,y) l) where x >= n/2 && y < n/2 { return a+l; }
  B.cell(x,y) from (A.cell(x,y) a, A.cell(x,y-1) u) where x < n/2 && y >= n/2 { return a+u; }
  B.cell(x,y) from (A.cell(x,y) a, A.cell(x-1,y-1) c) where x >= n/2 && y >= n/2 { return a+c; } }""", ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  const E *a = m1 + y*n, *u = a - n;
  E* b = m0 + y*n;
  const int h = n/2;
  if (y < h) {
    for (int x = 0; x < h; ++x) b[x] = a[x];
    for (int x = h; x < n; ++x) b[x] = a[x] + a[x-1];
  } else {
    for (int x = 0; x < h; ++x) b[x] = a[x] + u[x];
    for (int x = h; x < n; ++x) b[x] = a[x] + u[x-1];
  }
}""", 200),
    Case("rings", """transform Job from A[n,n] to B[n,n] {
  B.cell(x,y) from (A.region(x-2,y-2,x+3,y+3) a) { return a.cell(2,2) + 0.1f*(a.cell(0,2)+a.cell(4,2)+a.cell(2,0)+a.cell(2,4)); }
  secondary B.cell(x,y) from (A.region(x-1,y-1,x+2,y+2) a) { return a.cell(1,1) + 0.2f*(a.cell(0,1)+a.cell(2,1)+a.cell(1,0)+a.cell(1,2)); }
  priority(3) B.cell(x,y) from (A.cell(x,y) a) { return a; } }""", ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  const E* a = m1 + y*n;
  E* b = m0 + y*n;
  if (y == 0 || y == n-1) { for (int x = 0; x < n; ++x) b[x] = a[x]; continue; }
  const auto near = [&](int x) { b[x] = a[x] + 0.2f*(a[x-1]+a[x+1]+a[x-n]+a[x+n]); };
  b[0] = a[0], b[n-1] = a[n-1];
  if (y == 1 || y == n-2) { for (int x = 1; x < n-1; ++x) near(x); continue; }
  near(1), near(n-2);
  for (int x = 2; x < n-2; ++x) b[x] = a[x] + 0.1f*(a[x-2]+a[x+2]+a[x-2*n]+a[x+2*n]);
}""", 200),
    Case("turned", "transform Job from A[n,n] to B[n,n] { B.cell(x,y) from (A.cell(n-1-x,n-1-y) a) { return 2*a; } }", ("n,n", "n,n"), 1,
         "parallel\nfor (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = 2*m1[n-1-x+(n-1-y)*n];", 150),
    Case("flipped", "transform Job from A[n,n] to B[n,n] { B.cell(x,y) from (A.cell(x,n-1-y) a, A.cell(x,y) b) { return a+b; } }", ("n,n", "n,n"), 1,
         "parallel\nfor (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+(n-1-y)*n] + m1[x+y*n];", 150),
    Case("argmax_rows", """transform Job from A[n,n] to int I[n], M[n] {
  to (I.cell(y) k, M.cell(y) m) from (A.row(y) a) {
    ElementT best = a.cell(0); int at = 0;
    for (int i = 1; i < n; ++i) if (a.cell(i) > best) { best = a.cell(i); at = i; }
    k = at; m = best; } }""", ("int n", "n", "n,n"), 2, """parallel
for (int y = 0; y < n; ++y) {
  const E* a = m2 + y*n;
  E best = a[0]; int at = 0;
  for (int i = 1; i < n; ++i) if (a[i] > best) { best = a[i]; at = i; }
  m0[y] = at; m1[y] = best;
}""", 150),
    Case("matrices_4x4", """transform Job from A[4,4,n], B[4,4,n] to C[4,4,n] {
  to (C.region(0,0,k,4,4,k+1) c) from (A.region(0,0,k,4,4,k+1) a, B.region(0,0,k,4,4,k+1) b) {
    for (int y = 0; y < 4; ++y) for (int x = 0; x < 4; ++x) {
      ElementT s = 0; for (int i = 0; i < 4; ++i) s += a.cell(i,y,0)*b.cell(x,i,0);
      c.cell(x,y,0) = s; } } }""", ("4,4,n", "4,4,n", "4,4,n"), 1, MATRICES_4X4, 500),
    Case("matrices_4x4_cells", """transform Job from A[4,4,n], B[4,4,n] to C[4,4,n] {
  C.cell(x,y,k) from (A.region(0,y,k,4,y+1,k+1) a, B.region(x,0,k,x+1,4,k+1) b) {
    ElementT s = 0; for (int i = 0; i < 4; ++i) s += a.cell(i,0,0)*b.cell(0,i,0); return s; } }""", ("4,4,n", "4,4,n", "4,4,n"), 1, MATRICES_4X4, 500),
    Case("magnitudes", """transform Job from A[2,n] to M[n] {
  M.cell(i) from (A.cell(0,i) re, A.cell(1,i) im) { return sqrt(re*re + im*im); } }""", ("n", "2,n"), 1,
         "parallel\nfor (int i = 0; i < n; ++i) m0[i] = std::sqrt(m1[2*i]*m1[2*i] + m1[2*i+1]*m1[2*i+1]);", 10000),
    Case("complex_rows", """transform Job from A[2,n], B[2,n] to C[2,n] {
  to (C.cell(0,i) cr, C.cell(1,i) ci) from (A.cell(0,i) ar, A.cell(1,i) ai, B.cell(0,i) br, B.cell(1,i) bi) {
    cr = ar*br - ai*bi; ci = ar*bi + ai*br; } }""", ("2,n", "2,n", "2,n"), 1, """parallel
for (int i = 0; i < n; ++i) {
  m0[2*i] = m1[2*i]*m2[2*i] - m1[2*i+1]*m2[2*i+1];
  m0[2*i+1] = m1[2*i]*m2[2*i+1] + m1[2*i+1]*m2[2*i];
}""", 10000),
    Case("suffix_max_rows", """transform Job from A[n,n] to B[n,n] {
  to (B.row(y) b) from (A.row(y) a) {
    ElementT s = a.cell(n-1);
    for (int i = n-1; i >= 0; --i) { s = std::max(s, a.cell(i)); b.cell(i) = s; } } }""", ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  E s = m1[n-1+y*n];
  for (int i = n-1; i >= 0; --i) { s = std::max(s, m1[i+y*n]); m0[i+y*n] = s; }
}""", 150),
    Case("clamped", """transform Job from A[n,n] to B[n,n] {
  B.cell(x,y) from (A a) {
    return a.cell(x,y) + 0.25f*(a.cell(std::max(x-1,0),y) + a.cell(std::min(x+1,n-1),y) + a.cell(x,std::max(y-1,0)) + a.cell(x,std::min(y+1,n-1))); } }""",
         ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  const E *a = m1 + y*n, *u = m1 + std::max(y-1,0)*n, *d = m1 + std::min(y+1,n-1)*n;
  for (int x = 0; x < n; ++x) m0[x+y*n] = a[x] + 0.25f*(a[std::max(x-1,0)] + a[std::min(x+1,n-1)] + u[x] + d[x]);
}""", 200),
    Case("gather", """transform Job from int I[n,n], T[n] to B[n,n] {
  B.cell(x,y) from (I.cell(x,y) i, T t) { return t.cell(i); } }""", ("n,n", "int n,n", "n"), 1,
         "parallel\nfor (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m2[m1[x+y*n]];", 150, "for (int i = 0; i < n*n; ++i) m1[i] = i*7919%n;"),
    Case("four_dimensions", """transform Job from A[n,n,n,n] to B[n,n,n-1,n-1] {
  B.cell(x,y,z,t) from (A.cell(x,y,z,t) a, A.cell(x,y,z+1,t) b, A.cell(x,y,z,t+1) c) { return a + 0.5f*(b-c); } }""",
         ("n,n,n-1,n-1", "n,n,n,n"), 1, """const int p = n*n, q = p*n, m = n-1;
parallel
for (int t = 0; t < m; ++t) for (int z = 0; z < m; ++z) for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) {
  const E* a = m1 + x + y*n + z*p + t*q;
  m0[x + y*n + (z + t*m)*p] = a[0] + 0.5f*(a[p] - a[q]);
}""", 14),
    Case("rank_one", """transform Job from A[n,n], U[n], V[n] to C[n,n] {
  C.cell(x,y) from (A.cell(x,y) a, U.cell(x) u, V.cell(y) v) { return a - u*v; } }""", ("n,n", "n,n", "n", "n"), 1,
         "parallel\nfor (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n] - m2[x]*m3[y];", 150),
    Case("gradient", """transform Job from A[n,n] to GX[n-1,n-1], GY[n-1,n-1], M[n-1,n-1] {
  to (GX.cell(x,y) gx, GY.cell(x,y) gy, M.cell(x,y) m) from (A.cell(x,y) a, A.cell(x+1,y) r, A.cell(x,y+1) d) {
    gx = r - a; gy = d - a; m = sqrt(gx*gx + gy*gy); } }""", ("n-1,n-1", "n-1,n-1", "n-1,n-1", "n,n"), 3, """parallel
for (int y = 0; y < n-1; ++y) for (int x = 0; x < n-1; ++x) {
  const E a = m3[x+y*n], gx = m3[x+1+y*n] - a, gy = m3[x+(y+1)*n] - a;
  const int i = x + y*(n-1);
  m0[i] = gx; m1[i] = gy; m2[i] = std::sqrt(gx*gx + gy*gy);
}""", 150),
    Case("reduce_first", """transform Job from A[n,n,n] to S[n,n] {
  S.cell(y,z) from (A.region(0,y,z,n,y+1,z+1) a) { ElementT s = 0; for (int k = 0; k < n; ++k) s += a.cell(k,0,0); return s; } }""",
         ("n,n", "n,n,n"), 1, """parallel
for (int z = 0; z < n; ++z) for (int y = 0; y < n; ++y) {
  E s = 0; for (int k = 0; k < n; ++k) s += m1[k+(y+z*n)*n];
  m0[y+z*n] = s;
}""", 48),
    Case("column_max", """transform Job from A[n,n] to M[n] {
  M.cell(x) from (A.column(x) a) { ElementT m = a.cell(0); for (int y = 1; y < n; ++y) m = std::max(m, a.cell(y)); return m; } }""",
         ("n", "n,n"), 1, """for (int x = 0; x < n; ++x) m0[x] = m1[x];
for (int y = 1; y < n; ++y) for (int x = 0; x < n; ++x) m0[x] = std::max(m0[x], m1[x+y*n]);""", 200),
    Case("row_histograms", """transform Job from uchar A[n,n] to int H[16,n] {
  to (H.row(y) h) from (A.row(y) a) {
    for (int k = 0; k < 16; ++k) h.cell(k) = 0;
    for (int i = 0; i < n; ++i) h.cell(a.cell(i) & 15) += 1; } }""", ("int 16,n", "uchar n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  for (int k = 0; k < 16; ++k) m0[k+16*y] = 0;
  for (int i = 0; i < n; ++i) m0[(m1[i+y*n] & 15) + 16*y] += 1;
}""", 200),
    Case("sums_by_key", """transform Job from int KEY[n], A[n] to S[256] {
  to (S s) from (KEY key, A a) {
    for (int k = 0; k < 256; ++k) s.cell(k) = 0;
    for (int i = 0; i < n; ++i) s.cell(key.cell(i)) += a.cell(i); } }""", ("256", "int n", "n"), 1,
         "for (int k = 0; k < 256; ++k) m0[k] = 0;\nfor (int i = 0; i < n; ++i) m0[m1[i]] += m2[i];", 20000,
         "for (int i = 0; i < n; ++i) m1[i] = i*7919%256;"),
    Case("row_sums_by_key", """transform Job from uchar KEY[n,n], A[n,n] to S[16,n] {
  to (S.row(y) s) from (KEY.row(y) key, A.row(y) a) {
    for (int k = 0; k < 16; ++k) s.cell(k) = 0;
    for (int i = 0; i < n; ++i) s.cell(key.cell(i) & 15) += a.cell(i); } }""", ("16,n", "uchar n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  for (int k = 0; k < 16; ++k) m0[k+16*y] = 0;
  for (int i = 0; i < n; ++i) m0[(m1[i+y*n] & 15) + 16*y] += m2[i+y*n];
}""", 200),
    Case("scatter", """transform Job from int PLACE[n], A[n] to B[n] {
  distinct to (B b) from (PLACE.cell(i) place, A.cell(i) a) { b.cell(place) = a; } }""", ("n", "int n", "n"), 1,
         "parallel\nfor (int i = 0; i < n; ++i) m0[m1[i]] = m2[i];", 20000, "for (int i = 0; i < n; ++i) m1[i] = int(i*7919L%n);"),
    Case("distances", """transform Job from P[3,n], Q[3,m] to D[n,m] {
  D.cell(i,j) from (P.row(i) p, Q.row(j) q) {
    ElementT s = 0; for (int k = 0; k < 3; ++k) s += (p.cell(k)-q.cell(k))*(p.cell(k)-q.cell(k)); return sqrt(s); } }""",
         ("n,n", "3,n", "3,n"), 1, """parallel
for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) {
  E s = 0; for (int k = 0; k < 3; ++k) s += (m1[k+3*i]-m2[k+3*j])*(m1[k+3*i]-m2[k+3*j]);
  m0[i+j*n] = std::sqrt(s);
}""", 100),
]
