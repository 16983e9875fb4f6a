"""`python -m tests.changes --rounds 200`: kills workers of a consumer, and checks what they delivered."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from time import monotonic

from tests.changes.kills import Kills


def main() -> int:
    """Run the rounds; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.changes.kills", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    began = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        kills = Kills(Path(folder), arguments.seed)
        kills.run(arguments.rounds)
        problem = kills.check()
        delivered = len(kills.delivered())
    written = sum(kills.written.values())
    print(
        problem
        or f"{arguments.rounds} kills in {monotonic() - began:.0f} s: {written:,} changes, none lost, "
        f"{delivered - written:,} delivered again."
    )
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
