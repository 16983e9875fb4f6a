"""boto3 in process: what pksk and moto add to botocore itself, which is measured with an answer that is ready.

The last row is a whole test (engine, client, table, put, get) without the time that making a client takes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from benchmarks.side_by_side import QUICK_ROUNDS, ROUNDS, Cell, Turn, alternate, cells
from benchmarks.timing import Row, Timing

FLOOR, OURS, MOTO = "botocore, canned", "pksk", "moto"
TURN_SECONDS = 0.15


def run(quick: bool = False) -> list[Row]:
    """Puts, gets and queries of 100, and small tests; three processes take turns."""
    with ExitStack() as stack:
        processes = {name: stack.enter_context(_process(name)) for name in (FLOOR, OURS, MOTO)}
        test = _row("small test", processes, quick=quick)
        for process in processes.values():
            _tell(process, "calls", 0)
        rows = [_row(name, processes, quick=quick) for name in ("PutItem", "GetItem", "Query of 100")]
    return [*rows, test]


@contextmanager
def _process(name: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "benchmarks.boto3_contestant", name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process


def _tell(process: subprocess.Popen[str], row: str, seconds: float) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{row}\t{seconds}\n")
    process.stdin.flush()


def _row(name: str, processes: dict[str, subprocess.Popen[str]], *, quick: bool) -> Row:
    seconds = 0.01 if quick else TURN_SECONDS

    def turn(process: subprocess.Popen[str]) -> Turn:
        def turn() -> float:
            _tell(process, name, seconds)
            assert process.stdout is not None
            return float(process.stdout.readline())

        return turn

    turns = {name: turn(process) for name, process in processes.items()}
    for warm in turns.values():
        warm()
    found = alternate(turns, rounds=QUICK_ROUNDS if quick else ROUNDS)
    pairs = list(zip(found[OURS].turns_us, found[FLOOR].turns_us, strict=True))
    added = Timing(tuple(ours - floor for ours, floor in pairs))
    share = Timing(tuple(ours / floor for ours, floor in pairs))
    return {
        "name": name,
        "unit": "µs",
        **cells(found),
        "pksk adds": Cell(added.median_us, added.spread),
        "pksk/canned": Cell(share.median_us, share.spread, digits=2),
    }


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["boto3", *sys.argv[1:]]))
