# SPDX-License-Identifier: MIT
"""Every link between pages leads to a file of the repository and, behind #, to a heading of that page.

    links_test.py
"""

import pathlib
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import pages  # noqa: E402

FOLDERS = ["base", "docs", "lang", "frontend", "choicegraph", "clgen", "runtime", "autotuner", "tests", "benchmarks", "examples"]


def fault_of(page, target):
    """What is wrong with one link; none if it leads somewhere, or out of the repository."""
    url = urllib.parse.urlsplit(target)
    if url.scheme or url.netloc:
        return None
    path = (page.parent / urllib.parse.unquote(url.path)).resolve() if url.path else page
    if not path.is_relative_to(ROOT) or not path.exists():
        return f"`{target}` leads to no file"
    if url.fragment and url.fragment not in pages.anchors(path.read_text()):
        return f"`{target}`: {path.relative_to(ROOT)} has no such heading"
    return None


def main():
    files = [*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))]
    faults, num_links = [], 0
    for page in sorted(files):
        for number, target in pages.links(page.read_text()):
            num_links += 1
            if fault := fault_of(page, target):
                faults.append(f"{page.relative_to(ROOT)}:{number}: {fault}")
    if not num_links:
        faults.append("no links were found")
    print("\n".join(faults) or f"{num_links} links in {len(files)} pages")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
