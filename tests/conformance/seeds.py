# SPDX-License-Identifier: MIT
"""Options of the tests that make random programs: which seeds, and so which programs. They are always the same ones, but each night others and more."""

import polybricks

# Seeds of one day; those of the next day begin behind them.
PER_DAY = 1000


def arguments(doc):
    """The options that these tests share; each adds its own."""
    parser = polybricks.arguments(doc)
    parser.add_argument("--seed", type=int, default=polybricks.seed() * PER_DAY, help="of the first program (default: fixed, at night by the day)")
    parser.add_argument("--programs", type=int, default=0)
    return parser


def chosen(args, by_day):
    """One seed for each program: as many as asked for, else `by_day`, at night 40 or PB_NIGHTLY_SAMPLE."""
    count = args.programs or (polybricks.number_from("PB_NIGHTLY_SAMPLE", 40) if polybricks.is_nightly() else by_day)
    return range(args.seed, args.seed + count)
