"""The rule about transactions with more items or bytes than DynamoDB accepts."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.limits import TRANSACTION_BYTES, TRANSACTION_ITEMS
from pksk.model.bill.month_rows import PatternUse
from pksk.model.requests.transaction import Transaction
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import pattern_subject


@rule("large-transaction", "how many items a call writes (items=), and how large they are (item_size=)")
def large_transaction(design: Design) -> Iterator[Finding]:
    """A transaction with more items or bytes than DynamoDB accepts.

    ## What it does

    Finds access patterns whose transactions have more than 100 items, or more than 4 MB, by the declared `items=` and
    `item_size=`. Without `items=` it counts the members of the example call.

    ## Why is this bad?

    DynamoDB rejects the transaction, however often it is sent again. What grows with its data, such as an order with
    all its lines, works in tests and fails for the largest customer.

    ## Example

        @access(rate=1, items=150)
        def place(order: Order, lines: list[Line]) -> Transaction:
            return transaction(Put(order), *map(Put, lines))

    ## Use instead

    A batch for what need not be all or nothing, and a last write that makes it visible: put the lines in batches, then
    the order with the status "placed". Or fewer, larger items: all lines as a list in the order.
    """
    for use in design.uses:
        for request in use.requests:
            if isinstance(request, Transaction):
                yield from _check(use, request)


def _check(use: PatternUse, request: Transaction) -> Iterator[Finding]:
    options = use.pattern.options
    count = max(options.items or 0, len(request.members))
    size = count * (options.item_size or 0)
    too_much = []
    if count > TRANSACTION_ITEMS:
        too_much.append(f"{count:,} items, and DynamoDB accepts {TRANSACTION_ITEMS}")
    if size > TRANSACTION_BYTES:
        too_much.append(f"{size:,} bytes, and DynamoDB accepts {TRANSACTION_BYTES:,}")
    if too_much:
        yield Finding(
            large_transaction.code,
            "error",
            pattern_subject(use.pattern),
            f"its transaction has {'; and '.join(too_much)}.",
            (f"{options.item_size:,} bytes an item, as declared",) if options.item_size else (),
            "write in batches what need not be all or nothing, and last the item that makes it visible.",
        )
