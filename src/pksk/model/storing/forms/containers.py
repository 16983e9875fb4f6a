"""Forms of lists, tuples, sets and maps: the form of their members, for each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pksk.model.storing.core_schema import Node, wrapped_nodes
from pksk.model.storing.forms.form import Form, Unfit
from pksk.model.storing.stored_value import as_set, member_name, stored_value

if TYPE_CHECKING:
    from pksk.model.storing.forms.forms import Forms

__all__ = ["listed", "mapped", "mixed", "unordered"]

_ANY: Node = {"type": "any"}

# Types that Pydantic reads from the text of a name as it reads them from a value.
_NAMES = frozenset(
    ("str", "int", "bool", "float", "decimal", "date", "datetime", "time", "timedelta", "uuid", "url")
)
# Types whose values are not one text.
_NO_NAMES = frozenset(
    (
        "bytes",
        "none",
        "list",
        "tuple",
        "set",
        "frozenset",
        "dict",
        "model",
        "dataclass",
        "named-tuple",
        "typed-dict",
    )
)


def listed(forms: Forms, node: Node) -> Form:
    """A list or a deque."""
    return _of_members(forms.of(node.get("items_schema", _ANY)), list)


def unordered(forms: Forms, node: Node) -> Form:
    """A set, as one of DynamoDB's where it can be one."""
    return _of_members(forms.of(node.get("items_schema", _ANY)), as_set)


def _of_members(member: Form, collect: Callable[[list[Any]], Any]) -> Form:
    store = member.store
    if store is None:
        return member
    return replace(
        member,
        store=lambda value, path: collect([store(each, f"{path}[{n}]") for n, each in enumerate(value)]),
    )


def mixed(forms: Forms, node: Node) -> Form:
    """A tuple, where each place may have a type of its own and one of them may repeat."""
    members = [forms.of(each) for each in node["items_schema"]]
    repeated = node.get("variadic_item_index")
    if not any(member.store for member in members):
        return Form().joined(members)

    def store(value: tuple[Any, ...], path: str) -> list[Any]:
        stores = [member.store or stored_value for member in members]
        if repeated is not None:
            more = [stores[repeated]] * (len(value) - len(stores) + 1)
            stores = [*stores[:repeated], *more, *stores[repeated + 1 :]]
        return [each(part, f"{path}[{n}]") for n, (each, part) in enumerate(zip(stores, value, strict=False))]

    return Form(store).joined(members)


def mapped(forms: Forms, node: Node) -> Form:
    """A dict: its keys become names."""
    keys, member = node.get("keys_schema", _ANY), forms.of(node.get("values_schema", _ANY))
    made = member.joined([_name_form(forms, keys)])
    store = member.store
    if store is None:
        return made
    return replace(
        made,
        store=lambda value, path: {
            member_name(key, path): store(each, f"{path}.{key}") for key, each in value.items()
        },
    )


def _name_form(forms: Forms, node: Node) -> Form:
    *_, kind = (each["type"] for each in wrapped_nodes(node, forms.known))
    if kind in _NAMES:
        return replace(forms.of(node), store=None)
    if kind in _NO_NAMES:
        raise Unfit(
            f"The names in a map are texts, and its keys are declared as {kind}",
            "declare keys of text, numbers or dates, or a list of pairs: list[tuple[K, V]].",
        )
    if kind != "any":
        from pksk.model.storing.forms.probe import probe_names

        probe_names(forms.reader, node)
    return replace(forms.of(node), store=None, vague=kind not in ("enum", "literal"))
