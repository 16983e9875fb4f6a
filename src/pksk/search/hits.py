"""What a search returns: documents with their scores, which can be exchanged for the entities."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b, shake_256
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Final

import orjson

from pksk.dataclass import dataclass, field
from pksk.errors import InvalidCursor, InvalidValue, quote
from pksk.model.entity import Entity
from pksk.model.entity_of_item import primary_key_values
from pksk.model.requests import Get
from pksk.search.search_index import SearchIndex
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.store import AsyncStore, Store

_SEAL_BYTES: Final = 16


@dataclass(frozen=True)
class Hit:
    """A document that was found: its item, its score, its fields, and passages with the words that were found."""

    id: str
    entity: type[Entity]
    key: WireItem = field(repr=False)
    score: float
    body: Mapping[str, Any]
    distance_m: float | None = None
    highlights: Mapping[str, str] = field(default_factory=dict)

    @property
    def get(self) -> Get[Any]:
        """The request that reads its entity."""
        declaration = self.entity.__pksk__
        values = primary_key_values(declaration, self.key)
        if values is None:
            raise InvalidValue(
                "search-hit-key",
                f"The primary key of {declaration.name} does not contain all of its fields, and so neither does a hit.",
                fix="read the items by another key, with what the document shows.",
            )
        get: Get[Any] = getattr(self.entity, declaration.primary.name).get(**values)
        return get


@dataclass(frozen=True)
class Hits:
    """A page of hits, the number of all documents that match, counts of values, and where the next page begins."""

    hits: Sequence[Hit]
    total: int
    facets: Mapping[str, Mapping[Any, int]]
    cursor: str | None = field(default=None, repr=False)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def entities(self, db: Store) -> list[Any]:
        """The entities of the hits in one batch read; None for an item that was deleted meanwhile."""
        return db.batch_get(*(each.get for each in self.hits)) if self.hits else []

    async def entities_async(self, db: AsyncStore) -> list[Any]:
        """The entities of the hits from an asynchronous store."""
        return await db.batch_get(*(each.get for each in self.hits)) if self.hits else []


def entity_named(index: SearchIndex, name: str) -> type[Entity]:
    """The entity of an index with a name."""
    return next(each for each in index.entities if each.__name__ == name)


def seal_cursor(secret: bytes, search: str, position: list[Any]) -> str:
    """A position as text that cannot be read or changed, and is valid for one search.

    Example:
        >>> text = seal_cursor(b"secret", "lakes", [0.5, "PARK#1"])
        >>> open_cursor(b"secret", "lakes", text)
        [0.5, 'PARK#1']
    """
    plain = orjson.dumps(position)
    seal = _seal(secret, search, plain)
    return urlsafe_b64encode(seal + _masked(secret, seal, plain)).decode().rstrip("=")


def open_cursor(secret: bytes, search: str, text: str) -> list[Any]:
    """The position in a cursor; raises unless it is one of this search.

    Example:
        >>> open_cursor(b"secret", "parks", seal_cursor(b"secret", "lakes", [1]))
        Traceback (most recent call last):
        pksk.errors.InvalidCursor: ... is not a cursor of this search...
    """
    try:
        sealed = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except ValueError:
        sealed = b""
    seal, masked = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    plain = _masked(secret, seal, masked)
    if not compare_digest(_seal(secret, search, plain), seal):
        raise InvalidCursor(
            "search-cursor",
            f"{quote(text)} is not a cursor of this search.",
            expected="A cursor is valid for the search and the index file that returned it.",
            fix="use it with the same search, or begin without one.",
        )
    position: list[Any] = orjson.loads(plain)
    return position


def _seal(secret: bytes, search: str, plain: bytes) -> bytes:
    bound = blake2b(search.encode("utf-8", "surrogatepass"), digest_size=32).digest()
    return blake2b(bound + plain, digest_size=_SEAL_BYTES, key=secret[:64], person=b"pksk search").digest()


def _masked(secret: bytes, seal: bytes, data: bytes) -> bytes:
    mask = shake_256(secret + seal).digest(len(data))
    return bytes(one ^ other for one, other in zip(data, mask, strict=True))
