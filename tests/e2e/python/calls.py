# SPDX-License-Identifier: MIT
"""Arrays of every kind, compared with NumPy."""

import inspect
import threading

import numpy as np
import polybricks as pb
from user_test import FIELDS, fields, raises, run_tests

LIBRARY = fields()
PICTURE = np.random.default_rng(1).random((40, 50)).astype(np.float32)


def blurred(picture, factor):
    return np.float32(factor) * (picture[:, :-2] + picture[:, 1:-1] + picture[:, 2:])


def layouts(array):
    """The same numbers in arrays of other strides."""
    wide = np.zeros([2 * extent for extent in array.shape], array.dtype)
    steps = tuple(slice(None, None, 2) for _ in array.shape)
    wide[steps] = array
    records = np.zeros(array.shape, [("mark", "u1"), ("cell", array.dtype)])
    records["cell"] = array
    read_only = array.copy()
    read_only.flags.writeable = False
    return {"C": array, "Fortran": np.asfortranarray(array), "backwards": array[::-1].copy()[::-1], "steps": wide[steps],
            "records": records["cell"], "read-only": read_only, "transposed": array.T.copy().T}


def test_layouts():
    row = np.arange(30.0)
    for name, array in layouts(row).items():
        np.testing.assert_array_equal(LIBRARY.Scale(array), 2 * row, name)
    for name, array in layouts(PICTURE).items():
        np.testing.assert_array_equal(LIBRARY.Blur(array, factor=2), blurred(PICTURE, 2), name)
    for repeated in (np.broadcast_to(3.0, (5,)), np.broadcast_to(3.0, (0,)), np.broadcast_to(3.0, (1,))):
        np.testing.assert_array_equal(LIBRARY.Scale(repeated), 2 * repeated)


def test_outputs():
    row = np.arange(30.0)
    for name, array in layouts(np.zeros(30)).items():
        if name not in ("records", "read-only"):
            assert LIBRARY.Scale(row, out=array) is array
            np.testing.assert_array_equal(array, 2 * row, name)
    both = np.arange(31.0)
    LIBRARY.Scale(both[:-1], out=both[1:])
    np.testing.assert_array_equal(both[1:], 2 * np.arange(30))
    total = np.array(0.0)
    assert LIBRARY.Sum(row, out=(total,)) == (total,) and total == 435
    np.testing.assert_array_equal(LIBRARY.Add(row), row, "outputs that are read begin with zeros")
    np.testing.assert_array_equal(LIBRARY.Add(row, out=np.ones(30)), row + 1)
    np.testing.assert_array_equal(LIBRARY.Repeat(np.arange(2.0), out=np.zeros(5)), [0, 1, 0, 1, 0])


def test_element_types():
    planes = np.random.default_rng(2).integers(0, 255, (3, 5, 4), np.uint8)
    wide = planes.astype(int)
    results = LIBRARY.Planes(planes)
    assert [array.dtype.name for array in results] == ["uint16", "int16", "int64", "int32"]
    for found, expected in zip(results, (wide.sum(0), wide[0] - wide[2], wide.sum((0, 2)), wide[0].sum(0))):
        np.testing.assert_array_equal(found, expected)
    outs = tuple(np.zeros_like(array) for array in results)
    assert LIBRARY.Planes(planes, out=outs) is outs
    np.testing.assert_array_equal(outs[2], results[2])


def test_numbers():
    total = LIBRARY.Sum(np.arange(4.0))
    assert isinstance(total, np.float64) and total == 6
    for shift in (1, 1.0, np.float64(1), np.array(1.0)):
        np.testing.assert_array_equal(LIBRARY.Shift(np.zeros(2), shift), [1, 1])
    assert LIBRARY.Fail(5) == 5 and LIBRARY.Fail(Kind=np.int32(6)) == 6
    with raises(OverflowError, "is no int"):
        LIBRARY.Fail(2**31)


def test_axes():
    turned = pb.compile(FIELDS, axes="pbcc")
    result = turned.Blur(PICTURE.T, factor=3)
    np.testing.assert_array_equal(result, blurred(PICTURE, 3).T)
    assert result.flags.f_contiguous and LIBRARY.Blur(PICTURE, factor=3).flags.c_contiguous
    with raises(pb.ArgumentError, "axes"):
        pb.compile(FIELDS, axes="other")


def test_device_arrays():
    """What calls write stays until it is fetched, on a device and without one."""
    for library in (LIBRARY.with_options(device=0), LIBRARY.with_options(device="all"), LIBRARY.with_options(device="none"), pb.compile(FIELDS, axes="pbcc")):
        rows, out = library.device_array(1000), library.device_array((1000,), np.float64)
        rows.store(np.arange(1000.0))
        for _ in range(3):  # it is read and written in turns
            assert library.Scale(rows, out=out) is out
            rows, out = out, rows
        np.testing.assert_array_equal(rows, 8 * np.arange(1000.0))
        np.testing.assert_array_equal(np.asarray(rows, np.float32), 8 * np.arange(1000.0))
        rows.fetch()[0] = 5
        rows.changed()
        assert library.Scale(rows)[0] == 10 and library.Sum(rows) == 8 * 499500 + 5
    picture = LIBRARY.device_array(PICTURE.shape, PICTURE.dtype)
    picture.store(PICTURE)
    np.testing.assert_array_equal(LIBRARY.Blur(picture, factor=2), blurred(PICTURE, 2))
    assert repr(picture) == "<device array of float32, shape (40, 50)>" and picture.fetch().flags.c_contiguous
    with raises(TypeError, "float32, but the header says double"):
        LIBRARY.Scale(LIBRARY.device_array(3, np.float32))
    with raises(TypeError, "complex128"):
        LIBRARY.device_array(3, complex)
    for shape, kind in (((-1, 3), pb.ArgumentError), (2**70, pb.ArgumentError), ((5.0, 3), TypeError), ("5", TypeError)):
        with raises(kind, "an extent of a shape is a whole number"):
            LIBRARY.device_array(shape)
    assert LIBRARY.device_array(np.int64(5)).shape == (5,) and LIBRARY.device_array(()).shape == ()


