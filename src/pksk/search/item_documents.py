"""The documents of one item, with what a sink needs to keep them in step: id, digest, bucket and expiry."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b, sha256
from typing import Any, Final

import orjson

from pksk.dataclass import dataclass, field
from pksk.keys.document_id import doc_id
from pksk.limits import DOCUMENT_ID_BYTES
from pksk.values import WireItem, item_from_wire

# Verification compares items in so many groups, and lists only those of groups that differ.
BUCKETS: Final = 4096
_ESCAPES = str.maketrans({"%": "%25", "#": "%23"})


@dataclass(frozen=True)
class Document:
    """One document: its id, the part of the item that it shows (empty unless an item has several), and its fields."""

    id: str
    part: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class ItemDocuments:
    """All documents of one item: none if it was deleted, or if it does not meet the condition of its entity.

    `digest` is a 64-bit hash of what the documents show and of the version of the mapping; `expires` is the time at
    which the item expires, in seconds since 1970.
    """

    id: str
    table: str
    entity: str
    key: WireItem = field(repr=False)
    documents: tuple[Document, ...] = ()
    expires: int | None = None
    digest: int = 0

    @property
    def bucket(self) -> int:
        """The group of items in which it is verified."""
        return bucket_of(self.id)


def bucket_of(item_id: str) -> int:
    """The group of items in which an item is verified.

    Example:
        >>> bucket_of("PARK%231#META")
        3673
    """
    return int.from_bytes(blake2b(item_id.encode(), digest_size=2).digest()) % BUCKETS


def item_id(key: WireItem, attributes: tuple[str, ...], namespace: str = "") -> str:
    """The id of an item in an index: `doc_id` of its key, after the namespace of its table if it has one.

    Example:
        >>> item_id({"pk": {"S": "PARK"}, "sk": {"S": "1"}}, ("pk", "sk")), item_id({"pk": {"S": "1"}}, ("pk",), "shop")
        ('PARK#1', '%tshop#1')
    """
    keys = item_from_wire(key)
    text = doc_id(*(keys[name] for name in attributes))
    return text if not namespace else _bounded(f"%t{namespace.translate(_ESCAPES)}#{text}")


def part_id(item: str, part: str, *, has_sort_key: bool) -> str:
    """The id of one of several documents of an item: a third part, which no other id has.

    Example:
        >>> part_id("PARK#1", "4", has_sort_key=True), part_id("PARK", "4", has_sort_key=False)
        ('PARK#1#4', 'PARK##4')
    """
    return _bounded(f"{item}{'' if has_sort_key else '#'}#{part.translate(_ESCAPES)}")


def _bounded(text: str) -> str:
    data = text.encode()
    return text if len(data) <= DOCUMENT_ID_BYTES else "%h" + sha256(data).hexdigest()


def digest_of(mapping_version: str, documents: tuple[Document, ...], expires: int | None) -> int:
    """A signed 64-bit hash of what an item's documents show; 0 for an item without documents."""
    if not documents:
        return 0
    shown = [mapping_version, expires, [[each.part, each.body] for each in documents]]
    data = orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)
    return int.from_bytes(blake2b(data, digest_size=8).digest(), signed=True)
