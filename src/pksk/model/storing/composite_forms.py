"""The forms of values that contain others: lists, sets, tuples, maps, models, enums, literals and unions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel

from pksk.errors import InvalidValue, quote
from pksk.model.markers.stored import stored_marker
from pksk.model.storing.core_schema import Node, node_runs_user_code, wrapped_nodes
from pksk.model.storing.forms import CannotStore, Form, Forms, Handler, Read, Store
from pksk.model.storing.probe import probe_choices, probe_names, probe_values
from pksk.model.storing.stored_value import STORED_AS_IS, as_set, member_name, stored_value

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


def list_form(forms: Forms, node: Node) -> Form:
    """A list or a deque."""
    return _of_members(forms.of(node.get("items_schema", _ANY)), list)


def set_form(forms: Forms, node: Node) -> Form:
    """A set, as one of DynamoDB's where it can be one."""
    return _of_members(forms.of(node.get("items_schema", _ANY)), as_set)


def _of_members(member: Form, collect: Callable[[list[Any]], Any]) -> Form:
    store, read = member.store, member.read
    if store is None:
        return member
    return replace(
        member,
        store=lambda value, path: collect([store(each, f"{path}[{n}]") for n, each in enumerate(value)]),
        read=read and (lambda stored: [read(each) for each in stored] if _is_list(stored) else stored),
    )


def _is_list(stored: Any) -> bool:
    return isinstance(stored, (list, set))


def _read_by_name(members: Mapping[str, Form]) -> Read | None:
    """Reads the members of a map that have a format; others, and anything but a map, stay as they are."""
    reads = {name: form.read for name, form in members.items() if form.read is not None}

    def read(stored: Any) -> Any:
        if not isinstance(stored, dict):
            return stored
        return {name: reads[name](each) if name in reads else each for name, each in stored.items()}

    return read if reads else None


def _read_in_order(members: list[Form], repeated: int | None = None) -> Read | None:
    """Reads the elements of a list that have a format; others, and anything but a list, stay as they are."""
    reads = [member.read or _unchanged for member in members]

    def read(stored: Any) -> Any:
        if not isinstance(stored, list):
            return stored
        return [each(part) for each, part in zip(_spread(reads, repeated, len(stored)), stored, strict=False)]

    return read if any(member.read for member in members) else None


def _unchanged(stored: Any) -> Any:
    return stored


def _spread(each: list[Any], repeated: int | None, count: int) -> list[Any]:
    """One function for each element of a tuple, whose repeated one fills it."""
    if repeated is None:
        return each
    more = [each[repeated]] * (count - len(each) + 1)
    return [*each[:repeated], *more, *each[repeated + 1 :]]


def tuple_form(forms: Forms, node: Node) -> Form:
    """A tuple; each position may have a type of its own, and one of them may repeat."""
    members = [forms.of(each) for each in node["items_schema"]]
    repeated = node.get("variadic_item_index")
    if not any(member.store for member in members):
        return Form().combined(members)

    def store(value: tuple[Any, ...], path: str) -> list[Any]:
        stores = _spread([member.store or stored_value for member in members], repeated, len(value))
        return [each(part, f"{path}[{n}]") for n, (each, part) in enumerate(zip(stores, value, strict=False))]

    return Form(store, _read_in_order(members, repeated)).combined(members)


def dict_form(forms: Forms, node: Node) -> Form:
    """A dict: its keys become names."""
    keys, member = node.get("keys_schema", _ANY), forms.of(node.get("values_schema", _ANY))
    form = member.combined([_name_form(forms, keys)])
    store, read = member.store, member.read
    if store is None:
        return form
    return replace(
        form,
        store=lambda value, path: {
            member_name(key, path): store(each, f"{path}.{key}") for key, each in value.items()
        },
        read=read
        and (
            lambda stored: (
                {name: read(each) for name, each in stored.items()} if isinstance(stored, dict) else stored
            )
        ),
    )


