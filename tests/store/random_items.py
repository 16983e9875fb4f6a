"""Random items as other programs leave them: with attributes and members of maps that the models do not know."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from pksk import Entity

__all__ = ["WIRES", "items", "names_except", "with_unknown_members"]

Wire = dict[str, Any]


def names_except(known: Iterable[str]) -> st.SearchStrategy[str]:
    """Names of attributes and members, some of them awkward, without those that a model knows."""
    awkward = st.sampled_from(("a.b", "#c", ":d", "a[0]", "model_fields", "__dict__", "None", "é", "origin"))
    taken = frozenset(known)
    return (awkward | st.text(min_size=1, max_size=5)).filter(lambda name: name not in taken)


def _base64(content: bytes) -> str:
    return b64encode(content).decode()


_NUMBERS = (
    st.decimals(-999, 999, places=2).map(lambda number: f"{number.normalize():f}").filter(lambda n: n != "-0")
)
_SCALARS = st.one_of(
    st.builds(lambda text: {"S": text}, st.text(max_size=3)),
    st.builds(lambda number: {"N": number}, _NUMBERS),
    st.builds(lambda content: {"B": _base64(content)}, st.binary(max_size=3)),
    st.builds(lambda value: {"BOOL": value}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(lambda texts: {"SS": sorted(texts)}, st.sets(st.text(max_size=3), min_size=1, max_size=3)),
    st.builds(lambda numbers: {"NS": sorted(numbers)}, st.sets(_NUMBERS, min_size=1, max_size=3)),
    st.builds(
        lambda contents: {"BS": sorted(map(_base64, contents))},
        st.sets(st.binary(max_size=2), min_size=1, max_size=3),
    ),
)
# Any value that an item can have.
WIRES: st.SearchStrategy[Wire] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.builds(lambda members: {"L": members}, st.lists(inner, max_size=3)),
        st.builds(lambda members: {"M": members}, st.dictionaries(names_except(()), inner, max_size=3)),
    ),
    max_leaves=6,
)


@st.composite
def with_unknown_members(draw: st.DrawFn, wire: Wire, known: Iterable[str]) -> Wire:
    """A stored value whose models may have members that are not `known`; a map without these names is a dict."""
    if "L" in wire:
        return {"L": [draw(with_unknown_members(each, known)) for each in wire["L"]]}
    if "M" in wire:
        own = {name: draw(with_unknown_members(each, known)) for name, each in wire["M"].items()}
        more = st.dictionaries(names_except(known), WIRES, max_size=2)
        return {"M": own | draw(more)} if own.keys() & set(known) else {"M": own}
    return wire


@st.composite
def items(draw: st.DrawFn, entity: Entity, nested: Mapping[str, Iterable[str]]) -> dict[str, Wire]:
    """The item of an entity with unknown attributes, and unknown members in the fields that are `nested` models.

    `nested` has the names that the models of each such field know.
    """
    declaration = type(entity).__pksk__
    item = declaration.to_item(entity)
    own = {
        name: draw(with_unknown_members(item[name], known)) for name, known in nested.items() if name in item
    }
    taken = {*declaration.known_attributes, *declaration.fields}
    return item | own | draw(st.dictionaries(names_except(taken), WIRES, max_size=4))
