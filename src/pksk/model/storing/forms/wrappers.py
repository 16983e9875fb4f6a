"""Forms of single values, of what wraps them, and of types that Pydantic alone knows how to write."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import InvalidValue
from pksk.model.storing.core_schema import Node, function_of, inner_node, is_trusted
from pksk.model.storing.forms.form import Form, Store, Unfit
from pksk.model.storing.stored_value import stored_value

if TYPE_CHECKING:
    from pksk.model.storing.forms.forms import Forms

__all__ = [
    "anything",
    "chain",
    "custom",
    "function",
    "instance",
    "json",
    "no_data",
    "ordered",
    "scalar",
    "wrapper",
]


def scalar(_forms: Forms, node: Node) -> Form:
    """Text, a number, a time and their like: stored by their own type."""
    if node.get("now_op") == "future":
        raise Unfit(
            "A time that must lie in the future cannot be read back once it has passed",
            "declare the plain type, and check the time where the value comes in.",
        )
    # Neither a default nor an assigned value is trimmed before it is stored; what is read is.
    trims = any(node.get(each) for each in ("strip_whitespace", "to_lower", "to_upper"))
    # Pydantic reads no complex numbers from text in a strict model, whatever it is told.
    return Form(vague=trims or node["type"] == "complex")


def wrapper(forms: Forms, node: Node) -> Form:
    """A type with a default, or which may be None, or with one way for JSON and one for Python."""
    within = inner_node(node)
    assert within is not None
    # What Pydantic gives one serializer is one type, though it may be read in several ways.
    return forms.of(within, one_type="serialization" in node and node["type"] != "default").optional()


def function(forms: Forms, node: Node) -> Form:
    """A type with a function before, after or around it."""
    called = function_of(node)
    if called is OrderedDict:
        ordered(forms, node)
    if getattr(called, "__qualname__", "").startswith(("EncodedBytes.", "EncodedStr.")):
        return Form(_dumped(forms, node), vague=True)
    if node["type"] == "function-plain":
        return Form(custom(forms, node), altered=not is_trusted(node))
    if is_trusted(node):
        return forms.of(node["schema"], one_type=True)
    try:
        return replace(forms.of(node["schema"]), altered=True)
    except Unfit:
        # The function may make the value from something else than the type inside.
        return Form(custom(forms, node), altered=True)


def custom(forms: Forms, node: Node) -> Store:
    """Stores values by their own type, or else as Pydantic writes them."""

    def store(value: Any, path: str) -> Any:
        try:
            return stored_value(value, path)
        except InvalidValue:
            plain = forms.reader.dump(node, value, "json")
            if type(plain) is type(value):
                raise
        return stored_value(plain, path)

    return store


def _dumped(forms: Forms, node: Node) -> Store:
    """Stores what Pydantic writes in order to read it again: JSON as its text, bytes as they are encoded."""
    return lambda value, path: stored_value(forms.reader.dump(node, value, "python"), path)


def json(forms: Forms, node: Node) -> Form:
    """JSON that is kept as text."""
    return Form(_dumped(forms, node), vague=True)


def anything(_forms: Forms, _node: Node) -> Form:
    """Any value at all."""
    return Form(vague=True)


def chain(forms: Forms, node: Node) -> Form:
    """Several validators, one after the other."""
    return forms.of(node["steps"][-1])


def instance(_forms: Forms, node: Node) -> Form:
    """An object of a class, and nothing that could become one."""
    kind = node["cls"]
    if isinstance("", kind) or any(issubclass(each, kind) for each in (int, bytes, bool, list, dict, set)):
        return Form(vague=True)
    raise Unfit(
        f"An item holds no objects of class {getattr(kind, '__name__', kind)}, and nothing says how to make one",
        "give the field a validator that makes one from text, or leave it out of the entity.",
    )


def no_data(_forms: Forms, _node: Node) -> NoReturn:
    """A function, a class, or something that can be read only once."""
    raise Unfit(
        "It is no data that an item could hold",
        "declare data, such as a list or the name of what is meant, or leave the field out of the entity.",
    )


def ordered(_forms: Forms, _node: Node) -> NoReturn:
    """A map whose order counts."""
    raise Unfit("DynamoDB keeps no order in a map", "declare a dict, or a list of pairs: list[tuple[K, V]].")
