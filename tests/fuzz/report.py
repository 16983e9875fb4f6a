"""The report of a run: its summary, or a failure with the request that caused it."""

from __future__ import annotations

from collections.abc import Iterator

from .exchange import Act, Step
from .fuzz import ROUND, Failure, Tally

__all__ = ["failure_text", "summary"]

_SHOWN_BYTES = 100_000


def summary(tally: Tally) -> str:
    """The bytes sent, the bytes received, and the duration."""
    rate = tally.requests / max(tally.seconds, 1e-9)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in tally.kinds.most_common())
    statuses = ", ".join(f"{status}: {count:,}" for status, count in sorted(tally.statuses.items()))
    return (
        f"{tally.requests:,} requests in {tally.exchanges:,} exchanges, {tally.seconds:.1f} s, {rate:,.0f}/s\n"
        f"  by status  {statuses}\n  by kind    {kinds}"
    )


def failure_text(failure: Failure, options: str) -> str:
    """All that is needed to see a failure again."""
    return "\n".join(_lines(failure, options))


def _lines(failure: Failure, options: str) -> Iterator[str]:
    exchange = failure.exchange
    yield f"FAILED: {failure}"
    yield f"exchange {exchange.number}, {exchange.kind}; sent:"
    yield from (f"  {_shown(step)}" for step in exchange.steps)
    yield "answers:"
    yield from (f"  {answer.status} {answer.headers} {answer.sent[:2000]!r}" for answer in failure.answers)
    yield f"expected, at least {exchange.least} of:"
    yield from (f"  {each.kind} {each.operation} {each.body!r}" for each in exchange.expected)
    if failure.smaller is not None:
        yield f"smaller, and wrong too:\n  {_shown(failure.smaller)}"
    yield f"again, alone:      python -m tests.fuzz --start {exchange.number} --requests 1 {options}"
    count = exchange.number - failure.begin + 1
    yield f"again, its round:  python -m tests.fuzz --start {failure.begin} --exchanges {min(count, ROUND)} {options}"


def _shown(step: Step) -> str:
    return f"<{step.value}>" if isinstance(step, Act) else repr(step[:_SHOWN_BYTES])
