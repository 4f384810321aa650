# SPDX-License-Identifier: MIT
"""The pictures of the gallery are small, and the comparison that keeps them from going stale can fail; picture.py reads all
kinds of PNG files, and says what it cannot read.

    pictures_test.py
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import pictures  # noqa: E402

MAX_BYTES = 60_000
MAX_SIDE = 512


def faults_of(path):
    """Yields what is wrong with one picture of the gallery."""
    array = pictures.array_of(path)
    if path.stat().st_size > MAX_BYTES or max(array.shape) > MAX_SIDE:
        yield f"{path.name}: {path.stat().st_size} bytes, {array.shape}; limits are {MAX_BYTES} and {MAX_SIDE}"
    noisy = array.astype(int) + np.random.default_rng(1).integers(-3, 4, array.shape)
    if not pictures.are_alike(array, noisy):
        yield f"{path.name} and the same with some noise are taken for different"
    for change, other in {"upside down": array[::-1], "darker": array * 0.7, "moved by 8 pixels": np.roll(array, 8, axis=1)}.items():
        if pictures.are_alike(array, other):
            yield f"{path.name} and the same {change} are taken for alike"


def faults_of_filters():
    """Yields what is wrong with picture.py's PNG files: rows of all filters, samples of all depths."""
    rng = np.random.default_rng(2)
    for colours, step in pictures.picture.NUM_SAMPLES.items():
        rows = rng.integers(0, 256, (5, 7, step), dtype=np.uint8)
        raw, before = b"", bytes(7 * step)
        for kind, row in enumerate(rows):
            filtered = [(int(v) - pictures.picture.predicted(kind, left, up, corner)) & 255
                        for v, left, up, corner in zip(row.tobytes(), bytes(step) + row.tobytes(), before, bytes(step) + before)]
            raw += bytes([kind, *filtered])
            before = row.tobytes()
        palette = rng.integers(0, 256, (256, 3), dtype=np.uint8)
        shown = palette[rows[..., 0]] if colours == 3 else rows[..., :3] if step >= 3 else rows[..., :1]
        read = pictures.picture.read_png(png_of_rows(colours, raw, palette.tobytes()))
        if (read.width, read.height) != (7, 5) or read.samples != shown.tobytes():
            yield f"a PNG file with colours of kind {colours} is read wrongly"


def faults_of_messages(folder):
    """Yields what is wrong with what picture.py says of files that it cannot use."""
    row = "SIZE 3\n1 2 3\n"
    for name, content, target, expected in (
            ("no.png", row, "to.pgm", "no.png: this is no PNG file"),
            ("row.txt", row, "to.png", "row.txt: a picture has a width and a height, the matrix has the sizes (3,)"),
            ("missing.npy", None, "to.png", "No such file or directory"),
            ("plane.txt", "SIZE 1 1\n5\n", "to.ppm", "plane.txt: grey pictures are .pgm, coloured ones .ppm")):
        if content is not None:
            (folder / name).write_text(content)
        done = subprocess.run([sys.executable, ROOT / "examples" / "picture.py", name, target], cwd=folder, capture_output=True, text=True)
        if done.returncode != 1 or expected not in done.stderr or "Traceback" in done.stderr:
            yield f"picture.py {name} {target} exits {done.returncode} and says: {done.stderr}expected: {expected}"


def png_of_rows(colours, raw, palette):
    header = struct.pack(">IIBBBBB", 7, 5, 8, colours, 0, 0, 0)
    return pictures.picture.png_of_parts(header, palette if colours == 3 else b"", raw)


def main():
    shown = sorted((ROOT / "docs" / "gallery").glob("*.png"))
    faults = [fault for path in shown for fault in faults_of(path)] + list(faults_of_filters())
    with tempfile.TemporaryDirectory() as folder:
        faults += faults_of_messages(pathlib.Path(folder))
    if len(shown) != 12:
        faults.append(f"the gallery has {len(shown)} pictures, not twelve")
    print("\n".join(faults) or f"{len(shown)} pictures")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