def _name_form(forms: Forms, node: Node) -> Form:
    kind = "any"
    for each in wrapped_nodes(node, forms.known):
        kind = each["type"]
        if stored_marker(each) is not None:
            raise CannotStore(
                "A Stored marker is on the keys of a map, whose names are texts",
                "leave it out, or store a list of pairs.",
            )
    if kind in _NAMES:
        return replace(forms.of(node), store=None)
    if kind in _NO_NAMES:
        raise CannotStore(
            f"The names in a map are texts, and its keys are declared as {kind}",
            "declare keys of text, numbers or dates, or a list of pairs: list[tuple[K, V]].",
        )
    if kind != "any":
        probe_names(forms.reader, node)
    return replace(forms.of(node), store=None, ambiguous=kind not in ("enum", "literal"))


def model_form(forms: Forms, node: Node) -> Form:
    """A model inside a field: its fields by name, also those that a dump leaves out."""
    cls, fields = node["cls"], _fields(node)
    if cls is BaseModel:
        raise CannotStore(
            "BaseModel has no fields, and an item does not name the subclass of an object",
            "declare the model itself, or a union of models with a discriminator.",
        )
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

    read, runs_user_code = _read_by_name(members), node_runs_user_code(node)
    open_times = (name for name, each in members.items() if each.open_time)
    open_time = next((f"{cls.__name__}.{name}" for name in open_times), "")
    return Form(
        store, read, ambiguous=extra == "allow", runs_user_code=runs_user_code, open_time=open_time
    ).combined(list(members.values()))


def _root(forms: Forms, node: Node) -> Form:
    cls, root = node["cls"], forms.of(node["schema"])

    def store(value: Any, path: str) -> Any:
        if not is_of_class(value, cls, path):
            return stored_value(value, path)
        return (root.store or stored_value)(value.root, path)

    return Form(store, root.read, runs_user_code=node_runs_user_code(node)).combined([root])


def _fields(node: Node) -> Mapping[str, Any]:
    *_, within = wrapped_nodes(node["schema"], {})
    fields: Mapping[str, Any] = within.get("fields", {})
    return fields


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
    """Whether an object is of a class itself; one of a subclass is rejected, as an item does not name it."""
    if type(value) is cls or not isinstance(value, cls):
        return type(value) is cls
    raise InvalidValue(
        "entity-inexact",
        f"{path}: {quote(value)} is of class {type(value).__name__} and would be read back as {cls.__name__}.",
        fix=f"declare the field as a union with a discriminator, or give an object of {cls.__name__} itself.",
    )


def dataclass_form(forms: Forms, node: Node) -> Form:
    """A dataclass, of Python or of Pydantic."""
    cls, fields = node["cls"], list(_dataclass_fields(node))
    for each in fields:
        if each.get("init_only"):
            raise CannotStore(
                f"{cls.__name__}.{each['name']} is a parameter of the object that it does not store",
                "make it a field, or leave the dataclass out of the entity.",
            )
    members = {each["name"]: forms.of(each["schema"]) for each in fields if each.get("init", True)}
    hidden = len(members) < len(fields) or bool(node.get("post_init"))

    def store(value: Any, path: str) -> Any:
        if not is_of_class(value, cls, path):
            return stored_value(value, path)
        return _members({name: getattr(value, name) for name in members}, members, path)

    return Form(store, _read_by_name(members), runs_user_code=hidden).combined(list(members.values()))


def _dataclass_fields(node: Node) -> Iterator[Node]:
    *_, within = wrapped_nodes(node["schema"], {})
    yield from within.get("fields", ())


def typed_dict_form(forms: Forms, node: Node) -> Form:
    """A dict with declared members, some of which may be absent."""
    members = {name: forms.of(each["schema"]) for name, each in node["fields"].items()}
    extra = node.get("extra_behavior") or _configured(node, "extra_fields_behavior")

    def store(value: Mapping[str, Any], path: str) -> dict[str, Any]:
        rest = {name: each for name, each in value.items() if name not in members}
        return {**_members(value, members, path), **stored_value(rest, path)}

    return Form(store, _read_by_name(members), ambiguous=extra == "allow").combined(list(members.values()))


