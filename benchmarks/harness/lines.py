# SPDX-License-Identifier: MIT
"""Lines of code: how much has to be written for a program."""

import io
import pathlib
import re
import tokenize

# Comments and literals of C++ and of the language; literals stay, as they may hold what looks like a comment.
_C_TOKENS = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}


def lines_of_code(path):
    """How many lines of a source file hold code: blank ones, comments and docstrings do not count."""
    path = pathlib.Path(path)
    return (_python_lines if path.suffix == ".py" else _c_lines)(path.read_text())


def _c_lines(text):
    def bare(match):
        return match[0] if match[0][0] in "\"'" else "\n" * match[0].count("\n")
    return sum(bool(line.strip()) for line in _C_TOKENS.sub(bare, text).splitlines())


def _python_lines(text):
    lines, begins_statement = set(), True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE and not (begins_statement and token.type == tokenize.STRING):
            lines.update(range(token.start[0], token.end[0] + 1))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins_statement = token.type in _NO_CODE
    return len(lines)
