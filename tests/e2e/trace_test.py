# SPDX-License-Identifier: MIT
"""What --trace and --stats say of a compiled program: pieces, tiles that wait for each other, recursion with tasks.

The trace is judged as a viewer would: complete events on named lanes, in order, one inside the other; the rules' cells are
those of the matrices.

    trace_test.py --dist BUILD/dist --work FOLDER
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

PROGRAM = """
transform Sum
from A[n]
to S
{
  to (S s) from (A a) {
    if (a.width() < 100) {
      s = 0;
      for (int i = 0; i < a.width(); i++) s += a.cell(i);
    } else {
      ElementT left, right;
      spawn Sum(left, a.region(0, a.width() / 2));
      spawn Sum(right, a.region(a.width() / 2, a.width()));
      sync;
      s = left + right;
    }
  }
}

transform Intervals
from A[n]
to T[n, n]
{
  T.cell(i, i) from (A.cell(i) a) { return a; }
  T.cell(i, j) from (T.cell(i, j-1) l, T.cell(i+1, j) r) where i < j { return std::max(l, r) + 1; }
  T.cell(i, j) from () where i > j { return 0; }
}

transform Parts
from A[n, n]
to B[n, n]
{
  primary B.cell(2*i, 0) from () { return 1; }
  B.cell(x, y) from (A.cell(x, y) a) where x + y < n { return a; }
  secondary B.cell(x, y) from (A.cell(y, x) a) where x > y { return -a; }
  priority(7) B.cell(x, y) from (A.cell(x, y) a) { return 2 * a; }
}

transform Zigzag
from A[n]
to P[n], Q[n]
{
  P.cell(0) from (A.cell(0) a) { return a; }
  Q.cell(0) from (A.cell(0) a) { return -a; }
  P.cell(i) from (Q.cell(i-1) q, A.cell(i) a) { return q + a; }
  Q.cell(i) from (P.cell(i-1) p, A.cell(i) a) where i > 2 { return p - a; }
  secondary Q.cell(i) from (A.cell(i) a) { return a; }
}

main transform Table
from A[n, n]
to T[n, n], Total
through M[n, n]
{
  M.cell(x, y) from (A.cell(x, y) a) { return a * a; }
  T.cell(0, y) from (M.cell(0, y) m) { return m; }
  T.cell(x, 0) from (M.cell(x, 0) m) { return m; }
  T.cell(x, y) from (T.cell(x-1, y) l, T.cell(x, y-1) u, M.cell(x, y) m) { return m + 0.5 * l + 0.25 * u; }
  to (Total total) from (T.row(n-1) last) { Sum(total, last); }
}
"""
N, TRIALS, THREADS = 1500, 2, 3


def lanes_of(trace):
    """The lanes as {name: events}, and what is wrong."""
    names, events, faults = {}, {}, []
    for event in trace["traceEvents"]:
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            events.setdefault(event["tid"], []).append(event)
        elif event["ph"] != "M":
            faults.append(f"unknown event {event}")
    for tid, all_of_lane in events.items():
        if tid not in names:
            faults.append(f"lane {tid} has no name")
        last, ends = 0, []
        for event in all_of_lane:
            start, end = round(event["ts"] * 1000), round(event["ts"] * 1000) + round(event["dur"] * 1000)
            if start < last:
                faults.append(f"{names.get(tid)} goes back in time: {event}")
            last = start
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and end > ends[-1]:
                faults.append(f"{names.get(tid)}: {event} ends after what it lies in")
            ends.append(end)
    return {names[tid]: events.get(tid, []) for tid in names}, faults


def faults_of_totals(where, rules):
    """Compares the cells per rule with the matrices."""
    cells = {rule["rule"]: rule["cells"] for rule in rules}
    expected = {"Table.M#1": N * N, "Table.Total#1": 1}
    for rule, count in expected.items():
        if cells.get(rule) != count:
            yield f"{where}: {rule} has {cells.get(rule)} cells, expected {count}"
    table = sum(count for rule, count in cells.items() if rule.startswith("Table.T#"))
    if table != N * N:
        yield f"{where}: the rules of T have {table} cells: {cells}"
    calls = {rule["rule"]: rule["count"] for rule in rules}.get("Sum.S#1", 0)
    if calls != 31:
        yield f"{where}: Sum ran {calls} times"


def faults_of_shapes(program):
    """Checks triangles, lattices and slices: pieces hold more than their rules, and what ran is counted."""
    n = 300
    outputs = {"Intervals": n * n, "Parts": n * n, "Zigzag": 2 * n}
    for transform, expected in outputs.items():
        for threads in (1, 2):
            _, stats = program.run("--transform", transform, "--n", n, "--threads", threads, "--device", "none", "--trials", 1)
            cells = {rule["rule"]: rule["cells"] for rule in stats["rules"]}
            if sum(cells.values()) != expected:
                yield f"{transform}: {sum(cells.values())} cells were computed, expected {expected}: {cells}"


def main():
    args = polybricks.arguments(__doc__).parse_args()
    work = args.work / "trace"
    work.mkdir(parents=True, exist_ok=True)
    (work / "table.pbcc").write_text(PROGRAM)
    program = polybricks.Tools(args.dist).compile(work / "table.pbcc", work / "table")
    _, stats = program.run("--n", N, "--threads", THREADS, "--trials", TRIALS, "--device", "none", "--trace", work / "trace.json")
    lanes, faults = lanes_of(json.loads((work / "trace.json").read_text()))
    faults += faults_of_totals("--stats", stats["rules"])
    faults += faults_of_shapes(program)
    if [event["name"] for event in lanes["runs"]] != [f"trial {t + 1}" for t in range(TRIALS)]:
        faults.append(f"runs: {lanes['runs']}")
    for event in lanes["runs"]:
        faults += faults_of_totals(event["name"], event["args"]["rules"])
    for worker in [f"worker {w}" for w in range(THREADS)]:
        if worker not in lanes:
            faults.append(f"no lane for {worker}")
    if not any(event["cat"] == "rule" for event in lanes["worker 0"]):
        faults.append("worker 0 ran no rule")
    print("\n".join(faults) or f"{sum(map(len, lanes.values()))} events on {len(lanes)} lanes")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
