"""Write shards: one partition spread over several, by a field or at random."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pksk.dataclass import dataclass
from pksk.errors import TemplateError, quote
from pksk.model.storing.stored_value import stored_value
from pksk.values import to_wire

# The name that a template uses for the number of the shard.
SHARD_FIELD = "shard"


@dataclass(frozen=True, slots=True)
class Shard:
    """How many shards there are, and which field decides; without `of`, chance does.

    Example:
        >>> Shard(4, of="order_id").number({"order_id": "o-1"}) == Shard(4, of="order_id").number({"order_id": "o-1"})
        True
    """

    count: int
    of: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or not 2 <= self.count <= 1000:
            raise TemplateError(
                "key-shard",
                f"Shard({self.count!r}): the number of shards is from 2 to 1000.",
                fix="choose as many as the peak rate divided by 1,000 writes a second needs, for example Shard(4).",
            )
        if self.of is not None and not isinstance(self.of, str):
            raise TemplateError(
                "key-shard",
                f"Shard({self.count}, of={quote(self.of)}): of is the name of one field.",
                fix="name a field: of='order_id'. For several, name a computed field that joins them.",
            )

    def number(self, values: dict[str, Any]) -> int:
        """The shard of an item with these values; the same in every process, and for equal values.

        Example:
            >>> Shard(9, of="n").number({"n": Decimal("1.00")}) == Shard(9, of="n").number({"n": 1})
            True
        """
        # Imported here: a design loads faster without them, and most have no shards.
        from hashlib import blake2b
        from random import randrange

        if self.of is None:
            return randrange(self.count)
        digest = blake2b(_text(values[self.of], self.of).encode(), digest_size=8).digest()
        return int.from_bytes(digest) % self.count


def _text(value: Any, path: str) -> str:
    """One text for all values that are equal, however they are written."""
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return repr(value.astimezone(UTC).isoformat())
    plain = stored_value(value, path)
    if isinstance(plain, (set, list, tuple)):
        parts = [_text(each, path) for each in plain]
        ordered = isinstance(plain, (list, tuple)) and not isinstance(value, (set, frozenset))
        return f"[{', '.join(parts if ordered else sorted(parts))}]"
    if isinstance(plain, dict):
        return f"{{{', '.join(sorted(f'{name!r}: {_text(each, path)}' for name, each in plain.items()))}}}"
    # As DynamoDB writes it: 1 and 1.00 are one number.
    return str(to_wire(plain)["N"]) if isinstance(plain, Decimal) else repr(plain)
