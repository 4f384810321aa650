# SPDX-License-Identifier: MIT
"""Programs with a deliberately wrong rule: `pbtune check --outputs` names it, with the smallest size that shows it."""

from case import Case

CASES = {
    "off_by_one": Case(wrong=("S#2", 5)),
    "wrong_border": Case(wrong=("B#2", 3)),
    "wrong_recursion": Case(wrong=("Halves", 2)),
    "wrong_rows": Case(wrong=("B#2", 2)),
    "forgets_a_cell": Case(wrong=("Short", 1)),
}
