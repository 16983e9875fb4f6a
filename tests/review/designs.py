"""Designs written as text, as an author would have them in a file, so that findings have lines."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from types import ModuleType
from typing import Any

from pksk.review import Review, Rule, Traffic, measure_design, read_traffic, review
from pksk.schema import Table
from tests.review.traces import text_of

_numbers = count()

PREAMBLE = """\
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, Field, NaiveDatetime, StringConstraints

from pksk import *
from pksk.schema import OnDemand, Provisioned
"""


def design_module(source: str) -> ModuleType:
    """A module with a design in it; the design need not import anything."""
    return text_module(PREAMBLE + dedent(source))


def text_module(text: str) -> ModuleType:
    """A module of the whole text of a file."""
    name = f"reviewed_{next(_numbers)}"
    module = ModuleType(name)
    module.__file__ = f"<{name}.py>"
    lines = text.splitlines(keepends=True)
    linecache.cache[module.__file__] = (len(text), None, lines, module.__file__)
    sys.modules[name] = module
    exec(compile(text, module.__file__, "exec"), vars(module))
    return module


def tables_of(source: str) -> list[Table]:
    """The tables of a design."""
    return _tables_in(design_module(source))


def _tables_in(module: Any) -> list[Table]:
    return [each for each in vars(module).values() if isinstance(each, Table)]


def review_of(
    source: str,
    rules: Sequence[Rule] | None = None,
    trace: Sequence[dict[str, Any]] | None = None,
    *,
    measured: bool = False,
) -> Review:
    """The review of a design, with the lines of a trace, or measured on the list `stored` in it or generated items."""
    module = design_module(source)
    tables = _tables_in(module)
    return review(
        *tables,
        rules=rules,
        traffic=None if trace is None else traffic_of(tables, text_of(trace)),
        measured=measure_design(tables, getattr(module, "stored", ())) if measured else None,
    )


def traffic_of(tables: Sequence[Table], text: bytes) -> Traffic:
    """What a file with this text has of these tables."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "calls.jsonl")
        file.write_bytes(text)
        return read_traffic(file, tables)


def review_of_text(text: str) -> Review:
    """The review of the whole text of a file."""
    return review(*_tables_in(text_module(text)))
