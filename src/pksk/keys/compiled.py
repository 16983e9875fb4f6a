"""Renders a key and matches one: compiled for the common case, part by part to explain errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import InvalidValue, KeyMismatch, PkskError, did_you_mean, quote, shorten_traceback
from pksk.keys.parts.part import Part

if TYPE_CHECKING:
    from pksk.keys.template import Template


def render_parts(template: Template, values: Mapping[str, Any]) -> str:
    """The key for these values; raises an error that explains what is wrong."""
    check_mapping(template.where, values)
    pieces = [template.literals[0]]
    for part, after in zip(template.parts, template.literals[1:], strict=True):
        pieces += [encode_part(part, values), after]
    return check_size(template, "".join(pieces))


def check_mapping(where: str, values: object) -> None:
    """Raise an error unless the values are a mapping."""
    if not isinstance(values, Mapping):
        raise InvalidValue(
            "key-wrong-type",
            f"{where}: values are {quote(values)} of type {type(values).__name__}.",
            fix="pass a mapping from field to value.",
        )


def encode_part(part: Part, values: Mapping[str, Any]) -> str:
    """The text of one part."""
    value = values.get(part.field)
    if value is None:
        how = "is None" if part.field in values else "is missing"
        near = did_you_mean(part.field, [name for name in values if isinstance(name, str)])
        part.reject(
            "key-missing-part",
            f"field {part.field!r} {how}, and {part.placeholder} needs it.",
            fix=f"give {part.field!r} a value"
            + (f"; did you mean {near!r}?" if near and near != part.field else "."),
        )
    return part.encode(value)


def check_size(template: Template, key: str) -> str:
    """The key, if DynamoDB accepts it."""
    if not key:
        raise InvalidValue(
            "key-empty",
            f"{template.where}: the key is empty, and DynamoDB rejects empty keys.",
            fix="pass values that are not empty, or begin the template with a literal.",
        )
    size = len(key.encode())
    if size > template.limit:
        raise InvalidValue(
            "key-too-long",
            f"{template.where}: the key {quote(key)} is {size} bytes long; a {template.role} key holds at most "
            f"{template.limit}.",
            fix="shorten the values, or keep the long one in an attribute and its hash in the key.",
        )
    return key


def reject_unknown_field(template: Template, name: str) -> NoReturn:
    """Raise an error for a field that the template does not use."""
    near = did_you_mean(name, template.fields)
    raise InvalidValue(
        "key-unknown-part",
        f"{template.where}: field {name!r} is not a part of this key.",
        expected=f"Its parts are: {', '.join(template.fields) or 'none'}.",
        fix=f"did you mean {near!r}?" if near else "leave it out, or filter by it.",
    )


Render = Callable[[Mapping[str, Any]], str]


def compile_render(template: Template) -> tuple[Render, str]:
    """A function from values to key, and its source.

    The common case is one f-string after checks of types and content. Everything else goes through
    `render_parts`, which alone raises errors, so the two agree on what is allowed. Without it, `db.put` takes
    40 % longer, `db.get` 27 %, `db.iter` 24 %.
    """
    names: dict[str, object] = {
        "interpreted": partial(_render_or_raise, template),
        "fits": lambda key: fits_limit(key, template.limit),
        "InvalidValue": InvalidValue,
    }
    source = "\n".join(_render_lines(template, names))
    return compile_function("render", source, names), source


def _render_or_raise(template: Template, values: Mapping[str, Any]) -> str:
    try:
        return render_parts(template, values)
    except PkskError as error:
        raise shorten_traceback(error)  # noqa: B904 - the error itself


def _render_lines(template: Template, names: dict[str, object]) -> list[str]:
    variables = [f"v{index}" for index in range(len(template.parts))]
    guards, prepares, pieces = [], [], [_escape_braces(template.literals[0])]
    for part, variable, after in zip(template.parts, variables, template.literals[1:], strict=True):
        fast = part.encode_code(variable)
        guards.append(fast.guard)
        prepares.append(fast.prepare)
        pieces += [fast.piece, _escape_braces(after)]
        names.update(fast.names)
    checks = " and ".join(guard for guard in guards if guard != "True") or "True"
    empty = "" if template.min_bytes else "key and "
    return [
        "def render(values):",
        "    try:",
        *(
            f"        {name} = values[{part.field!r}]"
            for name, part in zip(variables, template.parts, strict=True)
        ),
        f"        if {checks}:",
        *(f"            {prepare}" for prepare in prepares if prepare),
        f"            key = f{''.join(pieces)!r}",
        f"            if {empty}(len(key) <= {template.limit} if key.isascii() else fits(key)):",
        "                return key",
        "    except (KeyError, TypeError, InvalidValue):",
        "        pass",
        "    return interpreted(values)",
    ]


def _escape_braces(literal: str) -> str:
    return literal.replace("{", "{{").replace("}", "}}")


def fits_limit(key: str, limit: int) -> bool:
    """Whether a key is at most so many bytes; False for text that has no UTF-8 form."""
    try:
        return len(key.encode()) <= limit
    except UnicodeEncodeError:
        return False


def compile_function(name: str, source: str, names: dict[str, object]) -> Any:
    """Compile the source of one function, which sees these names, and return it."""
    exec(compile(source, f"<pksk {name}>", "exec"), names)
    return names[name]


PartText = tuple["Part", str]


def match_parts(template: Template, key: str) -> dict[str, Any] | None:
    """The values of the fields in a key, or None if the template cannot have rendered it."""
    pieces = part_texts(template, key)
    return None if pieces is None else values_of_texts(pieces)


def part_texts(template: Template, key: str) -> list[PartText] | None:
    """The text of each part in the key; None if the key does not match."""
    if not isinstance(key, str):
        raise InvalidValue(
            "key-wrong-type",
            f"{template.where}: the key is {quote(key)} of type {type(key).__name__}, not str.",
            fix="pass the value of the key attribute, a string.",
        )
    match = template.pattern.fullmatch(key)
    if match is None or not key or len(key.encode("utf-8", "surrogatepass")) > template.limit:
        return None
    return list(zip(template.parts, match.groups(), strict=True))


def values_of_texts(pieces: Iterable[PartText]) -> dict[str, Any] | None:
    """The values of the texts of parts; None if two texts of a field contradict each other."""
    by_field: dict[str, list[PartText]] = {}
    for part, text in pieces:
        by_field.setdefault(part.field, []).append((part, text))
    values = {}
    for field, own in by_field.items():
        try:
            is_known, value = _field_value(own)
        except ValueError:
            return None
        if is_known:
            values[field] = value
    return values


def _field_value(own: list[PartText]) -> tuple[bool, Any]:
    """Whether the texts of one field determine its value, and that value."""
    for part, text in own:
        value = part.decode(text)
        if not part.lossy:
            return True, _check_texts(value, own)
    if not determine_value([part for part, _ in own]):
        return False, None
    return True, _check_texts(own[0][0].join(own), own)


def _check_texts(value: Any, own: list[PartText]) -> Any:
    if len(own) > 1 and any(part.encode(value) != text for part, text in own):
        raise ValueError(own[0][1])
    return value


def determine_value(parts: Sequence[Part]) -> bool:
    """Whether these parts of one field determine its value."""
    return any(not part.lossy for part in parts) or (bool(parts) and parts[0].determines_value(parts))


def example_value(own: list[PartText]) -> Any:
    """Some value that has these texts in these parts of one field; ValueError if none is found."""
    for part, text in own:
        if not part.lossy:
            return _check_texts(part.decode(text), own)
    return _check_texts(own[0][0].join(own), own)


def parse_key(template: Template, key: str) -> dict[str, Any]:
    """The values of a key; raises an error that points to the difference."""
    values = template.match(key)
    if values is not None:
        return values
    raise KeyMismatch(
        "key-mismatch",
        f"{template.where}: key {quote(key)} was not rendered by {quote(template.text)}{_difference(template, key)}.",
        fix='check the template and the types of its fields; codec="raw" reads keys that were not escaped.',
    )


def _difference(template: Template, key: str) -> str:
    """Where the key stops matching the template."""
    if len(key.encode("utf-8", "surrogatepass")) > template.limit:
        return f": it is longer than {template.limit} bytes"
    pieces = part_texts(template, key)
    if pieces is not None:
        return _wrong_value(pieces)
    at = 0
    for literal, part in zip(template.literals, (*template.parts, None), strict=True):
        if not key.startswith(literal, at):
            return f": {quote(key[at:])} where {quote(literal)} is expected"
        at += len(literal)
        match = re.compile(part.pattern, re.DOTALL).match(key, at) if part else None
        if part and not match:
            return f": {quote(key[at:])} is not {part.type_name} as {part.placeholder} writes it"
        at = match.end() if match else at
    return f": {quote(key[at:])} follows where the key should end"


def _wrong_value(pieces: list[PartText]) -> str:
    for part, text in pieces:
        try:
            part.decode(text)
        except ValueError:
            return f": no {part.type_name} is written by {part.placeholder} as {quote(text)}"
    return ": two of its parts contradict each other"


def pattern_of(template: Template) -> re.Pattern[str]:
    """A regular expression for the whole key, with a group for each part."""
    groups = [
        f"({part.pattern}){re.escape(after)}"
        for part, after in zip(template.parts, template.literals[1:], strict=True)
    ]
    return re.compile(re.escape(template.literals[0]) + "".join(groups), re.DOTALL)
