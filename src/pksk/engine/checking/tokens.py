"""The tokens of transactions, each found by its name and by its time."""

from __future__ import annotations

import orjson

from pksk.engine.storage import Reader
from pksk.engine.transactions.tokens import BY_NAME, BY_TIME, moment

from .report import Findings

__all__ = ["check_tokens"]


def check_tokens(findings: Findings, reader: Reader, space: int) -> None:
    """Verify that both ways lead to the same tokens."""
    named = 0
    for row in reader.rows(space, BY_NAME, BY_TIME):
        named += 1
        name = row.key[len(BY_NAME) :]
        at = orjson.loads(row.data)["at"]
        if reader.get(space, BY_TIME + moment(at) + name) is None:
            findings.problem("tokens", f"{name!r} is not found by its time.")
    findings.count("tokens", named)
    timed = sum(1 for _ in reader.rows(space, BY_TIME, None))
    if timed != named:
        findings.problem("tokens", f"{timed} are found by their time, and {named} by their name.")
