#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns what programs write into pictures, and pictures into what programs read; needs nothing but Python.

    picture.py photo.png photo.ppm                    a PNG file for a program
    picture.py blurred.pgm blurred.png                and back
    picture.py heat.npy heat.png --colours fire       numbers as colours, from the smallest to the largest

Read: .png (not interlaced, 8 bits a sample or a palette), .pgm, .ppm, .npy and text. Written: .png, .pgm, .ppm.
"""

import argparse
import array
import ast
import math
import pathlib
import re
import struct
import sys
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Colours of PNG -> samples of a pixel.
NUM_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
# Colours at equal distances from the smallest to the largest number.
COLOURS = {
    "grey": [(0, 0, 0), (255, 255, 255)],
    "ink": [(255, 255, 255), (150, 150, 170), (70, 70, 100), (20, 20, 50), (0, 0, 30)],
    "fire": [(0, 0, 0), (120, 10, 40), (235, 80, 20), (255, 200, 60), (255, 255, 230)],
    "sea": [(8, 12, 60), (10, 80, 150), (70, 180, 190), (230, 250, 220)],
    "night": [(0, 5, 40), (20, 60, 140), (220, 240, 250), (250, 170, 30), (80, 10, 40), (0, 0, 0)],
    "rainbow": [(90, 30, 160), (40, 110, 220), (30, 180, 120), (240, 220, 60), (230, 60, 50)],
}


class Picture:
    """`samples`: rows from the top, pixels from the left, `depth` bytes each: 1 is grey, 3 are red, green and blue."""

    def __init__(self, width, height, depth, samples):
        self.width, self.height, self.depth, self.samples = width, height, depth, bytes(samples)


class Matrix:
    """Numbers, the width fastest, in `shape` (width, height)."""

    def __init__(self, shape, numbers):
        self.shape, self.numbers = shape, numbers


def predicted(kind, left, up, corner):
    """What a filter of PNG takes a byte for, from its neighbours."""
    if kind < 3:
        return (0, left, up)[kind]
    if kind == 3:
        return (left + up) // 2
    guess = left + up - corner
    return min((left, up, corner), key=lambda each: abs(guess - each))


def unfiltered(row, kind, before, step):
    """The bytes of a row of a PNG file; `step`: bytes of a pixel."""
    for i, value in enumerate(row):
        left, corner = (row[i - step], before[i - step]) if i >= step else (0, 0)
        row[i] = (value + predicted(kind, left, before[i], corner)) & 255
    return row


def filtered(row, before, step):
    """A row as it is written: of all filters the one that leaves the smallest numbers."""
    left, corner = bytes(step) + row[:-step], bytes(step) + before[:-step]
    rows = [bytes([kind]) + bytes((v - predicted(kind, *near)) & 255 for v, *near in zip(row, left, before, corner)) for kind in range(5)]
    return min(rows, key=lambda each: sum(min(v, 256 - v) for v in each[1:]))


def chunks(data):
    """Yields (name, content) of the parts of a PNG file."""
    at = len(SIGNATURE)
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        yield name, data[at + 8:at + 8 + size]
        at += size + 12


def read_png(data):
    if not data.startswith(SIGNATURE):
        raise ValueError("this is no PNG file")
    parts = {}
    for name, content in chunks(data):
        parts[name] = parts.get(name, b"") + content
    width, height, bits, colours, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    if bits != 8 or interlaced:
        raise ValueError("only PNG files of 8 bits a sample that are not interlaced are read")
    step = NUM_SAMPLES[colours]
    raw, samples, row = zlib.decompress(parts[b"IDAT"]), bytearray(), bytes(width * step)
    for at in range(0, height * (width * step + 1), width * step + 1):
        row = unfiltered(bytearray(raw[at + 1:at + 1 + width * step]), raw[at], row, step)
        samples += row
    if colours == 3:
        palette = parts[b"PLTE"]
        return Picture(width, height, 3, b"".join(palette[3 * v:3 * v + 3] for v in samples))
    depth = 3 if step >= 3 else 1
    return Picture(width, height, depth, b"".join(samples[i:i + depth] for i in range(0, len(samples), step)))


def png_of(width, height, colours, samples, palette=b""):
    """The bytes of a PNG file of 8 bits a sample. Rows of palettes are not filtered: nearby numbers are no nearby colours."""
    step = NUM_SAMPLES[colours]
    rows, before = [], bytes(width * step)
    for at in range(0, len(samples), width * step):
        row = samples[at:at + width * step]
        rows.append(b"\0" + row if palette else filtered(row, before, step))
        before = row
    return png_of_parts(struct.pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0), palette, b"".join(rows))


def png_of_parts(header, palette, rows):
    parts = [(b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return SIGNATURE + b"".join(struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
                                for name, content in parts if content or name == b"IEND")


def read_netpbm(data):
    header = re.match(rb"P([56])((?:\s+|#[^\n]*\n)+)(\d+)\s+(\d+)\s+(\d+)\s", data)
    if not header or int(header[5]) > 255:
        raise ValueError("only binary pictures of 8 bits a sample are read")
    return Picture(int(header[3]), int(header[4]), 1 if header[1] == b"5" else 3, data[header.end():])


def read_npy(data):
    size = struct.unpack("<H", data[8:10])[0] if data[6] == 1 else struct.unpack("<I", data[8:12])[0]
    begin = 10 if data[6] == 1 else 12
    header = ast.literal_eval(data[begin:begin + size].decode())
    code = {"f4": "f", "f8": "d", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "i8": "q"}.get(header["descr"][1:])
    if code is None or header["descr"][0] == ">" or header["fortran_order"]:
        raise ValueError("only numbers and an order are read that programs write")
    return Matrix(tuple(reversed(header["shape"])), array.array(code, data[begin + size:]))


def read_text(data):
    words = data.split()
    num_sizes = data.split(b"\n", 1)[0].split()[1:]
    return Matrix(tuple(map(int, num_sizes)), [float(word) for word in words[1 + len(num_sizes):]])


READERS = {".png": read_png, ".pgm": read_netpbm, ".ppm": read_netpbm, ".npy": read_npy}


def read(path):
    return READERS.get(path.suffix, read_text)(path.read_bytes())


def palette_of(colours):
    """256 colours, three bytes each, between those of the list."""
    palette = bytearray()
    for i in range(256):
        at = i / 255 * (len(colours) - 1)
        k = min(int(at), len(colours) - 2)
        palette += bytes(round(a + (at - k) * (b - a)) for a, b in zip(colours[k], colours[k + 1]))
    return bytes(palette)


def levels_of(matrix, is_log):
    """The numbers of a matrix of two dimensions as 0 to 255."""
    if len(matrix.shape) != 2 or not matrix.numbers:
        raise ValueError(f"a picture has a width and a height, the matrix has the sizes {matrix.shape}")
    numbers = [math.log(max(v, 1e-300)) for v in matrix.numbers] if is_log else matrix.numbers
    lo, hi = min(numbers), max(numbers)
    factor = 255 / (hi - lo) if hi > lo else 0
    return bytes(round((v - lo) * factor) for v in numbers)


def enlarged(picture, times):
    """The picture with `times` by `times` pixels in place of each."""
    step, rows = picture.depth, []
    for at in range(0, len(picture.samples), picture.width * step):
        row = picture.samples[at:at + picture.width * step]
        rows.append(b"".join(row[i:i + step] * times for i in range(0, len(row), step)) * times)
    return Picture(picture.width * times, picture.height * times, step, b"".join(rows))


def encoded(picture, ending, palette):
    """The bytes of a file; with a palette the samples are numbers of its colours."""
    if ending == ".png":
        return png_of(picture.width, picture.height, 3 if palette else 0 if picture.depth == 1 else 2, picture.samples, palette)
    if palette:
        picture = Picture(picture.width, picture.height, 3, b"".join(palette[3 * v:3 * v + 3] for v in picture.samples))
    if (picture.depth == 1) != (ending == ".pgm"):
        raise ValueError("grey pictures are .pgm, coloured ones .ppm")
    return b"P%d\n%d %d\n255\n" % (5 if picture.depth == 1 else 6, picture.width, picture.height) + picture.samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path, help="its ending is .png, .pgm or .ppm")
    parser.add_argument("--colours", choices=COLOURS, help="what numbers become, also those of a grey picture")
    parser.add_argument("--log", action="store_true", help="colours by the logarithm of the numbers")
    parser.add_argument("--enlarge", type=int, default=1, metavar="K", help="K by K pixels for each")
    args = parser.parse_args()
    try:
        source = read(args.source)
        if isinstance(source, Matrix):
            source = Picture(*source.shape, 1, levels_of(source, args.log))
        palette = palette_of(COLOURS[args.colours]) if args.colours and source.depth == 1 else b""
        args.target.write_bytes(encoded(enlarged(source, args.enlarge), args.target.suffix, palette))
    except OSError as error:
        sys.exit(str(error))
    except (ValueError, LookupError, struct.error, zlib.error) as error:
        sys.exit(f"{args.source}: {error}")


if __name__ == "__main__":
    main()
