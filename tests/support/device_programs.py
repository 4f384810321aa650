# SPDX-License-Identifier: MIT
"""What end-to-end tests of devices share: configurations on which devices run, and a product of matrices."""

PRODUCT = """
transform Product
from A[k, m], B[n, k]
to C[n, m]
{
  C.cell(x, y) from (A.row(y) a, B.column(x) b) {
    ElementT s = 0;
    for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(i);
    return s;
  }
}
"""


def on_device(program, version="opencl", tunables=None, **values):
    """A configuration in which the first alternative that runs in `version` is chosen, else the first on a device."""
    choices = {}
    for transform, site, alternatives in program.sites():
        wanted = [a for a in alternatives if a[1] == version] or [a for a in alternatives if a[1] == "opencl"] or alternatives
        choices.setdefault(transform, {})[site] = wanted[0]
    return program.configuration(choices, tunables, sequential_cutoff=0, threads=2, **values)
