# SPDX-License-Identifier: MIT
"""Programs that make versions of a temporary, each from near cells of the one before, and what NumPy says of them."""

import numpy as np


def stencil(start, steps, inside):
    """The version after some steps: `inside(now, step, start)` returns the next one."""
    now = start.copy()
    for step in range(1, steps + 1 if start.size > 0 else 0):
        now = inside(now, step, start)
    return now


def heat(now, *_):
    """As the rules of `heat`; NumPy indexes rows first."""
    out = now.copy()
    if min(now.shape) > 2:
        out[1:-1, 1:-1] = now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1] - 3 * now[1:-1, 1:-1]
    return np.fmod(out, 64)


def line(now, step, _):
    out = -now
    n = len(now)
    if n > 3:
        out[2:n - 1] = now[:n - 3] - now[3:] + step
    return np.fmod(out, 32)


def cube(now, *_):
    out = now.copy()
    if now.shape[0] > 2 and now.shape[2] > 1:
        out[1:-1, :, 1:] = now[:-2, :, 1:] + now[2:, :, 1:] - now[1:-1, :, :-1]
    return np.fmod(out, 64)


def corners(now, *_):
    """Nine cells inside, other rules at the four edges, and another one in the corners."""
    out = -now
    h, w = now.shape
    if h > 2 and w > 2:
        out[1:-1, 1:-1] = sum((1 + dx + 2 * dy) * now[dy:h - 2 + dy, dx:w - 2 + dx] for dy in range(3) for dx in range(3))
    if w > 2:
        for y in (0, h - 1):
            out[y, 1:-1] = now[y, :-2] + now[y, 2:]
    if h > 2:
        for x in (0, w - 1):
            out[1:-1, x] = now[:-2, x] - now[2:, x]
    return np.fmod(out, 16)


def edges(now, step, start):
    """Rules that name rows, columns and corners; the one with the least number that has all of its cells wins."""
    h, w = now.shape
    out = now.copy()
    out[:, w - 1] = now[:, w - 1] + 1
    if w > 1:
        out[:, 0] = now[:, 0] - now[:, 1]
    out[h - 1, :] = step
    if h > 1:
        out[0, :] = -now[1, :]
    out[0, w - 1] = now[0, w - 1] + start[0, w - 1]
    out[0, 0] = 7
    if h > 2 and w > 2:
        out[1:-1, 1:-1] = now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1] - 3 * now[1:-1, 1:-1]
    return np.fmod(out, 64)


