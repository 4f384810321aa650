# SPDX-License-Identifier: MIT
"""No paragraph, list item or cell of a table of the pages below has more than MAX_WORDS words.

    paragraphs_test.py
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import pages  # noqa: E402

PAGES = ["*.md", "decisions/*.md", "gallery/*.md", "howto/*.md", "reference/*.md", "tutorial/*.md"]
MAX_WORDS = 90


def long_paragraphs(path):
    for number, paragraph in pages.paragraphs(path.read_text()):
        num_words = len(pages.LINK.sub(r"\1", paragraph).split())
        if num_words > MAX_WORDS:
            yield f"{path.relative_to(ROOT)}:{number}: a paragraph of {num_words} words (limit {MAX_WORDS})"


def main():
    faults, num_pages = [], 0
    for pattern in PAGES:
        found = sorted((ROOT / "docs").glob(pattern))
        faults += [f"docs/{pattern}: there is no such page"] if not found else []
        faults += [fault for page in found for fault in long_paragraphs(page)]
        num_pages += len(found)
    print("\n".join(faults) or f"{num_pages} pages have short paragraphs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
