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


def shapes(program, value_of):
    """Tunables with the shapes of all launches: `value_of(role, number of loops)` is a list of numbers; role: work_group or items."""
    out = {}
    for name, transform in program.info["transforms"].items():
        for tunable, data in transform["tunables"].items():
            if data["role"] not in ("work_group", "items"):
                continue
            value = value_of(data["role"], data.get("count", 1))
            out.setdefault(name, {})[tunable] = value if "count" in data else value[0]
    return out