def test_errors():
    row = np.arange(4.0)
    with raises(TypeError, "float32, but the header says double, which is numpy.float64"):
        LIBRARY.Scale(row.astype(np.float32))
    with raises(TypeError, ">f8, but"):
        LIBRARY.Scale(row.astype(">f8"))
    with raises(TypeError, "a list is no array"):
        LIBRARY.Scale([1, 2])
    with raises(TypeError, "Scale() takes 1 input, 2 were given"):
        LIBRARY.Scale(row, row)
    with raises(TypeError, "lacks the number `factor`"):
        LIBRARY.Blur(PICTURE)
    with raises(TypeError, "`factor` is a whole number, not a float"):
        LIBRARY.Blur(PICTURE, factor=1.5)
    with raises(TypeError, "got the input `A` twice"):
        LIBRARY.Scale(row, A=row)
    with raises(TypeError, "is one array, not of 2"):
        LIBRARY.Scale(row, out=(row, row))
    with raises(pb.ArgumentError, "has 1 axis, the header says 2"):
        LIBRARY.Blur(np.zeros(3, np.float32), factor=1)
    with raises(ValueError, "is 3, but `n` is 4"):
        LIBRARY.Scale(row, out=np.zeros(3))
    with raises(pb.ArgumentError, "cannot be written to"):
        LIBRARY.Scale(row, out=layouts(row)["read-only"])
    with raises(TypeError, "the array has a mask"):
        LIBRARY.Scale(np.ma.masked_array(row, row > 2))
    with raises(pb.ArgumentError, "no matrix says how large m"):
        LIBRARY.Repeat(row)
    with raises(pb.RunError, "as the test wants"):
        LIBRARY.Fail(0)
    with raises(pb.RunError, "thrown by a body"):
        LIBRARY.Fail(2)
    with raises(AttributeError, "no transform `Bleur`"):
        LIBRARY.Bleur(row)
    np.testing.assert_array_equal(LIBRARY.Scale(row), 2 * row)


def test_options():
    row = np.arange(1000.0)
    for options in ({"threads": 1}, {"threads": 3}, {"device": "none"}, {"device": 0}, {"seed": 3, "strict": True},
                    {"device": 0, "device_memory": 1 << 26, "device_limit": 100, "verify_device": True}):
        np.testing.assert_array_equal(LIBRARY.with_options(**options).Scale(row), 2 * row)
    with raises(pb.DeviceError, "nonesuch"):
        LIBRARY.with_options(device="nonesuch")
    with raises(pb.ConfigurationError, "none.cfg"):
        LIBRARY.with_options(config="none.cfg")
    for name, value, kind in (("threads", "2", TypeError), ("threads", 1.5, TypeError), ("threads", 2**40, pb.ArgumentError), ("seed", -1, pb.ArgumentError),
                              ("device", 1.5, TypeError), ("device", -1, pb.ArgumentError), ("threads", True, TypeError), ("strict", "yes", TypeError),
                              ("device_memory", -1, pb.ArgumentError), ("device_memory", "1G", TypeError), ("device_limit", 0, pb.ArgumentError),
                              ("device_limit", "1", TypeError), ("verify_device", 1, TypeError)):
        with raises(kind, name):
            LIBRARY.with_options(**{name: value})
    with raises(TypeError, "no option `thread`"):
        LIBRARY.with_options(thread=1)


def test_threads():
    """Calls of several threads side by side, with one library and with several; one that waits lets the others run."""
    libraries = [LIBRARY, LIBRARY.with_options(threads=1), LIBRARY.with_options(threads=2)]
    faults = []

    def call_often(number):
        row = np.arange(100.0) + number
        faults.extend(1 for i in range(200) if not np.array_equal(libraries[(number + i) % 3].Scale(row), 2 * row))

    alone = LIBRARY.with_options(threads=1)
    endings = []

    def call_endless():
        with raises(pb.CancelledError, "cancelled"):
            alone.Endless(np.zeros(3))
        endings.append(True)

    endless = threading.Thread(target=call_endless)
    endless.start()
    threads = [threading.Thread(target=call_often, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while endless.is_alive():
        alone.cancel()
        endless.join(0.01)
    assert endings and not faults


def test_words():
    scale = LIBRARY.Scale
    assert repr(LIBRARY).startswith("<library fields: Scale, Blur, Planes") and LIBRARY["Scale"].name == "Scale"
    assert repr(LIBRARY.Blur) == "<transform Blur(In, *, factor, out=None) of fields>"
    assert inspect.getdoc(scale) == ("Scale(A, *, out=None)\n\nDoubles a row.\n\n  The second line is indented.\n\n"
                                     "from A: float64 (n,)\nto B: float64 (n,)")
    assert str(inspect.signature(LIBRARY.Blur)) == "(In, *, factor, out=None)"
    assert "Scale" in LIBRARY and "Bleur" not in LIBRARY and len(LIBRARY) == len(list(LIBRARY)) and list(LIBRARY) == list(LIBRARY.transforms)
    assert "Scale" in dir(LIBRARY) and list(LIBRARY.transforms)[0] == "Scale"


if __name__ == "__main__":
    run_tests(globals())
