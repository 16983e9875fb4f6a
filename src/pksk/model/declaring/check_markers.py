"""Checks the markers of an entity: each on a field that can have it, and all together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.model.markers import MARKERS
from pksk.model.markers.marker import reject_marker
from pksk.model.markers.ttl import check_unmarked_ttl

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.declaring.attributes import Field

__all__ = ["check_markers"]


def check_markers(declaration: Declaration[Any]) -> None:
    """Reject markers that no store could honour."""
    for name, each in declaration.fields.items():
        if each.markers:
            _check_field(f"{declaration.name}.{name}", each)
    for kind in MARKERS:
        names = [name for name, _ in declaration.marked(kind)]
        if kind.at_most_one and len(names) > 1:
            reject_marker(
                declaration.name, "marker-twice", f"{kind.__name__} is on {' and '.join(map(repr, names))}.",
                "an entity has one; leave the others out.",
            )  # fmt: skip
        for name, marker in declaration.marked(kind):
            marker.check_entity(name, declaration)
            if kind.changes_always and name in declaration.primary.fields:
                reject_marker(
                    f"{declaration.name}.{name}", "marker-clash",
                    f"{kind.__name__} changes with each write, and key {declaration.primary.name!r} contains it.",
                    "leave the field out of the primary key.",
                )  # fmt: skip
    check_unmarked_ttl(declaration)


def _check_field(where: str, field: Field) -> None:
    kinds = [type(marker) for marker in field.markers]
    if field.computed:
        reject_marker(
            where, "marker-place", f"{kinds[0].__name__} is on a computed field, which is not stored.",
            "mark a field, and compute it where the entity is made.",
        )  # fmt: skip
    for kind in kinds:
        if kinds.count(kind) > 1:
            reject_marker(
                where, "marker-twice", f"{kind.__name__} is on the field twice.", "leave one of them out."
            )
    roles = [kind for kind in kinds if kind.acts_on_writes]
    if len(roles) > 1 and any(kind.at_most_one for kind in roles):
        names = " and ".join(kind.__name__ for kind in roles)
        reject_marker(
            where, "marker-clash", f"{names} are on one field.", "give each of them a field of its own."
        )
    for marker in field.markers:
        marker.check_field(where, field)
