"""Finds the markers of a field, and rejects those in a position where they mean nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Union, get_args, get_origin

from pydantic import BaseModel

from pksk.errors import DesignError
from pksk.model.markers import MARKERS, Marker
from pksk.model.markers.marker import reject_marker
from pksk.model.markers.ttl import check_unmarked_ttl

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.storing.attributes import Field


def markers_of(where: str, annotation: Any, metadata: Iterable[Any]) -> tuple[Marker, ...]:
    """The markers of a field: beside its type, and beside the type within `X | None`."""
    return _MarkerSearch(where).all(annotation, metadata)


class _MarkerSearch:
    """Searches one annotation; a recursive model is searched once."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.seen: set[type] = set()

    def all(self, annotation: Any, metadata: Iterable[Any]) -> tuple[Marker, ...]:
        return (*self.in_metadata(metadata), *self.in_annotation(annotation))

    def in_metadata(self, metadata: Iterable[Any]) -> Iterator[Marker]:
        for each in metadata:
            if isinstance(each, Marker):
                yield each
            elif isinstance(each, type) and issubclass(each, Marker):
                self.misplaced(
                    f"{each.__name__} is a class here, not an object.",
                    f"write {each.__name__}(...), with parentheses.",
                )

    def in_annotation(self, annotation: Any) -> list[Marker]:
        if hasattr(annotation, "__supertype__"):
            return self.in_annotation(annotation.__supertype__)
        if type(annotation).__name__ == "TypeAliasType":
            return self.in_annotation(annotation.__value__)
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return [*self.in_metadata(arguments[1:]), *self.in_annotation(arguments[0])]
        if origin in (Union, UnionType):
            return self.in_union(arguments)
        self.check_members(annotation, arguments)
        return []

    def in_union(self, members: tuple[Any, ...]) -> list[Marker]:
        markers = [marker for member in members for marker in self.in_annotation(member)]
        if markers and len([member for member in members if member is not NoneType]) > 1:
            name = type(markers[0]).__name__
            self.misplaced(
                f"{name} is beside one type of several.",
                f"put it beside all of them: Annotated[A | B, {name}(...)].",
            )
        return markers

    def check_members(self, annotation: Any, arguments: tuple[Any, ...]) -> None:
        """Reject markers within a list, a map or a plain model, where they would have no effect."""
        for each in arguments:
            markers = (
                self.in_annotation(each) if isinstance(each, type) or get_origin(each) is not None else []
            )
            markers = [marker for marker in markers if not marker.is_allowed_inside]
            if markers:
                self.misplaced(
                    f"{type(markers[0]).__name__} is inside {annotation}.", "mark the field itself."
                )
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            self.check_model(annotation)

    def check_model(self, model: type[BaseModel]) -> None:
        if model is BaseModel or model in self.seen or hasattr(model, "__pksk_options__"):
            return
        self.seen.add(model)
        for name, info in model.__pydantic_fields__.items():
            for marker in self.all(info.annotation, info.metadata):
                if marker.is_allowed_inside:
                    continue
                self.misplaced(
                    f"{type(marker).__name__} is on {model.__name__}.{name}, a field inside a field.",
                    "mark fields of the entity itself.",
                )

    def misplaced(self, problem: str, fix: str) -> NoReturn:
        raise DesignError("marker-misplaced", f"{self.where}: {problem}", fix=fix)


def check_markers(declaration: Declaration) -> None:
    """Reject markers that contradict each other, their field or their entity."""
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
            where, "marker-misplaced", f"{kinds[0].__name__} is on a computed field, which is not stored.",
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
