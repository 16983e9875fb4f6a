"""Values to and from DynamoDB's JSON, beside boto3's TypeSerializer and TypeDeserializer.

Ours also writes, reads and checks base64, which boto3 leaves to botocore. "Every type" holds one
set, one binary and four numbers among its twelve attributes; "mostly text" is what items usually
are. Run it with ``python -m benchmarks.bench_values [--json] [--quick]``.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from benchmarks.timing import Row, row
from pksk.values import item_from_wire, item_size, item_to_wire, sortable_wire

FLAT: dict[str, Any] = {
    "pk": "CUSTOMER#8c2f1d34",
    "sk": "ORDER#2024-05-17T09:30:00Z#0001",
    "id": "8c2f1d34-60a4-4f0e-9f0b-2b8f7c1b4d11",
    "customer": "Åsa Lindström",
    "status": "shipped",
    "created": 1715938200,
    "quantity": 12,
    "total": Decimal("1249.50"),
    "discount": Decimal("0.15"),
    "paid": True,
    "tags": {"gift", "fragile", "express"},
    "digest": bytes(range(32)),
}
TEXTUAL: dict[str, Any] = {
    "pk": "CUSTOMER#8c2f1d34",
    "sk": "ORDER#2024-05-17T09:30:00Z#0001",
    "gsi1pk": "STATUS#shipped",
    "gsi1sk": "2024-05-17T09:30:00Z#0001",
    "id": "8c2f1d34-60a4-4f0e-9f0b-2b8f7c1b4d11",
    "customer": "Asa Lindstrom",
    "status": "shipped",
    "created": "2024-05-17T09:30:00Z",
    "currency": "SEK",
    "quantity": 12,
    "total": Decimal("1249.5"),
    "paid": True,
}
NESTED: dict[str, Any] = {
    "pk": "CUSTOMER#8c2f1d34",
    "sk": "ORDER#0001",
    "lines": [
        {"sku": f"SKU-{n}", "count": n, "price": Decimal("9.95"), "options": ["red", "L", None]}
        for n in range(5)
    ],
    "address": {"street": "Storgatan 1", "city": "Malmö", "geo": {"lat": Decimal("55.605"), "lon": 13}},
    "digest": bytes(range(32)),
}


def plain(count: int) -> dict[str, Any]:
    kinds: list[Any] = ["text", 7, Decimal("1.5"), True]
    return {f"attribute{n}": kinds[n % len(kinds)] for n in range(count)}


SERIALIZE = TypeSerializer().serialize
DESERIALIZE = TypeDeserializer().deserialize


def boto_encode(item: dict[str, Any]) -> dict[str, Any]:
    return {name: SERIALIZE(value) for name, value in item.items()}


def boto_decode(item: dict[str, Any]) -> dict[str, Any]:
    return {name: DESERIALIZE(value) for name, value in item.items()}


def untyped(label: str, item: dict[str, Any], *, quick: bool) -> list[Row]:
    wire, theirs = item_to_wire(item), boto_encode(item)
    return [
        row(f"encode {label}", lambda: item_to_wire(item), "boto3", lambda: boto_encode(item), quick=quick),
        row(
            f"decode {label}", lambda: item_from_wire(wire), "boto3", lambda: boto_decode(theirs), quick=quick
        ),
    ]


def alone(*, quick: bool) -> list[Row]:
    wire = item_to_wire(FLAT)
    return [
        row("size of every type", lambda: item_size(wire), quick=quick),
        row("sortable number", lambda: sortable_wire(wire["total"]), quick=quick),
        row("sortable string", lambda: sortable_wire(wire["sk"]), quick=quick),
    ]


def run(quick: bool = False) -> list[Row]:
    rows = untyped("every type", FLAT, quick=quick) + untyped("mostly text", TEXTUAL, quick=quick)
    rows += untyped("nested", NESTED, quick=quick)
    for count in (10, 100, 1000):
        rows += untyped(f"{count} attributes", plain(count), quick=quick)
    return rows + alone(quick=quick)


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["values", *sys.argv[1:]]))
