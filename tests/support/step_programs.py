# SPDX-License-Identifier: MIT
"""Programs whose steps read temporaries that nothing else reads, and what NumPy says of them."""

import re


def blur(a):
    """NumPy indexes rows first."""
    h, w = a.shape
    rows = sum((i + 1) * a[:, i:w - 6 + i] for i in range(7))
    return {"Out": sum((j - 3) * rows[j:h - 6 + j] for j in range(7))}


def line(a):
    n = len(a)
    middle = 3 * a - 1
    return {"Out": middle[:n - 5] - 2 * middle[5:]}


def cube(a):
    d, h, w = a.shape
    sums = a[:, :h - 1, :] + 2 * a[:, 1:, :]
    return {"Out": (sums[:d - 2, :, :w - 1] - sums[2:, :, 1:] + sums[1:d - 1, :, :w - 1]) % 1000}


def edges(a):
    """Differences of a smoothed plate; its borders are what they were."""
    out = -a
    h, w = a.shape
    if h < 3 or w < 3:
        return {"Out": out}
    smooth = a.copy()
    smooth[1:-1, 1:-1] = a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1] - 3 * a[1:-1, 1:-1]
    across = smooth[:, 2:] - smooth[:, :-2]
    down = smooth[2:] - 2 * smooth[:-2]
    out[1:-1, 1:-1] = 3 * across[1:-1] + down[:, 1:-1] + smooth[1:-1, 1:-1]
    return {"Out": out}


def chain(a):
    """Three temporaries, each of the one before. Widths differ, so that no axis stands for another."""
    h, w = a.shape
    one = a[:, :w - 1] * 2 + a[:, 1:]
    two = one[:h - 2] - one[2:]
    three = two[:, :two.shape[1] - 3] + two[:, 3:]
    return {"Out": three[:three.shape[0] - 1] + 5 * three[1:], "Copy": a + 1}


# Whole numbers stay small and exact, so that all orders and contractions give the same bits. The temporaries per reader
# say which the device computes in work-groups; the sides are what the smallest input needs.
PROGRAMS = {
    # Regions, whose bodies have loops.
    "blur": ("""
transform Blur
from float In[w, h]
through float Rows[w-6, h]
to float Out[w-6, h-6]
{
  Rows.cell(x, y) from (In.region(x, y, x+7, y+1) in) {
    float s = 0;
    for (int i = 0; i < 7; i++) s += (i + 1) * in.cell(i, 0);
    return s;
  }
  Out.cell(x, y) from (Rows.region(x, y, x+1, y+7) in) {
    float s = 0;
    for (int i = 0; i < 7; i++) s += (i - 3) * in.cell(0, i);
    return s;
  }
}
""", 2, 6, "float32", blur, 1, {"Out#1": 1}),
    # Cells that are read behind the instance's own; names of another rule's variables; results that are no returned ones.
    "line": ("""
transform Line
from In[n]
through Middle[n]
to Out[n-5]
{
  to (Middle.cell(j) m) from (In.cell(j) i) { m = 3 * i - 1; }
  Out.cell(i-2) from (Middle.cell(i-2) j, Middle.cell(i+3) r) { if (j == 0) return -2 * r; return j - 2 * r; }
}
""", 1, 5, "float64", line, 1, {"Out#1": 1}),
    # Three dimensions, two of which have neighbours; integers.
    "cube": ("""
transform Cube
from int In[w, h, d]
through int Sums[w, h-1, d]
to int Out[w-1, h-1, d-2]
{
  Sums.cell(x, y, z) from (In.cell(x, y, z) a, In.cell(x, y+1, z) b) { return a + 2 * b; }
  Out.cell(x, y, z) from (Sums.cell(x, y, z) a, Sums.cell(x+1, y, z+2) b, Sums.cell(x, y, z+1) c) {
    int sum = (a - b + c) % 1000;
    return sum < 0 ? sum + 1000 : sum;
  }
}
""", 3, 2, "int32", cube, 1, {"Out#1": 1}),
    # One temporary has an inside and borders; two others are read by it alone; the results have borders.
    "edges": ("""
transform Edges
from int In[w, h]
through int Smooth[w, h], int Across[w-2, h], int Down[w, h-2]
to int Out[w, h]
{
  Smooth.cell(x, y) from (In.cell(x, y) c, In.cell(x-1, y) l, In.cell(x+1, y) r, In.cell(x, y-1) u, In.cell(x, y+1) d) {
    return l + r + u + d - 3 * c;
  }
  secondary Smooth.cell(x, y) from (In.cell(x, y) c) { return c; }
  Across.cell(x, y) from (Smooth.cell(x, y) l, Smooth.cell(x+2, y) r) { return r - l; }
  Down.cell(x, y) from (Smooth.cell(x, y) u, Smooth.cell(x, y+2) d) { return d - 2 * u; }
  Out.cell(x, y) from (Across.cell(x-1, y) a, Down.cell(x, y-1) d, Smooth.cell(x, y) s) { return 3 * a + d + s; }
  secondary Out.cell(x, y) from (In.cell(x, y) c) { return -c; }
}
""", 2, 2, "int32", edges, None, {"Out#1": 3}),
    "chain": ("""
transform Chain
from int In[w, h]
through int One[w-1, h], int Two[w-1, h-2], int Three[w-4, h-2]
to int Out[w-4, h-3], int Copy[w, h]
{
  One.cell(x, y) from (In.cell(x, y) a, In.cell(x+1, y) b) { return 2 * a + b; }
  Two.cell(x, y) from (One.cell(x, y) a, One.cell(x, y+2) b) { return a - b; }
  Three.cell(x, y) from (Two.cell(x, y) a, Two.cell(x+3, y) b) { return a + b; }
  Out.cell(x, y) from (Three.cell(x, y) a, Three.cell(x, y+1) b) { return a + 5 * b; }
  Copy.cell(x, y) from (In.cell(x, y) a) { return a + 1; }
}
""", 2, 4, "int32", chain, 2, {"Out#1": 3, "Three#1": 2, "Two#1": 1}),
}

# Two rules of a call read the temporary.
TWO_READERS = PROGRAMS["line"][0].replace("to Out[n-5]", "to Out[n-5], More[n]").replace(
    "  Out.cell", "  More.cell(i) from (Middle.cell(i) m) { return m; }\n  Out.cell")


def temporaries_of(text):
    """The names of the temporaries of a program of this form."""
    return re.findall(r"(\w+)\[", re.search(r"^through .*$", text, re.M)[0])
