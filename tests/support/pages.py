# SPDX-License-Identifier: MIT
"""Pages of the documentation as their tests see them: lines outside of fences, paragraphs, headings, links."""

import re

FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
ANCHOR = re.compile(r'^<a id="([^"]+)"></a>$', re.M)
LIST_ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s+")
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*)\)")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.S)


def lines_outside_fences(text):
    """Yields (line number, line); a fence is one empty line."""
    mark = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if mark is None and not fence:
            yield number, line
        elif mark is None:
            mark = fence.group(1)
            yield number, ""
        elif fence and fence.group(1) == mark:
            mark = None


def paragraphs(text):
    """Yields (line number, text) of each paragraph, list item, and cell of a table."""
    begin, words = 0, []
    for number, line in [*lines_outside_fences(text), (0, "")]:
        is_row = line.startswith("|")
        if words and (not line.strip() or is_row or HEADING.match(line) or LIST_ITEM.match(line)):
            yield begin, " ".join(words)
            words = []
        if is_row:
            for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")):
                yield number, cell.strip()
        elif line.strip() and not HEADING.match(line):
            begin = begin if words else number
            words.append(LIST_ITEM.sub("", line.strip()))


def anchors(text):
    """What links into the page may name: its headings, as GitHub makes anchors of them, and anchors of its own."""
    found, times = set(ANCHOR.findall(text)), {}
    for _, line in lines_outside_fences(text):
        if not (heading := HEADING.match(line)):
            continue
        words = LINK.sub(r"\1", heading.group(1)).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        times[name] = times.get(name, -1) + 1
        found.add(f"{name}-{times[name]}" if times[name] else name)
    return found


def links(text):
    """Yields (line number, target) of each link; one that spans two lines counts at its first."""
    outside = dict(lines_outside_fences(text))
    plain = "\n".join(outside.get(number, "") for number in range(1, len(text.splitlines()) + 1))
    plain = CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", "x", span.group()), plain)
    for match in LINK.finditer(plain):
        yield plain.count("\n", 0, match.start()) + 1, match.group(2)
