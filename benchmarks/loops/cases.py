# SPDX-License-Identifier: MIT
"""Loops of generated code and the same loops by hand.

A case has a transform, the extents of the matrices of a call (outputs first), and the loop nest that a person would
write in C++ for the same job, on dense matrices with x fastest. `E` is the element type. `parallel` stands before each
loop whose iterations are independent and that a person would share among threads.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    rules: str            # the transform `Job`
    extents: tuple        # extents of each matrix over n, outputs first; `int ` or `uchar ` before them is the type; "" is a number
    num_outputs: int
    by_hand: str          # statements on `m0`, `m1`, ... (pointers, or numbers) and n
    n: int
    fill: str = ""        # statements on `m0`, ... (pointers) and n that give matrices other contents than the usual


CASES = [
    Case("add", "transform Job from A[n,n], B[n,n] to C[n,n] { C.cell(x,y) from (A.cell(x,y) a, B.cell(x,y) b) { return a+b; } }",
         ("n,n", "n,n", "n,n"), 1,
         """parallel
for (int y = 0; y < n; ++y)
  for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n] + m2[x+y*n];""", 200),
    Case("stencil_1d", """transform Job from A[m] to B[m] {
  B.cell(i) from (A.cell(i-1) l, A.cell(i) c, A.cell(i+1) r) { return c + 0.2f*(l - 2*c + r); }
  secondary B.cell(i) from (A.cell(i) c) { return c; } }""", ("n*n", "n*n"), 1,
         """m0[0] = m1[0];
parallel
for (std::int64_t i = 1; i < n*n-1; ++i) m0[i] = m1[i] + 0.2f*(m1[i-1] - 2*m1[i] + m1[i+1]);
m0[n*n-1] = m1[n*n-1];""", 200),
    Case("stencil_2d", """transform Job from A[n,n] to B[n,n] {
  B.cell(x,y) from (A.cell(x-1,y) l, A.cell(x,y) c, A.cell(x+1,y) r, A.cell(x,y-1) u, A.cell(x,y+1) d) {
    return c + 0.1f*(l+r+u+d-4*c); }
  secondary B.cell(x,y) from (A.cell(x,y) c) { return c; } }""", ("n,n", "n,n"), 1,
         """for (int x = 0; x < n; ++x) m0[x] = m1[x];
parallel
for (int y = 1; y < n-1; ++y) {
  m0[y*n] = m1[y*n];
  for (int x = 1; x < n-1; ++x)
    m0[x+y*n] = m1[x+y*n] + 0.1f*(m1[x-1+y*n] + m1[x+1+y*n] + m1[x+(y-1)*n] + m1[x+(y+1)*n] - 4*m1[x+y*n]);
  m0[n-1+y*n] = m1[n-1+y*n];
}
for (int x = 0; x < n; ++x) m0[x+(n-1)*n] = m1[x+(n-1)*n];""", 200),
    Case("stencil_2d_region", """transform Job from A[n,n] to B[n-2,n-2] {
  B.cell(x,y) from (A.region(x,y,x+3,y+3) a) {
    return a.cell(1,1) + 0.1f*(a.cell(0,1)+a.cell(2,1)+a.cell(1,0)+a.cell(1,2)-4*a.cell(1,1)); } }""", ("n-2,n-2", "n,n"), 1,
         """parallel
for (int y = 0; y < n-2; ++y)
  for (int x = 0; x < n-2; ++x) {
    const E* a = m1 + x + y*n;
    m0[x+y*(n-2)] = a[1+n] + 0.1f*(a[n] + a[2+n] + a[1] + a[1+2*n] - 4*a[1+n]);
  }""", 200),
    Case("stencil_3d", """transform Job from A[n,n,n] to B[n,n,n] {
  B.cell(x,y,z) from (A.cell(x,y,z) c, A.cell(x-1,y,z) a, A.cell(x+1,y,z) b, A.cell(x,y-1,z) e, A.cell(x,y+1,z) f,
                      A.cell(x,y,z-1) g, A.cell(x,y,z+1) i) { return c + 0.05f*(a+b+e+f+g+i-6*c); }
  secondary B.cell(x,y,z) from () { return 0; } }""", ("n,n,n", "n,n,n"), 1,
         """const std::int64_t s = n, p = s*n;
