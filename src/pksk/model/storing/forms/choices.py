"""Forms of enums, literals and unions: values that must be told apart by what is stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pksk.model.storing.core_schema import Node, wrapped_nodes
from pksk.model.storing.forms.form import Form, Store, Unfit
from pksk.model.storing.stored_value import stored_value

if TYPE_CHECKING:
    from pksk.model.storing.forms.forms import Forms

__all__ = ["enum", "literal", "tagged_union", "union"]


def enum(forms: Forms, node: Node) -> Form:
    """A member of an enum, stored by its value."""
    if not _plain({type(member.value) for member in node["members"]}):
        _probe_each(forms, node, node["members"])
    return Form()


def literal(forms: Forms, node: Node) -> Form:
    """One of several values."""
    if not _plain({type(value) for value in node["expected"]}):
        _probe_each(forms, node, node["expected"])
    return Form()


def _probe_each(forms: Forms, node: Node, values: Iterable[Any]) -> None:
    from pksk.model.storing.forms.probe import probe_values

    probe_values(forms.reader, node, values)


def _plain(kinds: set[type]) -> bool:
    return kinds <= {str} or kinds <= {int}


def union(forms: Forms, node: Node) -> Form:
    """One of several types; which one it was must follow from what is stored."""
    choices = [each[0] if isinstance(each, tuple) else each for each in node["choices"]]
    made = Form(_by_class(forms, choices), vague=True).joined(_fitting(forms, choices))
    from pksk.model.storing.forms.probe import probe_choices

    probe_choices(forms.reader, node, choices, made.store or stored_value)
    return made


def _fitting(forms: Forms, choices: list[Node]) -> list[Form]:
    """The forms of the choices that can be stored at all; a value of the others is refused when it is met."""
    found: list[Form] = []
    refusal: Unfit | None = None
    for each in choices:
        try:
            found.append(forms.of(each))
        except Unfit as unfit:
            refusal = unfit
    if refusal and not found:
        raise refusal
    return found


def tagged_union(forms: Forms, node: Node) -> Form:
    """One of several types, told apart by a member of theirs."""
    choices = list(node["choices"].values())
    made = Form(_by_class(forms, choices)).joined([forms.of(each) for each in choices])
    return made.joined([Form(altered=callable(node["discriminator"]))])


def _by_class(forms: Forms, choices: list[Node]) -> Store | None:
    """Stores an object as its own class says, where one of the choices is that class."""
    stores: dict[type, Store | None] = {}
    for each in choices:
        *_, within = wrapped_nodes(each, forms.known)
        if within["type"] in ("model", "dataclass"):
            stores[within["cls"]] = forms.of(each).store
    if not stores:
        return None
    return lambda value, path: (stores.get(type(value)) or stored_value)(value, path)