def named_tuple_form(forms: Forms, node: Node) -> Form:
    """A named tuple: a list, in the order of its fields."""
    members = [forms.of(each["schema"]) for each in node["fields"]]
    stores = [member.store or stored_value for member in members]
    form = Form().combined(members)
    if not any(member.store for member in members):
        return form
    return replace(
        form,
        store=lambda value, path: [
            each(part, f"{path}[{n}]") for n, (each, part) in enumerate(zip(stores, value, strict=True))
        ],
        read=_read_in_order(members),
    )


def enum_form(forms: Forms, node: Node) -> Form:
    """A member of an enum, stored by its value."""
    if not _plain({type(member.value) for member in node["members"]}):
        _probe_each(forms, node, node["members"])
    return Form()


def literal_form(forms: Forms, node: Node) -> Form:
    """One of several values."""
    if not _plain({type(value) for value in node["expected"]}):
        _probe_each(forms, node, node["expected"])
    return Form()


def _probe_each(forms: Forms, node: Node, values: Iterable[Any]) -> None:
    probe_values(forms.reader, node, values)


def _plain(kinds: set[type]) -> bool:
    return kinds <= {str} or kinds <= {int}


def union_form(forms: Forms, node: Node) -> Form:
    """One of several types; which one it was must follow from what is stored."""
    choices = [each[0] if isinstance(each, tuple) else each for each in node["choices"]]
    fitting = _fitting(forms, choices)
    if any(each.read for each in fitting):
        raise CannotStore(
            "A Stored marker is inside a union, where a stored value does not say which type it has",
            "declare models with a discriminator: Field(discriminator=...).",
        )
    form = Form(_by_class(forms, choices), ambiguous=True).combined(fitting)
    probe_choices(forms.reader, node, choices, form.store or stored_value)
    return form


def _fitting(forms: Forms, choices: list[Node]) -> list[Form]:
    """The forms of the choices that can be stored at all; a value of the others is rejected when it is stored."""
    fitting: list[Form] = []
    problem: CannotStore | None = None
    for each in choices:
        try:
            fitting.append(forms.of(each))
        except CannotStore as error:
            problem = error
    if problem and not fitting:
        raise problem
    return fitting


def tagged_union_form(forms: Forms, node: Node) -> Form:
    """One of several types, which a member of theirs distinguishes."""
    choices = list(node["choices"].values())
    members = [forms.of(each) for each in choices]
    form = Form(_by_class(forms, choices), _read_by_tag(node, members)).combined(members)
    return form.combined([Form(runs_user_code=callable(node["discriminator"]))])


def _read_by_tag(node: Node, choices: list[Form]) -> Read | None:
    """Reads a map by the choice that its member names."""
    reads = dict(zip(node["choices"], (each.read for each in choices), strict=True))
    if not any(reads.values()):
        return None
    tag = node["discriminator"]
    if not isinstance(tag, str):
        raise CannotStore(
            "A Stored marker is inside a union, whose discriminator is a function",
            "name the member that distinguishes the models: Field(discriminator='kind').",
        )

    def read(stored: Any) -> Any:
        chosen = reads.get(stored.get(tag)) if isinstance(stored, dict) else None
        return stored if chosen is None else chosen(stored)

    return read


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


COMPOSITE_HANDLERS: Final[Mapping[str, Handler]] = {
    "list": list_form,
    "deque": list_form,
    "set": set_form,
    "frozenset": set_form,
    "tuple": tuple_form,
    "dict": dict_form,
    "counter": dict_form,
    "model": model_form,
    "dataclass": dataclass_form,
    "typed-dict": typed_dict_form,
    "named-tuple": named_tuple_form,
    "enum": enum_form,
    "literal": literal_form,
    "union": union_form,
    "tagged-union": tagged_union_form,
}