parallel
for (int z = 0; z < n; ++z)
  for (int y = 0; y < n; ++y) {
    E* o = m0 + y*s + z*p;
    const E* a = m1 + y*s + z*p;
    if (z == 0 || z == n-1 || y == 0 || y == n-1) {
      for (int x = 0; x < n; ++x) o[x] = 0;
      continue;
    }
    o[0] = o[n-1] = 0;
    for (int x = 1; x < n-1; ++x) o[x] = a[x] + 0.05f*(a[x-1] + a[x+1] + a[x-s] + a[x+s] + a[x-p] + a[x+p] - 6*a[x]);
  }""", 50),
    Case("box_3x3", """transform Job from A[n,n] to B[n-2,n-2] {
  B.cell(x,y) from (A.region(x,y,x+3,y+3) a) {
    ElementT s = 0;
    for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += a.cell(i,j);
    return s; } }""", ("n-2,n-2", "n,n"), 1,
         """parallel
for (int y = 0; y < n-2; ++y)
  for (int x = 0; x < n-2; ++x) {
    E s = 0;
    for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += m1[x+i+(y+j)*n];
    m0[x+y*(n-2)] = s;
  }""", 200),
    Case("transpose", "transform Job from A[n,n] to B[n,n] { B.cell(x,y) from (A.cell(y,x) a) { return a; } }",
         ("n,n", "n,n"), 1,
         """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[y+x*n];""", 200),
    Case("dot", """transform Job from A[m], B[m] to S {
  S from (A a, B b) { ElementT s = 0; for (int i = 0; i < m; ++i) s += a.cell(i)*b.cell(i); return s; } }""",
         ("", "n*n", "n*n"), 1, "E s = 0;\nfor (int i = 0; i < n*n; ++i) s += m1[i]*m2[i];\nm0 = s;", 200),
    Case("row_sums", """transform Job from A[n,n] to S[n] {
  S.cell(y) from (A.row(y) a) { ElementT s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); return s; } }""",
         ("n", "n,n"), 1,
         """parallel
for (int y = 0; y < n; ++y) {
  E s = 0;
  for (int i = 0; i < n; ++i) s += m1[i+y*n];
  m0[y] = s;
}""", 200),
    Case("column_sums", """transform Job from A[n,n] to S[n] {
  S.cell(x) from (A.column(x) a) { ElementT s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); return s; } }""",
         ("n", "n,n"), 1,
         """for (int x = 0; x < n; ++x) m0[x] = 0;
for (int y = 0; y < n; ++y)
  for (int x = 0; x < n; ++x) m0[x] += m1[x+y*n];""", 200),
    Case("row_rule", """transform Job from A[n,n], B[n,n] to C[n,n] {
  to (C.row(y) c) from (A.row(y) a, B.row(y) b) { for (int i = 0; i < n; ++i) c.cell(i) = a.cell(i)*b.cell(i) + 1; } }""",
         ("n,n", "n,n", "n,n"), 1,
         """parallel
for (int y = 0; y < n; ++y)
  for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n]*m2[x+y*n] + 1;""", 200),
    Case("row_rule_in_out", """transform Job from A[n,n], B[n,n] to C[n,n] {
  to (C.row(y) c) from (A.row(y) a, B b) {
    for (int i = 0; i < n; ++i) c.cell(i) = 0;
    for (int k = 0; k < n; ++k) for (int i = 0; i < n; ++i) c.cell(i) += a.cell(k)*b.cell(i,k); } }""",
         ("n,n", "n,n", "n,n"), 1,
         """parallel
for (int y = 0; y < n; ++y) {
  for (int x = 0; x < n; ++x) m0[x+y*n] = 0;
  for (int k = 0; k < n; ++k) for (int x = 0; x < n; ++x) m0[x+y*n] += m1[k+y*n]*m2[x+k*n];
}""", 100),
    Case("column_rule", """transform Job from A[n,n], B[n,n] to C[n,n] {
  to (C.column(x) c) from (A.column(x) a, B.column(x) b) { for (int i = 0; i < n; ++i) c.cell(i) = a.cell(i)*b.cell(i) + 1; } }""",
         ("n,n", "n,n", "n,n"), 1,
         """parallel
for (int x = 0; x < n; ++x)
  for (int y = 0; y < n; ++y) m0[x+y*n] = m1[x+y*n]*m2[x+y*n] + 1;""", 200),
    Case("region_rule", """transform Job from A[8*w,8*h] to C[8*w,8*h] {
  to (C.region(8*x,8*y,8*x+8,8*y+8) c) from (A.region(8*x,8*y,8*x+8,8*y+8) a) {
    for (int j = 0; j < 8; ++j) for (int i = 0; i < 8; ++i) c.cell(i,j) = 2*a.cell(i,j) + 1; } }""",
         ("n,n", "n,n"), 1,
         """parallel
