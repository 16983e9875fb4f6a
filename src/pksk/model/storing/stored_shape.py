"""Compares stored values with the types of their fields: whether an entity would store them so, and where not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Flag
from functools import partial
from itertools import chain
from re import Pattern
from re import compile as compile_pattern
from typing import Any, NamedTuple

from pksk.errors import quote
from pksk.model.markers.marker import NotInFormat, StoredForm
from pksk.model.markers.stored import form_of, stored_marker
from pksk.model.storing.compile_function import Names, compile_function
from pksk.model.storing.core_schema import (
    Node,
    inner_node,
    is_trusted,
    reads_inner_type,
    wire_types,
    wrapped_nodes,
)
from pksk.values import Wire, from_wire

# Whether the entity would certainly store a value exactly as it is stored.
Test = Callable[[Wire], bool]
# The parts of a stored value that are in another type or format: the path, and what is wrong.
Find = Callable[[Wire, str], "Iterator[tuple[str, str]]"]


class Shape(NamedTuple):
    """The checks of stored values of one type; `source` is the test as an expression of {w}.

    Without `test`, the value has to be compared with what the entity would store.
    """

    test: Test | None
    find: Find
    source: str = ""


def unknown_members(stored: Wire, own: Wire, path: str) -> Iterator[str]:
    """The paths of stored members that a value does not have in the form that the entity would store.

    Example:
        >>> list(unknown_members({"M": {"a": {"N": "1"}, "b": {"N": "2"}}}, {"M": {"a": {"N": "1"}}}, "field"))
        ['field.b']
    """
    if "M" in stored and "M" in own:
        for name, wire in stored["M"].items():
            if name in own["M"]:
                yield from unknown_members(wire, own["M"][name], f"{path}.{name}")
            else:
                yield f"{path}.{name}"
    elif "L" in stored and "L" in own and len(stored["L"]) == len(own["L"]):
        for number, (left, right) in enumerate(zip(stored["L"], own["L"], strict=True)):
            yield from unknown_members(left, right, f"{path}[{number}]")


def stored_shape(node: Node, known: Mapping[str, Node], form: StoredForm | None = None) -> Shape:
    """The shape of the stored values of a field.

    Example:
        >>> from pydantic import BaseModel
        >>> class Address(BaseModel):
        ...     street: str
        >>> shape = stored_shape(Address.__pydantic_core_schema__, {})
        >>> shape.test({"M": {"street": {"S": "x"}}}), shape.test({"M": {"street": {"S": "x"}, "zip": {"S": "1"}}})
        (True, False)
        >>> list(shape.find({"M": {"street": {"N": "1"}}}, "home"))
        [('home.street', 'stored as 1 (N), and the field holds text (S)')]
    """
    shapes = _Shapes(known)
    return shapes.of(node) if form is None else _marked(form, node, known)


def described(wire: Wire) -> str:
    """A stored value for a message, with its type and the format that it seems to have.

    Example:
        >>> described({"N": "1767225600"}), described({"S": "x"})
        ('1767225600 (N, like epoch-seconds)', "'x' (S)")
    """
    (kind,) = list(wire)[:1] or ("",)
    content = wire[kind] if kind in ("N", "BOOL", "NULL") else quote(wire.get(kind))
    like = (
        next((f", like {name}" for name in _LIKE if _is_like(name, wire)), "") if kind in ("N", "S") else ""
    )
    return f"{content} ({kind}{like})"


_LIKE = {
    "iso-microseconds": "", "iso-milliseconds": "", "iso-seconds": "", "iso-minutes": "", "iso-offset": "",
    "epoch-milliseconds": "", "epoch-seconds": "",
}  # fmt: skip


def _is_like(name: Any, wire: Wire) -> bool:
    try:
        value = form_of(name).read(from_wire(wire))
    except Exception:  # the value is malformed
        return False
    # A small number may be anything.
    return not name.startswith("epoch") or 1980 < value.year < 2200


_DATE = compile_pattern(r"\d{4}-\d\d-\d\d")
_NAIVE = compile_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(?!000000)\d{6})?")
_INSTANT = compile_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_TIME = compile_pattern(r"\d\d:\d\d:\d\d(\.(?!000000)\d{6})?([+-]\d\d:\d\d)?")
_DURATION = compile_pattern(r"[+-]?P.*")
_UUID = compile_pattern(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_WORDS = {
    "S": "text", "N": "numbers", "BOOL": "booleans", "B": "bytes", "L": "lists", "M": "maps", "SS": "sets of text",
    "NS": "sets of numbers", "BS": "sets of bytes",
}  # fmt: skip
# Types of text in one format: what it is called, and the pattern of what an entity stores.
_TEXTS = {
    "date": ("dates such as '2025-12-31' (S)", _DATE),
    "aware": ("ISO text in UTC with microseconds, such as '2025-12-31T18:30:00.000000Z' (S)", _INSTANT),
    "naive": ("ISO text without a zone, such as '2025-12-31T18:30:00' (S)", _NAIVE),
    "time": ("times such as '18:30:00' (S)", _TIME),
    "timedelta": ("ISO durations such as 'PT30M' (S)", _DURATION),
    "uuid": ("UUIDs in lower case with hyphens (S)", _UUID),
}
# Keys of maps that have one name each.
_NAMES = {
    **{
        kind: (words.removesuffix(" (S)"), pattern)
        for kind, (words, pattern) in _TEXTS.items()
        if kind != "timedelta"
    },
    "int": ("whole numbers such as '7'", compile_pattern("0|-?[1-9][0-9]*")),
    "bool": ("'true' and 'false'", compile_pattern("true|false")),
}
# Types whose values have one stored form for each type of DynamoDB, and hold every stored value.
_PLAIN = frozenset(("str", "int", "decimal", "bool", "bytes", "none"))
_CHANGING = ("strip_whitespace", "to_lower", "to_upper")
# A float holds a number of at most 15 digits exactly.
_FLOAT = "('N' in {w} and len({w}['N']) < 16)"


# The form depends on the user's code, or on the value itself.
OPEN = Shape(None, lambda _, __: iter(()))
ANYTHING = Shape(lambda _: True, lambda _, __: iter(()), "True")


def _wrong(path: str, wire: Wire, holds: str) -> tuple[str, str]:
    return path, f"stored as {described(wire)}, and the field holds {holds}"


def _leaf(letters: frozenset[str], *, is_sure: bool) -> Shape:
    holds = " or ".join(f"{_WORDS[letter]} ({letter})" for letter in sorted(letters))

    def find(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
        if letters.isdisjoint(wire):
            yield _wrong(path, wire, holds)

    tests = " or ".join(f"{letter!r} in {{w}}" for letter in sorted(letters))
    if not is_sure or not tests:
        return Shape(None, find)
    return Shape(lambda wire: not letters.isdisjoint(wire), find, f"({tests})")


def _text(kind: str) -> Shape:
    holds, pattern = _TEXTS[kind]
    matches = pattern.fullmatch

    def test(wire: Wire) -> bool:
        text = wire.get("S")
        return type(text) is str and matches(text) is not None

    def find(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
        if not test(wire):
            yield _wrong(path, wire, holds)

    # One duration has several texts.
    return Shape(None if kind == "timedelta" else test, find)


def _datetime_kind(node: Node) -> str:
    return "naive" if node.get("tz_constraint") == "naive" else "aware"


def _named(find: Find, words: str, pattern: Pattern[str]) -> Find:
    """Finds a name of a map that is in another format than its keys: two such names could mean one key."""

    def find_names(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
        wrong = next((name for name in wire.get("M", ()) if pattern.fullmatch(name) is None), None)
        if wrong is not None:
            yield path, f"stored with the name {quote(wrong)}, and its names are {words}"
        yield from find(wire, path)

    return find_names


def _marked(form: StoredForm, node: Node, known: Mapping[str, Node]) -> Shape:
    """A value in the format of a marker."""
    if not form.name:
        return _Shapes(known).of(node)
    nullable = any(each["type"] == "nullable" for each in wrapped_nodes(node, known))

    def find(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
        try:
            if "NULL" in wire and not nullable:
                raise NotInFormat
            form.read(from_wire(wire))
        except NotInFormat:
            yield _wrong(path, wire, form.name)

    def test(wire: Wire) -> bool:
        return "NULL" in wire if form.type not in wire else next(find(wire, ""), None) is None

    return Shape(test if form.is_one_text else None, find)


def _optional(shape: Shape) -> Shape:
    test, find = shape.test, shape.find

    def find_unless_null(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
        return iter(()) if "NULL" in wire else find(wire, path)

    source = f"({shape.source} or 'NULL' in {{w}})" if shape.source else ""
    return Shape(test and (lambda wire: test(wire) or "NULL" in wire), find_unless_null, source)


class _Shapes:
    def __init__(self, known: Mapping[str, Node]) -> None:
        self._known = known
        self._references: dict[str, Shape] = {}

    def of(self, node: Node) -> Shape:
        if (marker := stored_marker(node)) is not None:
            return _marked(marker.form, node, self._known)
        kind = node["type"]
        handle = _HANDLERS.get(kind)
        if handle is not None:
            return handle(self, node)
        if kind.startswith("function-"):
            return self._of_function(node)
        within = inner_node(node)
        return self._of_scalar(node) if within is None else self.of(within)

    def _of_scalar(self, node: Node) -> Shape:
        kind = node["type"]
        letters = wire_types(node, self._known)
        if not letters:
            return OPEN
        if kind == "float":
            test: Test = lambda wire: "N" in wire and len(wire["N"]) < 16  # noqa: E731
            return Shape(test, _leaf(letters, is_sure=True).find, _FLOAT)
        sure = kind in (*_PLAIN, "enum", "literal") and not any(node.get(each) for each in _CHANGING)
        # A number of several flags may be read as another one.
        sure = sure and not (kind == "enum" and issubclass(node["cls"], Flag))
        return _leaf(letters, is_sure=sure)

    def of_text(self, node: Node) -> Shape:
        kind: str = node["type"]
        return _text(_datetime_kind(node) if kind == "datetime" else kind)

    def of_nullable(self, node: Node) -> Shape:
        return _optional(self.of(node["schema"]))

    def of_anything(self, _: Node) -> Shape:
        return ANYTHING

    def _of_function(self, node: Node) -> Shape:
        """A function before or around the type decides what it reads; one after it may change the value."""
        written = node.get("serialization", {})
        if is_trusted(node) and "return_schema" in written and "when_used" not in written:
            return Shape(None, self.of(written["return_schema"]).find)
        if node["type"] == "function-plain":
            # Those of Pydantic itself make objects from text, such as IP addresses and time zones.
            return Shape(None, _leaf(frozenset("S"), is_sure=False).find) if is_trusted(node) else OPEN
        if node["type"] != "function-after" and not (is_trusted(node) or reads_inner_type(node)):
            return OPEN
        return Shape(None, self.of(node["schema"]).find)

    def of_chain(self, node: Node) -> Shape:
        """Several validators: the first one that is not a mere check of the class decides what is read."""
        reading = (each for each in node["steps"] if each["type"] != "is-instance")
        first = next(reading, None)
        return OPEN if first is None else Shape(None, self.of(first).find)

    def of_reference(self, node: Node) -> Shape:
        name = node["schema_ref"]
        if name not in self._references:
            # A recursive type finds this entry while its shape is made.
            self._references[name] = Shape(partial(self._test_later, name), partial(self._find_later, name))
            self._references[name] = self.of(self._known[name])
        return self._references[name]

    def _test_later(self, name: str, wire: Wire) -> bool:
        return (self._references[name].test or _never)(wire)

    def _find_later(self, name: str, wire: Wire, path: str) -> Iterator[tuple[str, str]]:
        return self._references[name].find(wire, path)

    def of_list(self, node: Node) -> Shape:
        return self._of_elements(node.get("items_schema"), "L")

    def _of_elements(self, items: Node | None, letter: str) -> Shape:
        member = self.of(items) if items is not None else ANYTHING

        def find(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
            if letter not in wire:
                yield _wrong(path, wire, f"{_WORDS[letter]} ({letter})")
                return
            pairs = wire[letter].items() if letter == "M" else enumerate(wire[letter])
            for name, each in pairs:
                yield from member.find(each, f"{path}.{name}" if letter == "M" else f"{path}[{name}]")

        return Shape(_elements_test(items, member, letter, self._known), find)

    def of_dict(self, node: Node) -> Shape:
        shape = self._of_elements(node.get("values_schema"), "M")
        keys: Node = node.get("keys_schema", {"type": "str"})
        kind = wrapped_type(keys, self._known)
        if kind == "str":
            return shape
        if kind == "datetime":
            kind = _datetime_kind(list(wrapped_nodes(keys, self._known))[-1])
        # The name of a key that is not text may be written in several ways.
        return Shape(None, _named(shape.find, *_NAMES[kind]) if kind in _NAMES else shape.find)

    def of_set(self, node: Node) -> Shape:
        items = node.get("items_schema", {"type": "any"})
        letters, member = wire_types(items, self._known), self.of(items)
        # Members of an unknown type may be stored in any set.
        own = frozenset(f"{letter}S" for letter in ("SNB" if letters is None else letters) if letter in "SNB")
        marker = stored_marker(items)
        other_types = frozenset(f"{letter}S" for letter in (marker.form.other_types if marker else ()))
        # Sets of one type are never lists; others are lists where DynamoDB has no such set.
        is_set = letters is not None and len(letters) == 1 and len(own) == 1

        def find(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
            (kind,) = list(wire)[:1] or ("",)
            # DynamoDB has no empty set.
            if kind not in own | other_types and not (kind == "L" and not (is_set and wire["L"])):
                names = sorted(own | other_types) or ["L"]
                yield _wrong(path, wire, " or ".join(f"{_WORDS[each]} ({each})" for each in names))
            elif kind != "L":
                for each in wire[kind]:
                    yield from member.find({kind[0]: each}, path)

        if is_set and wrapped_type(items, self._known) in _PLAIN:
            (letter,) = own
            return Shape(lambda wire: letter in wire, find, f"{letter!r} in {{w}}")
        return Shape(None, find)

    def of_tuple(self, node: Node) -> Shape:
        if node["type"] == "named-tuple":
            members, repeated = [self.of(each["schema"]) for each in node["fields"]], None
        else:
            members, repeated = (
                [self.of(each) for each in node["items_schema"]],
                node.get("variadic_item_index"),
            )

        def find(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
            if "L" not in wire:
                yield _wrong(path, wire, "lists (L)")
                return
            unknown = list(members)
            if repeated is not None:
                unknown[repeated : repeated + 1] = [members[repeated]] * (len(wire["L"]) - len(members) + 1)
            for number, (member, each) in enumerate(zip(unknown, wire["L"], strict=False)):
                yield from member.find(each, f"{path}[{number}]")

        return Shape(None, find)

    def of_model(self, node: Node) -> Shape:
        if node.get("root_model"):
            return self.of(node["schema"])
        *around, within = wrapped_nodes(node["schema"], {})
        if node.get("custom_init") or any(
            each["type"] in ("function-before", "function-wrap", "function-plain")
            for each in (*around, within)
        ):
            return OPEN
        fields = within.get("fields", {})
        pairs = fields.items() if isinstance(fields, Mapping) else [(each["name"], each) for each in fields]
        members = {name: self.of(each["schema"]) for name, each in pairs if each.get("init", True)}
        extra = node.get("extra_behavior") or within.get("extra_behavior")
        extra = extra or node.get("config", {}).get("extra_fields_behavior")
        is_sure = not around and not any(node.get("config", {}).get(f"str_{each}") for each in _CHANGING)
        return _map_shape(members, is_open=extra == "allow", is_sure=is_sure, is_complete=True)

    def of_typed_dict(self, node: Node) -> Shape:
        members = {name: self.of(each["schema"]) for name, each in node["fields"].items()}
        return _map_shape(members, is_open=False, is_sure=True, is_complete=False)

    def of_union(self, node: Node) -> Shape:
        choices = [self.of(each[0] if isinstance(each, tuple) else each) for each in node["choices"]]

        def find(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
            unknown = [list(each.find(wire, path)) for each in choices]
            return iter(()) if not all(unknown) else iter(unknown[-1])

        sources = [each.source for each in choices]
        if not all(sources):
            return Shape(None, find)
        tests = [each.test for each in choices if each.test is not None]
        return Shape(lambda wire: any(test(wire) for test in tests), find, f"({' or '.join(sources)})")

    def of_tagged_union(self, node: Node) -> Shape:
        tag, choices = node["discriminator"], {name: self.of(each) for name, each in node["choices"].items()}
        if not isinstance(tag, str):
            return OPEN

        def chosen(wire: Wire) -> Shape:
            return choices.get(wire.get("M", {}).get(tag, {}).get("S"), OPEN)

        return Shape(
            lambda wire: (chosen(wire).test or _never)(wire), lambda wire, path: chosen(wire).find(wire, path)
        )


def _never(_: Wire) -> bool:
    return False


def wrapped_type(node: Node, known: Mapping[str, Node]) -> str:
    """The type of a node if nothing is around it; else empty."""
    (*around, within) = wrapped_nodes(node, known)
    return "" if around or any(within.get(each) for each in _CHANGING) else str(within["type"])


def _elements_test(items: Node | None, member: Shape, letter: str, known: Mapping[str, Node]) -> Test | None:
    test = member.test
    if test is None:
        return None
    letters = wire_types(items, known) if items is not None else None
    is_plain = items is not None and wrapped_type(items, known) in _PLAIN
    if letter == "L" and letters and len(letters) == 1 and is_plain:
        return lambda wire: "L" in wire and letters.issuperset(chain.from_iterable(wire["L"]))
    if letter == "M":
        return lambda wire: "M" in wire and all(map(test, wire["M"].values()))
    return lambda wire: "L" in wire and all(map(test, wire["L"]))


def _map_shape(members: Mapping[str, Shape], *, is_open: bool, is_sure: bool, is_complete: bool) -> Shape:
    """A map with declared members; `is_open`: it may have others; `is_complete`: an entity stores all of them."""

    def find(wire: Wire, path: str) -> Iterator[tuple[str, str]]:
        if "M" not in wire:
            yield _wrong(path, wire, "maps (M)")
            return
        for name, each in wire["M"].items():
            if name in members:
                yield from members[name].find(each, f"{path}.{name}")

    if not is_sure or not is_complete or any(each.test is None for each in members.values()):
        return Shape(None, find)
    names = Names()
    tests = []
    for name, each in members.items():
        wire = f"m[{name!r}]"
        if each.source != "True":
            tests.append(each.source.replace("{w}", wire) or f"{names.new('test', each.test)}({wire})")
        elif not is_open:
            tests.append(f"{name!r} in m")
    if not is_open:
        tests.insert(0, f"len(m) == {len(members)}")
    source = [
        "def test(w):",
        "    try:",
        "        m = w['M']",
        f"        return {' and '.join(tests) or 'True'}",
        "    except (KeyError, TypeError):",
        "        return False",
    ]
    return Shape(compile_function("test", source, names), find)


_HANDLERS: Mapping[str, Callable[[_Shapes, Node], Shape]] = {
    **dict.fromkeys(("list", "deque"), _Shapes.of_list),
    **dict.fromkeys(("dict", "counter"), _Shapes.of_dict),
    **dict.fromkeys(("set", "frozenset"), _Shapes.of_set),
    **dict.fromkeys(("tuple", "named-tuple"), _Shapes.of_tuple),
    **dict.fromkeys(("model", "dataclass"), _Shapes.of_model),
    **dict.fromkeys(("datetime", "date", "time", "timedelta", "uuid"), _Shapes.of_text),
    "any": _Shapes.of_anything,
    "chain": _Shapes.of_chain,
    "nullable": _Shapes.of_nullable,
    "definition-ref": _Shapes.of_reference,
    "typed-dict": _Shapes.of_typed_dict,
    "union": _Shapes.of_union,
    "tagged-union": _Shapes.of_tagged_union,
}
