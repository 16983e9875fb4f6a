"""Runs every bench_*.py here and prints one table for each.

A benchmark is a module with `run()` or `run(quick: bool = False)`, which returns a list of rows:
name, ours_us, peer, peer_us, ratio (the peer's time over ours), spread (the interquartile range
over the median), and any further keys of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc, signature
from pathlib import Path
from types import ModuleType

from benchmarks.timing import Row

HERE = Path(__file__).parent
TITLES = {"ours_us": "ours, µs", "peer_us": "peer, µs", "ratio": "peer/ours"}
WORDS = {"name", "peer", "storage", "cores", "unit"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named benchmarks; 2 if a name is unknown."""
    options = _options(arguments)
    available = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = [name for name in options.names if name not in available]
    if unknown:
        print(f"No benchmark {unknown[0]!r}. There are: {', '.join(available) or 'none'}.", file=sys.stderr)
        return 2
    names = options.names or available
    if options.json:
        found = {name: _run(_module(name), quick=options.quick) for name in names}
        print(json.dumps(found, indent=2, default=asdict))
    else:
        _print_all(names, quick=options.quick)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks", description="Measure pksk beside its peers.")
    parser.add_argument("names", nargs="*", help="bench_NAME.py; all of them where none is named")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--quick", action="store_true", help="a few short turns: that it runs, not how fast")
    return parser.parse_args(arguments)


def _print_all(names: list[str], *, quick: bool) -> None:
    print(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {_load()}")
    if not names:
        print("There is nothing to measure yet.")
    for name in names:
        module = _module(name)
        title = (getdoc(module) or name).splitlines()[0]
        _print_table(title, _run(module, quick=quick))
    print(f"At the end: {_load()}", file=sys.stderr)


def _load() -> str:
    """How busy the machine is: beside other work, medians mean little and ratios not much more."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def _module(name: str) -> ModuleType:
    return import_module(f"benchmarks.bench_{name}")


def _run(module: ModuleType, *, quick: bool) -> list[Row]:
    rows: list[Row] = module.run(quick=quick) if "quick" in signature(module.run).parameters else module.run()
    return rows


def _print_table(title: str, rows: list[Row]) -> None:
    headings = list(dict.fromkeys(key for row in rows for key in row))
    lines = [[_cell(key, row.get(key)) for key in headings] for row in rows]
    titles = [TITLES.get(key, key) for key in headings]
    if sys.stdout.isatty() and find_spec("rich"):
        _print_rich(title, headings, titles, lines)
    else:
        _print_plain(title, headings, titles, lines)


def _print_rich(title: str, headings: list[str], titles: list[str], lines: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for heading, shown in zip(headings, titles, strict=True):
        table.add_column(shown, justify="left" if heading in WORDS else "right")
    for line in lines:
        table.add_row(*line)
    Console().print(table)


def _print_plain(title: str, headings: list[str], titles: list[str], lines: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(titles, *lines, strict=True)]
    print(f"\n{title}")
    for line in (titles, *lines):
        cells = zip(headings, line, widths, strict=True)
        padded = (text.ljust(width) if key in WORDS else text.rjust(width) for key, text, width in cells)
        print("  " + "  ".join(padded).rstrip())


def _cell(key: str, value: object) -> str:
    if value is None or value == "":
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0%}" if key == "spread" else f"{value:,.2f}" if value < 1000 else f"{value:,.0f}"


if __name__ == "__main__":
    sys.exit(main())
