"""The errors for items that an entity cannot be read from: the model's own, and one for items of something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pksk.errors import ItemUnreadable, quote
from pksk.model.told import family, said
from pksk.model.unreadable import told_fields, unreadable

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["foreign", "told_fields", "unreadable"]


def foreign(asked: Sequence[Declaration[Any]], item: WireItem) -> ItemUnreadable:
    """The error for an item under a key of these entities that says to be something else.

    Read as one of them, it would lose what they do not know when it is written again.
    """
    table = asked[0].table
    tag = said(table, item)
    known = sorted(other for each in asked for other, kind in family(each).items() if kind.is_kind_of(each))
    expected = " or ".join(map(quote, known))
    says = "the item does not say what it is" if tag is None else f"the item says {quote(tag)}"
    return unreadable(
        asked[0], item, None, {table.discriminator or "item": f"{says}, expected is {expected}"}
    )
