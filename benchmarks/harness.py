# SPDX-License-Identifier: MIT
"""What every benchmark needs: building baselines, medians, tables and plots without dependencies."""

import pathlib
import platform
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import polybricks  # noqa: E402,F401

# The flags of generated code (docs/architecture.md, "Numbers").
BASELINE_FLAGS = ["-std=c++20", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=fast"]
COLOURS = ["#1b6ca8", "#d1495b", "#2e933c", "#e09f3e", "#6a4c93", "#555555"]


def build(source, output, *options):
    """Compiles one hand-written C++ baseline; a build newer than its source stays."""
    output = pathlib.Path(output)
    if not output.exists() or output.stat().st_mtime < pathlib.Path(source).stat().st_mtime:
        polybricks.run_tool(["c++", *BASELINE_FLAGS, source, "-o", output, *options])
    return output


def median(values):
    return statistics.median(values) if values else float("nan")


def milliseconds(ns):
    return f"{ns / 1e6:.2f}" if ns == ns and ns != float("inf") else "-"


def machine():
    """One line: processor, CPUs, kernel."""
    name = platform.processor() or platform.machine()
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        name = next(line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    count = subprocess.run(["nproc"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{name}, {count} CPUs"


def table(headings, rows):
    """Aligned text; the first column to the left, the others to the right."""
    cells = [list(map(str, headings))] + [list(map(str, row)) for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    lines = []
    for number, row in enumerate(cells):
        lines.append("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())
        if number == 0:
            lines.append("  ".join("-" * w for w in widths))
    return "\n".join(lines)


def line_plot(path, title, x_label, y_label, xs, series):
    """Writes an SVG line plot; `series` maps a name to one value per x (NaN and infinities are left out)."""
    width, height, left, right, top, bottom = 760, 440, 70, 210, 40, 55
    finite = [v for values in series.values() for v in values if v == v and v != float("inf")]
    y_max = max(finite, default=1) * 1.05
    x_min, x_max = min(xs), max(max(xs), min(xs) + 1)

    def place(x, y):
        return (left + (x - x_min) / (x_max - x_min) * (width - left - right),
                height - bottom - y / y_max * (height - top - bottom))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="22" font-size="15" font-weight="bold">{title}</text>']
    for step in range(6):
        y = y_max * step / 5
        px, py = place(x_min, y)
        out.append(f'<line x1="{px:.1f}" y1="{py:.1f}" x2="{width - right}" y2="{py:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{px - 8:.1f}" y="{py + 4:.1f}" text-anchor="end">{y:.3g}</text>')
    for x in xs:
        px, py = place(x, 0)
        out.append(f'<text x="{px:.1f}" y="{py + 18:.1f}" text-anchor="middle">{x}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">{x_label}</text>')
    out.append(f'<text x="16" y="{height / 2}" text-anchor="middle" transform="rotate(-90 16 {height / 2})">{y_label}</text>')
    for number, (name, values) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        dash = "" if number < len(COLOURS) else ' stroke-dasharray="5 3"'
        points = [place(x, y) for x, y in zip(xs, values) if y == y and y != float("inf")]
        text = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        out.append(f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in points]
        key = top + 18 * number + 10
        out.append(f'<line x1="{width - right + 15}" y1="{key - 4}" x2="{width - right + 40}" y2="{key - 4}" stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(f'<text x="{width - right + 46}" y="{key}">{name}</text>')
    out.append("</svg>")
    pathlib.Path(path).write_text("\n".join(out) + "\n")
