# SPDX-License-Identifier: MIT
"""`pbtune report --html`: a page of a real search that is well-formed, needs nothing else and shows what was found.

    report_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402
from polybricks import check  # noqa: E402


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = polybricks.fresh_folder(args.work.resolve() / "report")
    tools = polybricks.Tools(args.dist.resolve())
    program = tools.compile(polybricks.ROOT / "examples" / "separable_convolution.pbcc", work / "conv")
    polybricks.run_tool([tools.pbtune, program.path, "--n", 200, "--size", "KWIDTH=5", "--device", "none", "--time-limit", 3])
    page = work / "page.html"
    polybricks.run_tool([tools.pbtune, "report", program.path, "--html", page])
    text = page.read_text()
    root = xml.etree.ElementTree.parse(page).getroot()
    for word in ("http", "src=", "href", "<script", "nan"):
        check(word not in text, f"`{word}` in the page")
    dots = root.findall(".//circle")
    journal = [json.loads(line) for line in (work / "conv.cfg.journal").read_text().splitlines()]
    tried = {(line["n"], line["run"]) for line in journal if "run" in line}
    check(len(dots) == len(tried), f"{len(dots)} dots for {len(tried)} configurations")
    for dot in dots:
        check(0 <= float(dot.get("cx")) <= 860 and 0 <= float(dot.get("cy")) <= 350, f"outside of the plot: {dot.attrib}")
    for words in ("Time over the search", "Fixed choices at size 200", "SeparableConvolution.", "1e-9, usual for double"):
        check(words in text, words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
