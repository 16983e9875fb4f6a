"""The page of limits: DynamoDB's, each with its meaning and its source, and those of pksk."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from types import ModuleType
from typing import Any

from pksk import limits
from pksk.connection.open_store import _MAX_PARALLEL
from pksk.expressions.operand_reader import MAX_OPERATORS
from pksk.expressions.tokens import MAX_EXPRESSION_BYTES
from pksk.model.planning.partitions import MAX_PARTITIONS
from pksk.model.requests.nearest import _MAX_RESULTS as MOST_NEAREST
from pksk.model.requests.scan import _MAX_SEGMENTS
from pksk.model.sequences import MAX_BLOCK_SIZE
from pksk.schema import quotas
from pksk.sending.retry import Retry
from pksk.server import Limits

__all__ = ["bounds", "limit_lines"]

_UNITS = {"BYTES": "bytes", "CHARACTERS": "characters", "LENGTH": "characters", "ITEMS": "items"}
_CONSTRAINTS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html"
_SEARCH = "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_SearchVectors.html"
_SCAN = "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html"


@dataclass(frozen=True)
class Bound:
    """A limit: its name, its value, its meaning, and the page that documents it."""

    name: str
    value: Any
    meaning: str
    source: str

    @property
    def shown(self) -> str:
        """The value with its unit, which is the last word of its name."""
        unit = _UNITS.get(self.name.rpartition("_")[2], "")
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        return f"{' to '.join(f'{each:,}' for each in values)} {unit}".strip()


def limit_lines() -> Iterator[str]:
    """A table of DynamoDB's limits, and one of pksk's own."""
    yield "## DynamoDB"
    yield ""
    yield "pksk checks these limits before it sends a request, where it can. They are constants in `pksk.limits` and,"
    yield "for tables, in `pksk.schema.quotas`. AWS raises some of them on request."
    yield from ("", "| limit on | value | name | source |", "|---|---|---|---|")
    for module in (limits, quotas):
        yield from map(_row, bounds(module))
    yield from map(_row, _of_requests())
    yield from ("", "## pksk", "", "| limit on | value | how to change it |", "|---|---|---|")
    yield from (f"| {what} | {limit} | {where} |" for what, limit, where in _own())


def bounds(module: ModuleType) -> Iterator[Bound]:
    """The constants of a module, each with the text below it."""
    page = _page(module.__doc__ or "")
    body = ast.parse(inspect.getsource(module)).body
    for node, below in pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            text = below.value if isinstance(below, ast.Expr) else None
            meaning, _, source = str(text.value if isinstance(text, ast.Constant) else "").partition("\n")
            yield Bound(node.target.id, getattr(module, node.target.id), meaning, source.strip() or page)


def _of_requests() -> Iterator[Bound]:
    yield Bound(
        "expressions.tokens.MOST_BYTES", MAX_EXPRESSION_BYTES, "The text of an expression", _CONSTRAINTS
    )
    yield Bound(
        "expressions.operands.MOST_OPERATORS",
        MAX_OPERATORS,
        "Operators and functions of an expression",
        _CONSTRAINTS,
    )
    yield Bound("Scan.segments", _MAX_SEGMENTS, "Segments of a scan", _SCAN)
    yield Bound("BoundKey.nearest", MOST_NEAREST, "Results of one search of a vector index", _SEARCH)


def _own() -> Iterator[tuple[str, str, str]]:
    yield "Partitions of one query", f"{MAX_PARTITIONS:,}", "split the query, or scan"
    yield "Numbers of a sequence in one block", f"{MAX_BLOCK_SIZE:,}", "take several blocks"
    yield "Concurrent requests over a network", f"{_MAX_PARALLEL}", "-"
    for each in fields(Retry):
        yield f"Retries: `{each.name}`", f"{each.default:,}", "`connect(..., retry=Retry(...))`"
    for each in fields(Limits):
        yield f"The server: `{each.name}`", f"{each.default:,}", "`Server(engine, limits=Limits(...))`"


def _row(bound: Bound) -> str:
    return f"| {bound.meaning} | {bound.shown} | `{bound.name}` | [{_called(bound.source)}]({bound.source}) |"


def _called(source: str) -> str:
    return "OpenSearch" if "opensearch" in source else source.rpartition("/")[2].removesuffix(".html")


def _page(text: str) -> str:
    return next(word for word in text.split() if word.startswith("https://"))
