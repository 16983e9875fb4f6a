"""The rule about transactions of a single write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pksk.model.patterns.pattern import Pattern
from pksk.model.requests.transaction import Transaction
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.changes import return_member
from pksk.review.source_lines import pattern_subject


@rule("transaction-of-one")
def transaction_of_one(design: Design) -> Iterator[Finding]:
    """A transaction with a single member.

    ## What it does

    Finds access patterns whose transaction has one member, whatever their arguments.

    ## Why is this bad?

    A write of one item is all or nothing by itself, and can have a condition. In a transaction it costs twice as much,
    and conflicts with other transactions.

    ## Example

        return transaction(Order.primary.update(id=id).set(status="sent"))

    ## Use instead

        return Order.primary.update(id=id).set(status="sent")
    """
    for use in design.uses:
        for request in use.requests:
            if (
                isinstance(request, Transaction)
                and len(request.members) == 1
                and not _takes_several(use.pattern)
            ):
                yield Finding(
                    transaction_of_one.code,
                    "warning",
                    pattern_subject(use.pattern),
                    "its transaction has one member, which costs twice as much as that member by itself.",
                    (),
                    f"return the {request.members[0].kind} itself.",
                    change=return_member(use.pattern, type(request.members[0]).__name__),
                )


def _takes_several(pattern: Pattern) -> bool:
    """Whether a call may have more members: it takes several values, or declares several items."""
    options = pattern.options
    return (options.items or 0) > 1 or any(
        parameter.kind is parameter.VAR_POSITIONAL or _is_container(pattern.annotations.get(name))
        for name, parameter in pattern.parameters.items()
    )


def _is_container(annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin is not None and not isinstance(origin, type):
        return any(_is_container(each) for each in get_args(annotation))
    return isinstance(origin, type) and not issubclass(origin, str | bytes)