for (int y = 0; y < n/8; ++y)
  for (int x = 0; x < n/8; ++x)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i) m0[8*x+i+(8*y+j)*n] = 2*m1[8*x+i+(8*y+j)*n] + 1;""", 200),
    Case("multiply_cell", """transform Job from A[n,n], B[n,n] to C[n,n] {
  C.cell(x,y) from (A.row(y) a, B.column(x) b) {
    ElementT s = 0; for (int i = 0; i < n; ++i) s += a.cell(i)*b.cell(i); return s; } }""",
         ("n,n", "n,n", "n,n"), 1,
         """parallel
for (int y = 0; y < n; ++y)
  for (int x = 0; x < n; ++x) {
    E s = 0;
    for (int i = 0; i < n; ++i) s += m1[i+y*n]*m2[x+i*n];
    m0[x+y*n] = s;
  }""", 100),
    Case("multiply_whole", """transform Job from A[n,n], B[n,n] to C[n,n] {
  to (C c) from (A a, B b) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) c.cell(x,y) = 0;
      for (int i = 0; i < n; ++i) { const ElementT f = a.cell(i,y); for (int x = 0; x < n; ++x) c.cell(x,y) += f*b.cell(x,i); }
    } } }""", ("n,n", "n,n", "n,n"), 1,
         """for (int y = 0; y < n; ++y) {
  for (int x = 0; x < n; ++x) m0[x+y*n] = 0;
  for (int i = 0; i < n; ++i) {
    const E f = m1[i+y*n];
    for (int x = 0; x < n; ++x) m0[x+y*n] += f*m2[x+i*n];
  }
}""", 100),
    Case("prefix_sum", """transform Job from A[m] to B[m] {
  B.cell(0) from (A.cell(0) a) { return a; }
  B.cell(i) from (A.cell(i) a, B.cell(i-1) b) { return a+b; } }""", ("n*n", "n*n"), 1,
         "m0[0] = m1[0];\nfor (int i = 1; i < n*n; ++i) m0[i] = m1[i] + m0[i-1];", 200),
    Case("prefix_rows", """transform Job from A[n,n] to B[n,n] {
  B.cell(x,0) from (A.cell(x,0) a) { return a; }
  B.cell(x,y) from (A.cell(x,y) a, B.cell(x,y-1) b) { return a+b; } }""", ("n,n", "n,n"), 1,
         """for (int x = 0; x < n; ++x) m0[x] = m1[x];
for (int y = 1; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n] + m0[x+(y-1)*n];""", 200),
    Case("jacobi_whole", """transform Job from F[n,n] through T[n,n] to U[n,n] {
  to (T t) from (F f) { for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) t.cell(x,y) = 0.5f*f.cell(x,y); }
  U.cell(x,y) from (T.cell(x-1,y) l, T.cell(x+1,y) r, T.cell(x,y-1) u, T.cell(x,y+1) d, F.cell(x,y) f) { return 0.25f*(l+r+u+d+f); }
  secondary U.cell(x,y) from (T.cell(x,y) t) { return t; } }""", ("n,n", "n,n"), 1,
         """static std::vector<E> store;
store.resize(std::size_t(n)*n);
E* t = store.data();
parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) t[x+y*n] = 0.5f*m1[x+y*n];
parallel
for (int y = 0; y < n; ++y) {
  if (y == 0 || y == n-1) { for (int x = 0; x < n; ++x) m0[x+y*n] = t[x+y*n]; continue; }
  m0[y*n] = t[y*n];
  for (int x = 1; x < n-1; ++x) m0[x+y*n] = 0.25f*(t[x-1+y*n] + t[x+1+y*n] + t[x+(y-1)*n] + t[x+(y+1)*n] + m1[x+y*n]);
  m0[n-1+y*n] = t[n-1+y*n];
}""", 200),
    Case("red_black_body", """transform Job from F[n,n] to U[n,n] {
  to (U u) from (F f) {
    for (int c = 0; c < 2; ++c)
      for (int y = 1; y < n-1; ++y)
        for (int x = 1 + (y + 1 + c) % 2; x < n-1; x += 2)
          u.cell(x,y) += 1.25f*0.25f*(u.cell(x-1,y)+u.cell(x+1,y)+u.cell(x,y-1)+u.cell(x,y+1)+f.cell(x,y)-4*u.cell(x,y)); } }""",
         ("n,n", "n,n"), 1,
         """for (int c = 0; c < 2; ++c)
  for (int y = 1; y < n-1; ++y)
    for (int x = 1 + (y + 1 + c) % 2; x < n-1; x += 2)
      m0[x+y*n] += 1.25f*0.25f*(m0[x-1+y*n] + m0[x+1+y*n] + m0[x+(y-1)*n] + m0[x+(y+1)*n] + m1[x+y*n] - 4*m0[x+y*n]);""",
         200),
    Case("zebra_rules", """transform Job from F[n,n], OLD[n,n] to U[n,n] {
  U.cell(2*x+1,y) from (OLD.cell(2*x,y) l, OLD.cell(2*x+2,y) r, OLD.cell(2*x+1,y-1) u, OLD.cell(2*x+1,y+1) d,
                        OLD.cell(2*x+1,y) c, F.cell(2*x+1,y) f) { return c + 1.25f*0.25f*(l+r+u+d+f-4*c); }
  secondary U.cell(x,y) from (OLD.cell(x,y) c) { return c; } }""", ("n,n", "n,n", "n,n"), 1,
         """parallel
