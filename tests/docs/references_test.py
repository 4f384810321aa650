# SPDX-License-Identifier: MIT
"""Every `docs/PAGE.md 5.8` in code, tests and documents names a page and a numbered section of it.

    references_test.py

* A section is a heading that begins with its number: `### 5.8 Where`. Numbers that follow after `,`, `and` or `to`
  count too: `docs/reference/language.md 5.3 to 5.9, 6.1`.
* In docs/reference every such heading stands behind an anchor of its number, and the page links to it.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import pages  # noqa: E402

FOLDERS = ["autotuner", "base", "benchmarks", "choicegraph", "clgen", "cmake", "docs", "examples", "frontend", "lang", "runtime", "tests"]
ENDINGS = {".c", ".cmake", ".cpp", ".def", ".g4", ".h", ".json", ".md", ".pbcc", ".py", ".sh", ".txt"}
NUMBER = r"\d+(?:\.\d+)*"
REFERENCE = re.compile(rf"\b(docs/[\w/]+\.md)`?\s+(?:(?://+|#)\s+)?({NUMBER}(?:(?:, | and | to ){NUMBER})*)")
SECTION = re.compile(rf"^#{{2,}} ({NUMBER}) ")
# Pages that are not in the repository: whoever reads it could not look there.
OUTSIDE = re.compile(r"\b(?:LANGUAGE|FORMATS|ARCHITECTURE|STYLE|LOWERED)(?:\.md)? \d")


def sections_of(page):
    """The numbers of the page's headings; none if there is no such page."""
    if not page.is_file():
        return None
    found = (SECTION.match(line) for _, line in pages.lines_outside_fences(page.read_text()))
    return {match.group(1) for match in found if match}


def texts():
    """Yields (path, text) of what people read."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in ENDINGS and path.is_file() and path != pathlib.Path(__file__).resolve():
                yield path, path.read_text(errors="replace")
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("*.txt")]):
        yield path, path.read_text()


def place(path, text, position):
    return f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, position) + 1}"


def reference_faults(path, text, sections):
    """Yields what is wrong with the references of one file; `sections` holds those of the pages asked for so far."""
    for match in REFERENCE.finditer(text):
        page = match.group(1)
        if page not in sections:
            sections[page] = sections_of(ROOT / page)
        if sections[page] is None:
            yield f"{place(path, text, match.start())}: there is no {page}"
            continue
        for number in re.findall(NUMBER, match.group(2)):
            if number not in sections[page]:
                yield f"{place(path, text, match.start())}: {page} has no section {number}"
    for match in OUTSIDE.finditer(text):
        yield f"{place(path, text, match.start())}: `{match.group()}` is no page of this repository"


def anchor_faults(page):
    """Yields the sections of a reference page that lack an anchor or a link."""
    text = page.read_text()
    for number in sorted(sections_of(page)):
        if f'<a id="{number}"></a>\n' not in text:
            yield f"{page.relative_to(ROOT)}: section {number} has no anchor"
        if f"](#{number})" not in text:
            yield f"{page.relative_to(ROOT)}: nothing links to section {number}"


def main():
    faults, sections, num_references = [], {}, 0
    for path, text in texts():
        num_references += len(REFERENCE.findall(text))
        faults += reference_faults(path, text, sections)
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        faults += anchor_faults(page)
    if num_references < 100:
        faults.append(f"only {num_references} references were found")
    print("\n".join(faults) or f"{num_references} references to {len(sections)} pages")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
