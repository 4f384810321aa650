# SPDX-License-Identifier: MIT
"""Programs that pbc must refuse, each with one message at one line (docs/reference/language.md 6.6 and others)."""

from case import Case

CASES = {
    "uncovered": Case(fails="4: uncovered"),
    "reversed_region": Case(fails="6: region"),
    "both_neighbours": Case(fails="8: "),
    "undeclared_name": Case(fails="9: undeclared_name"),
    "other_matrix_in_body": Case(fails="6: C"),
    "missing_include": Case(fails="3: no_such_file"),
    "two_mains": Case(fails="3: main"),
    "same_name_twice": Case(fails="3: Twice"),
    "unknown_transform": Case(fails="7: Nowhere"),
    "wrong_number_of_arguments": Case(fails="7: Callee"),
    "unsolvable_variable": Case(fails="6: k"),
    "unknown_size": Case(fails="4: m"),
    "or_after_transform": Case(fails="8: or"),
    "bad_range": Case(fails="4: t"),
    "bare_call_value": Case(fails="7: Twice"),
    "scaled_by": Case(fails="5: scaled_by"),
    "row_of_a_vector": Case(fails="6: row"),
    "missing_brace": Case(fails="5: never closed"),
    "input_as_output": Case(fails="8: "),
}