def ends(now, step, start):
    """As `edges`, along a line with a cell in its middle that no neighbour changes."""
    n = len(now)
    out = now + 1
    out[n - 1] = start[n - 1] + step
    out[0] = 5
    if n > 2:
        out[1:-1] = now[:-2] - 2 * now[2:]
    if n > 1:
        out[n // 2] = now[n // 2] + now[n // 2 - 1]
    return np.fmod(out, 32)


def faces(now, step, start):
    """As `edges`, in three dimensions: faces and lines."""
    d, h, w = now.shape
    out = now + 1
    out[:, :, w - 1] = start[:, :, w - 1]
    out[:, 0, 0] = 3 * now[:, 0, 0]
    out[d - 1, :, :] = -now[d - 1, :, :]
    out[0, :, :] = 2 * now[0, :, :]
    out[0, 0, :] = step
    if min(now.shape) > 2:
        out[1:-1, 1:-1, 1:-1] = (now[1:-1, 1:-1, :-2] + now[1:-1, 1:-1, 2:] - now[1:-1, :-2, 1:-1] + now[1:-1, 2:, 1:-1] - now[:-2, 1:-1, 1:-1]
                                 + now[2:, 1:-1, 1:-1])
    return np.fmod(out, 64)


def mixed(now, _, start):
    """Six rules whose cells are in one another's way. Of those that have all of their cells, the first one wins."""
    h, w = now.shape
    out = now.copy()
    if w > 1:
        out[:h - 1, 0] = 3 + now[1:, 1] + now[1:, 0]
    if w > 5:
        out[0, 5] = 2
    if h > 1:
        out[h - 1, :] = 3 + 2 * start[h - 2, :]
    if h > 3:
        out[1:h - 2, 0] = 2 + 2 * now[3:, 0] + 2 * now[:h - 3, 0]
    if w > 2:
        out[1:, 1:-1] = 1 + now[1:, :-2] + now[1:, 2:] + 3 * now[:-1, 1:-1]
    return np.fmod(out, 61)


# Whole numbers stay small and exact, so that all orders and contractions give the same bits.
PROGRAMS = {
    # Versions and columns have each other's names in another rule.
    "heat": ("""
transform Heat
param steps
from float Start[w, h]
through float T<0..steps>[w, h]
to float End[w, h]
{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) c, T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) {
    return fmod(l + r + u + d - 3 * c, 64.0f);
  }
  secondary T<x>.cell(k, y) from (T<x-1>.cell(k, y) c) { return fmod(c, 64.0f); }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
""", 2, "float32", heat),
    # The version is a value of the body; cells are not as far on both sides; another rule names other variables.
    "line": ("""
transform Line
param steps
from Start[n]
through T<0..steps>[n]
to End[n]
{
  T<0>.cell(i) from (Start.cell(i) s) { return s; }
  T<k>.cell(i) from (T<k-1>.cell(i-2) l, T<k-1>.cell(i+1) r) { return fmod(l - r + k, 32.0); }
  secondary to (T<m>.cell(j) t) from (T<m-1>.cell(j) c) { t = fmod(-c, 32.0); }
  End.cell(i) from (T<steps>.cell(i) t) { return t; }
}
""", 1, "float64", line),
    # Two of three dimensions have neighbours; integers.
    "cube": ("""
transform Cube
param steps
from int Start[w, h, d]
through int T<0..steps>[w, h, d]
to int End[w, h, d]
{
  T<0>.cell(x, y, z) from (Start.cell(x, y, z) s) { return s; }
  T<k>.cell(x, y, z) from (T<k-1>.cell(x, y, z-1) l, T<k-1>.cell(x, y, z+1) r, T<k-1>.cell(x-1, y, z) u) { return (l + r - u) % 64; }
  secondary T<k>.cell(x, y, z) from (T<k-1>.cell(x, y, z) c) { return c % 64; }
  End.cell(x, y, z) from (T<steps>.cell(x, y, z) t) { return t; }
}
""", 3, "int32", cube),
    # Six rules, of which one has no inputs. PoCL made wrong code of a barrier under a condition behind them.
    "mixed": ("""
transform Mixed
param steps
from Start[w, h]
through T<0..steps>[w, h]
to End[w, h]
{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  priority(1) T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u) { return fmod(1 + l + r + 3 * u, 61.0); }
  priority(2) T<k>.cell(x, y) from (T<k-1>.cell(x, y+2) d, T<k-1>.cell(x, y-1) u) where x == 0 { return fmod(2 + 2 * d + 2 * u, 61.0); }
  priority(4) T<k>.cell(x, y) from (Start.cell(x, y-1) u) where y == h-1 { return fmod(3 + 2 * u, 61.0); }
  priority(6) T<k>.cell(x, y) from () where x == 5 && y == 0 { return fmod(2, 61.0); }
  priority(7) T<k>.cell(x, y) from (T<k-1>.cell(x+1, y+1) r, T<k-1>.cell(x, y+1) d) where x == 0 { return fmod(3 + r + d, 61.0); }
  priority(90) T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return fmod(c, 61.0); }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
""", 2, "float64", mixed),
    # A region, whose body has loops, and rules of edges and corners.
    "corners": ("""
transform Corners
param steps
from int Start[w, h]
through int T<0..steps>[w, h]
to int End[w, h]
{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.region(x-1, y-1, x+2, y+2) near) {
    int sum = 0;
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) sum += (1 + i + 2 * j) * near.cell(i, j);
    return sum % 16;
  }
  secondary T<k>.cell(x, y) from (T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r) { return (l + r) % 16; }
  priority(3) T<k>.cell(x, y) from (T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) { return (u - d) % 16; }
  priority(4) T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return -c % 16; }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
""", 2, "int32", corners),
    # Rules that name their row, column or corner, beside one with a condition; some read no version.
    "edges": ("""
transform Edges
param steps
from float Start[w, h]
through float T<0..steps>[w, h]
to float End[w, h]
{
  T<0>.cell(x, y) from (Start.cell(x, y) s) { return s; }
  T<k>.cell(x, y) from (T<k-1>.cell(x, y) c, T<k-1>.cell(x-1, y) l, T<k-1>.cell(x+1, y) r, T<k-1>.cell(x, y-1) u, T<k-1>.cell(x, y+1) d) {
    return fmod(l + r + u + d - 3 * c, 64.0f);
  }
  priority(2) T<k>.cell(0, 0) from () { return 7; }
  priority(3) to (T<y>.cell(w-1, 0) t) from (T<y-1>.cell(w-1, 0) c, Start.cell(w-1, 0) s) { t = fmod(c + s, 64.0f); }
  priority(4) T<k>.cell(x, 0) from (T<k-1>.cell(x, 1) below) { return fmod(-below, 64.0f); }
  priority(5) T<k>.cell(x, h-1) from () { return k % 64; }
  priority(6) T<x>.cell(0, k) from (T<x-1>.cell(0, k) c, T<x-1>.cell(1, k) r) { return fmod(c - r, 64.0f); }
  priority(7) T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) where x == w-1 { return fmod(c + 1, 64.0f); }
  priority(8) T<k>.cell(x, y) from (T<k-1>.cell(x, y) c) { return fmod(c, 64.0f); }
  End.cell(x, y) from (T<steps>.cell(x, y) t) { return t; }
}
""", 2, "float32", edges),
    "ends": ("""
transform Ends
param steps
from int Start[n]
through int T<0..steps>[n]
to int End[n]
{
  T<0>.cell(i) from (Start.cell(i) s) { return s; }
  T<k>.cell(n/2) from (T<k-1>.cell(n/2) c, T<k-1>.cell(n/2-1) l) { return (c + l) % 32; }
  priority(2) T<k>.cell(i) from (T<k-1>.cell(i-1) l, T<k-1>.cell(i+1) r) { return (l - 2 * r) % 32; }
  priority(3) T<i>.cell(0) from () { return 5; }
  priority(4) T<k>.cell(n-1) from (Start.cell(n-1) s) { return (s + k) % 32; }
  priority(5) T<k>.cell(i) from (T<k-1>.cell(i) c) { return (c + 1) % 32; }
  End.cell(i) from (T<steps>.cell(i) t) { return t; }
}
""", 1, "int32", ends),
    "faces": ("""
transform Faces
param steps
from Start[w, h, d]
through T<0..steps>[w, h, d]
to End[w, h, d]
{
  T<0>.cell(x, y, z) from (Start.cell(x, y, z) s) { return s; }
  T<k>.cell(x, y, z) from (T<k-1>.cell(x-1, y, z) a, T<k-1>.cell(x+1, y, z) b, T<k-1>.cell(x, y-1, z) c, T<k-1>.cell(x, y+1, z) q,
                           T<k-1>.cell(x, y, z-1) e, T<k-1>.cell(x, y, z+1) f) {
    return fmod(a + b - c + q - e + f, 64.0);
  }
  priority(2) T<k>.cell(x, 0, 0) from () { return k % 64; }
  priority(3) T<k>.cell(x, y, 0) from (T<k-1>.cell(x, y, 0) c) { return fmod(2 * c, 64.0); }
  priority(4) T<z>.cell(k, y, d-1) from (T<z-1>.cell(k, y, d-1) c) { return fmod(-c, 64.0); }
  priority(5) T<k>.cell(0, 0, z) from (T<k-1>.cell(0, 0, z) c) { return fmod(3 * c, 64.0); }
  priority(6) T<k>.cell(w-1, y, z) from (Start.cell(w-1, y, z) s) { return fmod(s, 64.0); }
  priority(7) T<k>.cell(x, y, z) from (T<k-1>.cell(x, y, z) c) { return fmod(c + 1, 64.0); }
  End.cell(x, y, z) from (T<steps>.cell(x, y, z) t) { return t; }
}
""", 3, "float64", faces),
}


def start_of(name, n, rng):
    """A first version. Sides differ, so that no axis stands for another."""
    _, num_dims, kind, _ = PROGRAMS[name]
    sides = [max(0, n + d) if n > 0 else 0 for d in range(num_dims)]
    return rng.integers(-9, 10, sides[::-1]).astype(kind)