for (int y = 0; y < n; ++y) {
  for (int x = 0; x < n; ++x) m0[x+y*n] = m2[x+y*n];
  if (y == 0 || y == n-1) continue;
  for (int x = 1; x < n-1; x += 2)
    m0[x+y*n] = m2[x+y*n] + 1.25f*0.25f*(m2[x-1+y*n] + m2[x+1+y*n] + m2[x+(y-1)*n] + m2[x+(y+1)*n] + m1[x+y*n] - 4*m2[x+y*n]);
}""", 200),
    Case("axpy_whole", """transform Job from A[m], B[m], K to C[m] {
  to (C c) from (A a, B b, K k) { for (int i = 0; i < m; ++i) c.cell(i) = k*a.cell(i) + b.cell(i); } }""",
         ("n*n", "n*n", "n*n", ""), 1,
         """parallel
for (int i = 0; i < n*n; ++i) m0[i] = m3*m1[i] + m2[i];""", 200),
    Case("square_root", """transform Job from A[n,n] to C[n,n] { C.cell(x,y) from (A.cell(x,y) a) { return sqrt(a) + 1/(a+1); } }""",
         ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = std::sqrt(m1[x+y*n]) + 1/(m1[x+y*n]+1);""", 200),
    Case("threshold", """transform Job from A[n,n] to C[n,n] {
  C.cell(x,y) from (A.cell(x,y) a) { if (a > 0.5f) return a; else return 2*a; } }""",
         ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x+y*n] > 0.5f ? m1[x+y*n] : 2*m1[x+y*n];""", 200),
    Case("every_second", """transform Job from A[2*n,n] to C[n,n] { C.cell(x,y) from (A.cell(2*x,y) a, A.cell(2*x+1,y) b) { return a+b; } }""",
         ("n,n", "2*n,n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[2*x+y*2*n] + m1[2*x+1+y*2*n];""", 200),
    Case("outer_product", """transform Job from A[n], B[n] to C[n,n] { C.cell(x,y) from (A.cell(x) a, B.cell(y) b) { return a*b; } }""",
         ("n,n", "n", "n"), 1, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) m0[x+y*n] = m1[x]*m2[y];""", 200),
    Case("two_outputs", """transform Job from A[n,n] to C[n,n], D[n,n] {
  to (C.cell(x,y) c, D.cell(x,y) d) from (A.cell(x,y) a) { c = a+1; d = a*a; } }""",
         ("n,n", "n,n", "n,n"), 2, """parallel
for (int y = 0; y < n; ++y) for (int x = 0; x < n; ++x) { const E a = m2[x+y*n]; m0[x+y*n] = a+1; m1[x+y*n] = a*a; }""", 200),
    Case("triangle", """transform Job from L[n,n] to C[n,n] {
  C.cell(x,y) from (L.cell(x,y) a) where x <= y { return 2*a; }
  secondary C.cell(x,y) from () { return 0; } }""",
         ("n,n", "n,n"), 1, """parallel
for (int y = 0; y < n; ++y) {
  for (int x = 0; x <= y; ++x) m0[x+y*n] = 2*m1[x+y*n];
  for (int x = y+1; x < n; ++x) m0[x+y*n] = 0;
}""", 200),
    Case("small", "transform Job from A[n], B[n] to C[n] { C.cell(x) from (A.cell(x) a, B.cell(x) b) { return a+b; } }",
         ("n", "n", "n"), 1, "for (int x = 0; x < n; ++x) m0[x] = m1[x] + m2[x];", 1000),
]
