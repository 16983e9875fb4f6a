"""Write shards: one partition spread over several, by a field or at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pksk.errors import TemplateError
from pksk.model.storable import storable

__all__ = ["SHARD_FIELD", "Shard"]

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
                fix="choose as many as the peak rate divided by 1,000 writes a second asks for, for example Shard(4).",
            )

    def number(self, values: dict[str, Any]) -> int:
        """The shard of an item with these values; the same in every process."""
        # Imported here: a design loads faster without them, and most have no shards.
        from hashlib import blake2b
        from random import randrange

        if self.of is None:
            return randrange(self.count)
        digest = blake2b(repr(storable(values[self.of], self.of)).encode(), digest_size=8).digest()
        return int.from_bytes(digest) % self.count
