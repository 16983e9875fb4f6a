"""Converters for items whose fields are known, compiled from generated Python source."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Final

from pksk.errors import InvalidValue, did_you_mean, quote

from .decode import decode_value
from .decode import find_wire_item_error as wire_item_refusal
from .encode import INT_ABOVE, INT_BELOW, encode_value, find_item_error
from .field_shapes import (
    Adapter,
    Shape,
    encode_as,
    load_as,
    plain_names,
    shape_of,
    whole_number,
    whole_numbers,
)
from .numbers import decimal_text, parse_decimal
from .sets import binary_set, number_set, set_to_wire, string_set
from .wire import WireItem

__all__ = ["Converter", "Source", "converter"]

# For each type: when the quick way holds, and the wire value it then makes of {v}.
_ENCODED: Final = {
    str: ("type({v}) is str and ({v}.isascii() or {v}.encode())", '{{"S": {v}}}'),
    int: ("type({v}) is int and INT_ABOVE < {v} < INT_BELOW", '{{"N": str({v})}}'),
    Decimal: ("type({v}) is Decimal", '{{"N": decimal_text({v})}}'),
    bytes: ("type({v}) is bytes", '{{"B": b2a_base64({v}, newline=False).decode()}}'),
    bool: ("{v} is True or {v} is False", '{{"BOOL": {v}}}'),
}

# The same for reading: {c} is the content of the wire value, bound where {get} stands.
_DECODED: Final = {
    str: ("type({get}) is str and ({c}.isascii() or {c}.encode())", "{c}"),
    int: (
        "type({get}) is str",
        "(int({c}) if {c}.isdigit() and {c}.isascii() and len({c}) <= 38 else whole_number({c}))",
    ),
    Decimal: (
        "type({get}) is str",
        "(Decimal({c}) if {c}.replace('.', '', 1).isdigit() and {c}.isascii() and len({c}) <= 38"
        " else parse_decimal({c}))",
    ),
    bytes: ("type({get}) is str", "a2b_base64({c}, strict_mode=True)"),
    bool: ("(({get}) is True or {c} is False)", "{c}"),
}
# The same for a required field of the item itself. Here the service is trusted to send one member and proper
# Unicode; the name of the type, the type of its content, and what a number looks like are checked.
_TRUSTED: Final = {**_DECODED, str: ("type({get}) is str", "{c}"), bool: ("type({get}) is bool", "{c}")}
_SET_READERS: Final = {
    str: "string_set({c})",
    bytes: "binary_set({c})",
    int: "whole_numbers({c})",
    Decimal: "set(map(Decimal, number_set({c})))",
}
_ANY: Final = Shape()
# A field that may only be None has no quick way.
_NEVER: Final = ("False", "None")


class Source:
    """The text of the two functions for these fields, and the objects that the text names.

    Example:
        >>> source = Source({"id": Shape("S", str)})
        >>> print(source.text.splitlines()[0])
        def encode(item):
    """

    def __init__(self, fields: Mapping[str, Shape]) -> None:
        self.names: dict[str, Any] = {}
        encode = _function("encode", fields, self._encoded)
        decode = _function("decode", fields, self._decoded_field)
        self.text = "\n".join([*encode, "", "", *decode, ""])

    def _name(self, prefix: str, value: Any) -> str:
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def _encoded(self, shape: Shape, v: str, depth: int = 0) -> str:
        """The expression of the wire form of the value in variable ``v``."""
        if not shape.kind and not shape.adapter:
            quick = f"encode_value({v}, {depth})"
        else:
            test, result = self._quick_encoded(shape, v, depth)
            shape_name = self._name("shape", shape)
            quick = f"{result} if {test} else encode_as({shape_name}, {v}, '', {depth})"
        return f'{{"NULL": True}} if {v} is None else {quick}' if shape.optional else quick

    def _quick_encoded(self, shape: Shape, v: str, depth: int) -> tuple[str, str]:
        if shape.adapter and shape.inner:
            store, cls = self._name("store", shape.adapter.store), self._name("class", shape.python)
            stored = f"s{depth}"
            test = f"type({v}) is {cls} and ({stored} := {store}({v})) is not MISSING"
            return test, f"({self._encoded(shape.inner, stored, depth)})"
        if shape.member:
            return self._quick_encoded_set(shape, v, depth)
        if shape.inner is None:
            test, result = _ENCODED.get(shape.python, _NEVER)
            return test.format(v=v), result.format(v=v)
        if shape.inner == _ANY:
            return f"type({v}) is {shape.python.__name__}", f"encode_value({v}, {depth})"
        e, n = f"e{depth + 1}", f"n{depth + 1}"
        inner = self._encoded(shape.inner, e, depth + 1)
        if shape.kind == "L":
            return f"type({v}) is list", f'{{"L": [{inner} for {e} in {v}]}}'
        pairs = f"{n}: {inner} for {n}, {e} in {v}.items()"
        return f"type({v}) is dict and plain_names({v})", f'{{"M": {{{pairs}}}}}'

    def _quick_encoded_set(self, shape: Shape, v: str, depth: int) -> tuple[str, str]:
        test, made = f"type({v}) is {shape.python.__name__}", f"s{depth}"
        if shape.member is int:
            return f"{test} and set(map(type, {v})) == {{int}}", f"set_to_wire({v})"
        return f"{test} and {shape.kind!r} in ({made} := set_to_wire({v}))", made

    def _decoded_field(self, shape: Shape, w: str) -> str:
        """The expression of the Python value of a field of the item, whose wire value is in variable ``w``."""
        if shape.optional or shape.inner or shape.python not in _TRUSTED:
            return self._decoded(shape, w)
        test, result = _TRUSTED[shape.python]
        get = f"c := {w}[{shape.kind!r}]"
        return f"{result.format(c='c')} if {test.format(get=get)} else load_as({self._name('shape', shape)}, {w})"

    def _decoded(self, shape: Shape, w: str, depth: int = 0) -> str:
        """The expression of the Python value of the wire value in variable ``w``."""
        null = f'None if {w} == {{"NULL": True}} else ' if shape.optional else ""
        if shape.adapter and shape.inner:
            load = self._name("load", shape.adapter.load)
            return f"{null}{load}({self._decoded(shape.inner, w, depth)})"
        if not shape.kind:
            return f"decode_value({w}, {depth})"
        test, result = self._quick_decoded(shape, w, depth)
        shape_name = self._name("shape", shape)
        return f"{result} if len({w}) == 1 and {test} else {null}load_as({shape_name}, {w}, '', {depth})"

    def _quick_decoded(self, shape: Shape, w: str, depth: int) -> tuple[str, str]:
        c, e, n = f"c{depth}", f"e{depth + 1}", f"n{depth + 1}"
        # Where NULL may stand instead, its absence must not be an exception.
        get = f"{c} := {w}.get({shape.kind!r})" if shape.optional else f"{c} := {w}[{shape.kind!r}]"
        if shape.member in _SET_READERS:
            result = _SET_READERS[shape.member].format(c=c)
            return f"type({get}) is list", f"frozenset({result})" if shape.python is frozenset else result
        if shape.inner is None:
            test, result = _DECODED.get(shape.python, _NEVER)
            return test.format(c=c, get=get), result.format(c=c)
        if shape.inner == _ANY:
            return f"{shape.kind!r} in {w}", f"decode_value({w}, {depth})"
        inner = self._decoded(shape.inner, e, depth + 1)
        if shape.kind == "L":
            return f"type({get}) is list", f"[{inner} for {e} in {c}]"
        pairs = f"{n}: {inner} for {n}, {e} in {c}.items()"
        return f"type({get}) is dict and plain_names({c})", f"{{{pairs}}}"


def _function(verb: str, fields: Mapping[str, Shape], expression: Callable[[Shape, str], str]) -> list[str]:
    required = [(f"v{i}", name) for i, (name, shape) in enumerate(fields.items()) if not shape.optional]
    optional = [(f"v{i}", name) for i, (name, shape) in enumerate(fields.items()) if shape.optional]
    lines = [f"def {verb}(item):", "    try:"]
    lines += [f"        {v} = item[{name!r}]" for v, name in required]
    lines.append("        result = {")
    lines += [f"            {name!r}: {expression(fields[name], v)}," for v, name in required]
    lines.append("        }")
    for v, name in optional:
        lines.append(f"        if ({v} := item.get({name!r}, MISSING)) is not MISSING:")
        lines.append(f"            result[{name!r}] = {expression(fields[name], v)}")
    if verb == "encode":
        lines += ["        if len(result) != len(item):", "            raise UNDECLARED"]
        lines += [
            "    except Exception as trouble:",
            "        raise encode_refusal(item) or trouble from None",
        ]
    else:
        lines += ["    except Exception:", "        return decode_carefully(item)"]
    return [*lines, "    return result"]


_MISSING_FIELD: Final = object()

# The names that every generated source may use.
_NAMES: Final[dict[str, Any]] = {
    "Decimal": Decimal,
    "INT_ABOVE": INT_ABOVE,
    "INT_BELOW": INT_BELOW,
    "MISSING": _MISSING_FIELD,
    "UNDECLARED": LookupError,
    "a2b_base64": a2b_base64,
    "b2a_base64": b2a_base64,
    "binary_set": binary_set,
    "decimal_text": decimal_text,
    "decode_value": decode_value,
    "encode_as": encode_as,
    "encode_value": encode_value,
    "load_as": load_as,
    "number_set": number_set,
    "parse_decimal": parse_decimal,
    "plain_names": plain_names,
    "set_to_wire": set_to_wire,
    "string_set": string_set,
    "whole_number": whole_number,
    "whole_numbers": whole_numbers,
}


@dataclass(frozen=True, slots=True)
class Converter:
    """A pair of functions for items of known fields; made by ``converter``.

    ``encode`` turns a mapping of exactly these fields into a wire item. ``decode`` reads these
    fields from a wire item and leaves out what else the item holds, such as its keys; it holds
    every field to its type and trusts the service that text is text. ``source`` is the Python
    that does both.

    Example:
        >>> orders = converter({"id": str, "total": Decimal, "note": str | None})
        >>> orders.encode({"id": "o1", "total": Decimal("9.50")})
        {'id': {'S': 'o1'}, 'total': {'N': '9.5'}}
        >>> orders.decode({"pk": {"S": "O#o1"}, "id": {"S": "o1"}, "total": {"N": "9"}})
        {'id': 'o1', 'total': Decimal('9')}
    """

    encode: Callable[[Mapping[str, Any]], WireItem]
    decode: Callable[[Mapping[str, Mapping[str, Any]]], dict[str, Any]]
    fields: Mapping[str, Any]
    source: str = field(repr=False)


def converter(fields: Mapping[str, Any], *, adapters: Mapping[type, Adapter] | None = None) -> Converter:
    """A converter for items with these fields, given their types.

    Known types are str, int, Decimal, bytes, bool, and lists, dicts and sets of them. A field of
    ``X | None`` may be absent, and stays so; None is stored as NULL. Any other type goes the way
    of ``to_wire`` and ``from_wire``, unless ``adapters`` says how its values are stored.

    Example:
        >>> from datetime import date
        >>> iso = Adapter(str, store=date.isoformat, load=date.fromisoformat)
        >>> days = converter({"day": date, "tags": set[str]}, adapters={date: iso})
        >>> days.encode({"day": date(2024, 2, 29), "tags": {"leap"}})
        {'day': {'S': '2024-02-29'}, 'tags': {'SS': ['leap']}}
    """
    refusal = find_item_error(dict.fromkeys(fields) if isinstance(fields, Mapping) else fields)
    if refusal:
        raise refusal
    shapes = {str.__str__(name): shape_of(kind, adapters or {}) for name, kind in fields.items()}
    source = Source(shapes)
    names = {
        **_NAMES,
        **source.names,
        "encode_refusal": partial(_encode_refusal, shapes),
        "decode_carefully": partial(_decode_carefully, shapes),
    }
    # Only repr() of field names and text of our own enter the source.
    exec(compile(source.text, "<pksk converter>", "exec"), names)
    return Converter(names["encode"], names["decode"], dict(fields), source.text)


def _encode_refusal(shapes: Mapping[str, Shape], item: Any) -> InvalidValue | None:
    if not isinstance(item, Mapping):
        return find_item_error(item)
    for name in item:
        if name not in shapes:
            return _undeclared(name, shapes)
    for name, shape in shapes.items():
        if name in item:
            try:
                encode_as(shape, item[name], name)
            except InvalidValue as refusal:
                return refusal
        elif not shape.optional:
            return _absent(name, item)
    return None


def _decode_carefully(shapes: Mapping[str, Shape], item: Any) -> dict[str, Any]:
    """The item field by field, or the refusal of the first field that is wrong."""
    if not isinstance(item, Mapping):
        raise wire_item_refusal(item) or TypeError(item)
    absent = [name for name, shape in shapes.items() if name not in item and not shape.optional]
    if absent:
        raise _absent(absent[0], item)
    return {name: load_as(shape, item[name], name) for name, shape in shapes.items() if name in item}


def _absent(name: str, item: Mapping[str, Any]) -> InvalidValue:
    return InvalidValue(
        "value-field-missing",
        f"{name}: the field is absent.",
        expected=f"The item has: {', '.join(map(str, item)) or 'nothing'}.",
        fix=f"give {quote(name)} a value, or declare its type as 'X | None'.",
    )


def _undeclared(name: object, shapes: Mapping[str, Shape]) -> InvalidValue:
    near = did_you_mean(str(name), shapes)
    return InvalidValue(
        "value-field-unknown",
        f"{quote(name)} is not one of the declared fields.",
        expected=f"Fields are: {', '.join(shapes)}.",
        fix=f"Did you mean {quote(near)}?" if near else "declare the field, or leave it out.",
    )
