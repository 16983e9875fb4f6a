"""Forms of models, dataclasses, typed dicts and named tuples: the form of each of their fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pksk.errors import InvalidValue, quote
from pksk.model.storing.core_schema import Node, node_runs_user_code, wrapped_nodes
from pksk.model.storing.forms.form import Form, Unfit
from pksk.model.storing.stored_value import STORED_AS_IS, stored_value

if TYPE_CHECKING:
    from pksk.model.storing.forms.forms import Forms

__all__ = ["data_class", "is_of_class", "model", "named_tuple", "typed_dict"]


def model(forms: Forms, node: Node) -> Form:
    """A model inside a field: its fields by name, also those that a dump leaves out."""
    cls, fields = node["cls"], _fields(node)
    if node.get("root_model"):
        return _root(forms, node)
    members = {name: forms.of(each["schema"]) for name, each in fields.items()}
    extra = node.get("extra_behavior") or _configured(node, "extra_fields_behavior")

    def store(value: Any, path: str) -> Any:
        if not is_of_class(value, cls, path):
            return stored_value(value, path)
        stored = _members(value.__dict__, members, path)
        beside = value.__pydantic_extra__
        return {**stored, **stored_value(beside, path)} if beside else stored

    return Form(store, vague=extra == "allow", altered=node_runs_user_code(node)).joined(
        list(members.values())
    )


def _root(forms: Forms, node: Node) -> Form:
    cls, root = node["cls"], forms.of(node["schema"])

    def store(value: Any, path: str) -> Any:
        if not is_of_class(value, cls, path):
            return stored_value(value, path)
        return (root.store or stored_value)(value.root, path)

    return Form(store, altered=node_runs_user_code(node)).joined([root])


def _fields(node: Node) -> Mapping[str, Any]:
    *_, within = wrapped_nodes(node["schema"], {})
    found: Mapping[str, Any] = within.get("fields", {})
    return found


def _configured(node: Node, option: str) -> Any:
    return node.get("config", {}).get(option)


def _members(values: Mapping[str, Any], members: Mapping[str, Form], path: str) -> dict[str, Any]:
    return {
        name: values[name]
        if form.store is None and type(values[name]) in STORED_AS_IS
        else (form.store or stored_value)(values[name], f"{path}.{name}")
        for name, form in members.items()
        if name in values
    }


def is_of_class(value: Any, cls: type, path: str) -> bool:
    """Whether an object is of a class itself; one of a subclass is refused, as no item says which it was."""
    if type(value) is cls or not isinstance(value, cls):
        return type(value) is cls
    raise InvalidValue(
        "entity-inexact",
        f"{path}: {quote(value)} is of class {type(value).__name__} and would be read back as {cls.__name__}.",
        fix=f"declare the field as a union with a discriminator, or give an object of {cls.__name__} itself.",
    )


def data_class(forms: Forms, node: Node) -> Form:
    """A dataclass, of Python or of Pydantic."""
    cls, fields = node["cls"], list(_dataclass_fields(node))
    for each in fields:
        if each.get("init_only"):
            raise Unfit(
                f"{cls.__name__}.{each['name']} is given to make the object and not kept in it",
                "make it a field, or leave the dataclass out of the entity.",
            )
    members = {each["name"]: forms.of(each["schema"]) for each in fields if each.get("init", True)}
    hidden = len(members) < len(fields) or bool(node.get("post_init"))

    def store(value: Any, path: str) -> Any:
        if not is_of_class(value, cls, path):
            return stored_value(value, path)
        return _members({name: getattr(value, name) for name in members}, members, path)

    return Form(store, altered=hidden).joined(list(members.values()))


def _dataclass_fields(node: Node) -> Iterator[Node]:
    *_, within = wrapped_nodes(node["schema"], {})
    yield from within.get("fields", ())


def typed_dict(forms: Forms, node: Node) -> Form:
    """A dict with declared members, some of which may be absent."""
    members = {name: forms.of(each["schema"]) for name, each in node["fields"].items()}
    extra = node.get("extra_behavior") or _configured(node, "extra_fields_behavior")

    def store(value: Mapping[str, Any], path: str) -> dict[str, Any]:
        rest = {name: each for name, each in value.items() if name not in members}
        return {**_members(value, members, path), **stored_value(rest, path)}

    return Form(store, vague=extra == "allow").joined(list(members.values()))


def named_tuple(forms: Forms, node: Node) -> Form:
    """A named tuple: a list, in the order of its fields."""
    members = [forms.of(each["schema"]) for each in node["fields"]]
    stores = [member.store or stored_value for member in members]
    made = Form().joined(members)
    if not any(member.store for member in members):
        return made
    return replace(
        made,
        store=lambda value, path: [
            each(part, f"{path}[{n}]") for n, (each, part) in enumerate(zip(stores, value, strict=True))
        ],
    )
