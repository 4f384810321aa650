# SPDX-License-Identifier: MIT
"""What end-to-end tests of devices share: configurations on which devices run, and a product of matrices."""

import ctypes

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


def of_roles(program, values):
    """Tunables with the values of their roles: {role: number}. Roles with None, and those that are not named, keep their defaults."""
    out = {}
    for name, transform in program.info["transforms"].items():
        for tunable, data in transform["tunables"].items():
            value = values.get(data["role"])
            if value is not None:
                out.setdefault(name, {})[tunable] = [value] * data["count"] if data.get("count", 1) > 1 else value
    return out


def placed(program, version, values, threads=2):
    """A configuration in which all that has `version`, "cpu" or "opencl", runs in it; `values` as of_roles."""
    choices = {}
    for transform, site, alternatives in program.sites():
        choices.setdefault(transform, {})[site] = next((a for a in alternatives if a[1] == version), alternatives[0])
    return program.configuration(choices, of_roles(program, values), sequential_cutoff=0, threads=threads)


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


def local_memory():
    """The bytes of local memory that a group of the first OpenCL device may have."""
    opencl = ctypes.CDLL("libOpenCL.so.1")
    all_kinds, local_memory_size = ctypes.c_uint64(0xFFFFFFFF), 0x1023  # CL_DEVICE_TYPE_ALL, CL_DEVICE_LOCAL_MEM_SIZE
    platform, device, found = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    errors = [opencl.clGetPlatformIDs(1, ctypes.byref(platform), None), opencl.clGetDeviceIDs(platform, all_kinds, 1, ctypes.byref(device), None),
              opencl.clGetDeviceInfo(device, local_memory_size, ctypes.c_size_t(8), ctypes.byref(found), None)]
    if any(errors):
        raise RuntimeError(f"OpenCL says {errors}")
    return found.value
