# SPDX-License-Identifier: MIT
"""Results as one HTML page with tables and plots, which opens without a network."""

import html
import math

from .results import ratio
from .text_report import cells, headings, is_series, rate_text, series
from .workload import size_text

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 0.7rem 0 1.5rem; } td, th { padding: 0.2rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd; }
td:first-child, th:first-child { text-align: left; } .program { font-weight: 600; } .note { color: #777; text-align: left; }
pre { background: #f5f5f5; padding: 0.6rem; overflow-x: auto; } h2 { margin-top: 2.5rem; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } td, th { border-color: #444; } pre { background: #252525; } }
"""
COLOURS = {"program": "#1b6ca8", "baseline": "#c77d0a"}
LINE_COLOURS = ("#1b6ca8", "#d1495b", "#2e933c", "#e09f3e", "#6a4c93", "#777777")


def page(results):
    """The whole page as text."""
    parts = ["<!DOCTYPE html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'>",
             f"<title>Polybricks: measurements</title><style>{STYLE}</style><h1>Measurements</h1>", _machine(results)]
    for workload in results.workloads:
        parts.append(f"<h2>{html.escape(workload.title)}</h2><p>{html.escape(workload.source)}</p>")
        if is_series(workload):
            parts.append(_plain_table(*series(workload)))
            continue
        parts.append(lines(workload))
        for problem in workload.problems:
            parts += [f"<h3>{html.escape(size_text(problem.size))}</h3>", bars(problem), _table(problem, results.ceilings), *_choices(problem)]
    parts.append("</html>\n")
    return "\n".join(parts)


def _machine(results):
    rows = [(name, value if not isinstance(value, dict) else ", ".join(f"{key} {each}" for key, each in value.items()))
            for name, value in results.machine.items() if value]
    rows += [(name, rate_text(name, values)) for name, values in results.ceilings.items()]
    rows.append(("asked for", ", ".join(f"{name} {value}" for name, value in results.options.items())))
    lines = "".join(f"<tr><td>{html.escape(name)}</td><td class='note'>{html.escape(str(value))}</td></tr>" for name, value in rows)
    return f"<p>Ratios are medians over interleaved rounds of one run. Above 1: the program is faster than the baseline.</p><table>{lines}</table>"


def _plain_table(names, rows):
    tagged = [("th", names), *(("td", row) for row in rows)]
    lines = ["<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>" for tag, texts in tagged]
    return f"<table>{''.join(lines)}</table>"


def _table(problem, ceilings):
    baselines = problem.fastest("baseline")
    names = ["", *headings(problem, ceilings), *(f"{each.name} :" for each in baselines)]
    lines = ["<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names) + "</tr>"]
    for each in problem.contenders:
        name = f"<td class='{each.kind}'>{html.escape(each.name)}</td>"
        if each.status != "ok":
            lines.append(f"<tr>{name}<td class='note' colspan='{len(names) - 1}'>{html.escape(each.status + ': ' + each.message)}</td></tr>")
            continue
        figures = [*cells(problem, each, ceilings), *(_with_spread(ratio(baseline, each)) for baseline in baselines)]
        lines.append(f"<tr>{name}" + "".join(f"<td>{figure}</td>" for figure in figures) + "</tr>")
    return f"<table>{''.join(lines)}</table>"


def _with_spread(one):
    return f"<span title='{one.low:.2f} to {one.high:.2f}'>{one}</span>"


def _choices(problem):
    return [f"<details><summary>What {html.escape(each.name)} chooses</summary><pre>{html.escape(each.words)}</pre></details>"
            for each in problem.contenders if each.words]


def bars(problem):
    """An SVG plot: how fast each contender is, as a multiple of the fastest baseline, or of the fastest of all if there is none."""
    measured = [each for each in problem.contenders if each.status == "ok" and not math.isnan(each.median())]
    if not measured:
        return ""
    best = min([each for each in measured if each.kind == "baseline"] or measured, key=lambda each: each.median())
    speeds = [(each, ratio(best, each)) for each in measured]
    width, left, height = 900, 260, 22 * len(speeds) + 30
    scale = (width - left - 70) / max(speed.median for _, speed in speeds)
    out = [f"<svg viewBox='0 0 {width} {height}' width='{width}' role='img' font-size='13' font-family='sans-serif' fill='currentColor'>"]
    for number, (each, speed) in enumerate(speeds):
        y = 22 * number + 4
        out.append(f"<text x='{left - 8}' y='{y + 13}' text-anchor='end'>{html.escape(each.name)}</text>")
        out.append(f"<rect x='{left}' y='{y}' height='16' width='{speed.median * scale:.1f}' fill='{COLOURS[each.kind]}'/>")
        out.append(f"<line x1='{left + speed.low * scale:.1f}' x2='{left + min(speed.high * scale, width - left - 60):.1f}' y1='{y + 8}' y2='{y + 8}' stroke='currentColor'/>")
        out.append(f"<text x='{left + speed.median * scale + 8:.1f}' y='{y + 13}'>{speed}</text>")
    x = left + scale
    out.append(f"<line x1='{x:.1f}' x2='{x:.1f}' y1='0' y2='{height - 24}' stroke='currentColor' stroke-dasharray='4 3'/>")
    out.append(f"<text x='{left}' y='{height - 8}'>speed, {html.escape(best.name)} = 1</text></svg>")
    return "\n".join(out)


def _axis(problems):
    """The one number in which problems of one workload differ, or None. Fewer than three are no line."""
    names = [name for name in problems[0].size if len({problem.size.get(name) for problem in problems}) > 1] if len(problems) > 2 else []
    return names[0] if len(names) == 1 and isinstance(problems[0].size[names[0]], int) else None


def lines(workload):
    """An SVG plot: the time of each contender over the sizes, on a logarithmic scale; nothing if sizes differ in more than a number."""
    axis = _axis(workload.problems) if workload.problems else None
    if not axis:
        return ""
    series = {}
    for problem in sorted(workload.problems, key=lambda each: each.size[axis]):
        for each in problem.contenders:
            if not math.isnan(each.median()):
                series.setdefault(each.name, []).append((problem.size[axis], each.median() / 1e6))
    points = [point for values in series.values() for point in values]
    if not points:
        return ""
    return _line_plot(axis, series, [x for x, _ in points], [ms for _, ms in points])


def _line_plot(axis, series, xs, times):
    """`series` maps a name to points (x, ms); `xs` and `times` are those of all points."""
    width, left, right, plot_height = 900, 60, 300, max(300, 18 * len(series))
    low, high = math.log10(min(times)) - 0.02, math.log10(max(times)) + 0.02

    def place(x, ms):
        return (left + (x - min(xs)) / max(max(xs) - min(xs), 1) * (width - left - right), 10 + (high - math.log10(ms)) / (high - low) * plot_height)

    out = [f"<svg viewBox='0 0 {width} {plot_height + 50}' width='{width}' role='img' font-size='13' font-family='sans-serif' fill='currentColor'>"]
    for tick in (digit * 10.0 ** power for power in range(math.floor(low), math.ceil(high) + 1) for digit in (1, 2, 5)):
        if low <= math.log10(tick) <= high:
            _, y = place(min(xs), tick)
            out.append(f"<line x1='{left}' x2='{width - right}' y1='{y:.1f}' y2='{y:.1f}' stroke='#888' stroke-width='0.3'/>")
            out.append(f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{tick:g}</text>")
    for x in sorted(set(xs)):
        out.append(f"<text x='{place(x, times[0])[0]:.1f}' y='{plot_height + 28}' text-anchor='middle'>{x}</text>")
    for number, (name, values) in enumerate(series.items()):
        colour, dash = LINE_COLOURS[number % len(LINE_COLOURS)], f"{3 * (number // len(LINE_COLOURS)) + 1} 3" if number >= len(LINE_COLOURS) else "none"
        line = " ".join("{:.1f},{:.1f}".format(*place(*value)) for value in values)
        y = 20 + 18 * number
        stroke = f"stroke='{colour}' stroke-width='2' stroke-dasharray='{dash}'"
        out.append(f"<polyline points='{line}' fill='none' {stroke}/><line x1='{width - right + 10}' x2='{width - right + 40}' y1='{y}' y2='{y}' {stroke}/>")
        out.append(f"<text x='{width - right + 46}' y='{y + 4}'>{html.escape(name)}</text>")
    out.append(f"<text x='{(left + width - right) / 2}' y='{plot_height + 46}' text-anchor='middle'>{html.escape(axis)}; ms</text></svg>")
    return "\n".join(out)
