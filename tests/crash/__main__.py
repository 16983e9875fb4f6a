"""`python -m tests.crash --rounds 200`: kills a writer that many times, and checks its file each time."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from time import monotonic, time_ns

from .rounds import Crashes

# In one of so many rounds the writers are clients of a server, and the server is killed.
_HTTP_EVERY = 4
_TOLD_EVERY = 50


def main() -> int:
    """Run the rounds; 1 where one of them found anything wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("PKSK_CRASH_ROUNDS", "200")))
    parser.add_argument("--draw", default=str(time_ns()), help="that of a run that failed")
    parser.add_argument("--http", choices=("never", "some", "always"), default="some")
    arguments = parser.parse_args()
    begun = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        crashes = Crashes(Path(folder), arguments.draw)
        for number in range(1, arguments.rounds + 1):
            over_http = arguments.http == "always" or (arguments.http == "some" and number % _HTTP_EVERY == 0)
            try:
                crashes.round(http=over_http)
            except AssertionError as error:
                print(f"round {number} of draw {arguments.draw}: {error}", file=sys.stderr)
                return 1
            if number % _TOLD_EVERY == 0:
                print(f"{number} rounds, {monotonic() - begun:.0f} s", flush=True)
    print(
        f"{arguments.rounds} kills in {monotonic() - begun:.0f} s: {crashes.acknowledged:,} batches acknowledged, "
        f"none lost, {crashes.unacknowledged:,} more were stored; every file was sound."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
