"""Checks that the primary key of an entity identifies its items, so that no item overwrites another unnoticed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pksk.errors import DesignError, InvalidValue, PkskError, did_you_mean, quote
from pksk.keys import ScalarKey
from pksk.keys.compiled import determine_value
from pksk.keys.parts.part import Part
from pksk.keys.parts.part_types import field_type
from pksk.keys.parts.times import DatePart
from pksk.keys.precision import start_of
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, Shard
from pksk.model.storing.attributes import Field

if TYPE_CHECKING:
    from pksk.keys.collision_example import Completable
    from pksk.model.entity_key import KeySource


def check_identity(declaration: Declaration) -> None:
    """Reject a primary key under which different items of the entity would be stored as one."""
    for key in declaration.keys.values():
        if key.index is not None:
            _check_index_key(f"{declaration.name}.{key.name}", key.source)
    key = declaration.primary
    where = f"{declaration.name}.{key.name}"
    _check_single_item(where, key, declaration.fields)
    _check_assigned_later(where, key, declaration.fields)
    _check_optional(where, key, declaration.fields)
    _check_whole(where, key, declaration)


def _reject(where: str, code: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError(code, f"{where}: {problem}", expected=expected, fix=fix)


def _check_index_key(where: str, key: KeySource) -> None:
    """Reject what says how items are identified on a key of an index, which need not identify them."""
    for option in ("single_item", "assigned_later", "identity", "one_per_bucket"):
        value = getattr(key, option)
        if not value:
            continue
        _reject(
            where, "key-option", f"{option}={value!r} is on a key of index {key.index!r}.",
            expected="It belongs to the primary key, which identifies the items of an entity.",
            fix="leave it out here.",
        )  # fmt: skip


def _check_single_item(where: str, key: EntityKey, fields: Mapping[str, Field]) -> None:
    single = key.source.single_item
    if key.fields and single:
        _reject(
            where, "entity-single-item",
            f"single_item=True, but the key has the field{'s' if len(key.fields) > 1 else ''} "
            f"{', '.join(map(repr, key.fields))}.",
            expected="single_item=True means that the table has exactly one item of the entity.",
            fix="leave single_item=True out, or the fields.",
        )  # fmt: skip
    if not key.fields and not single:
        _reject(
            where, "entity-single-item",
            f"{_texts(key.source)} {'has' if len(key.parts) == 1 else 'have'} no placeholder such as {{field}}, so all "
            "items would have one key, and each would overwrite the one before.",
            expected="The fields that identify an item are placeholders in its key.",
            fix=f"write {_suggestion(key.source, fields)}, in a string without f in front; or, if there is only one "
            "item, add single_item=True.",
        )  # fmt: skip


def _is_optional(field: Field) -> bool:
    """Whether the field may be None: by its type, or by its default."""
    default_is_none = field.default is None and not (field.required or field.has_factory or field.computed)
    return default_is_none or field.nullable or field_type(field.annotation).optional


def _check_optional(where: str, key: EntityKey, fields: Mapping[str, Field]) -> None:
    for name in key.fields:
        if _is_optional(fields[name]) and name not in key.source.assigned_later:
            _reject(
                where, "entity-optional-key",
                f"field {name!r} may be None, and the primary key needs it: such an entity could not be stored.",
                expected="The fields of a primary key are required, or have a default other than None.",
                fix=f"declare {name!r} without None; or, if it is set before the entity is put, add "
                f"assigned_later=({name!r},).",
            )  # fmt: skip


def _check_assigned_later(where: str, key: EntityKey, fields: Mapping[str, Field]) -> None:
    for name in key.source.assigned_later:
        _check_name(where, "assigned_later", name, key)
        if not _is_optional(fields[name]):
            _reject(
                where, "key-option", f"assigned_later names {name!r}, which is never None.",
                fix=f"leave {name!r} out.",
            )  # fmt: skip


def _check_name(where: str, option: str, name: str, key: EntityKey) -> None:
    if name not in key.fields:
        near = did_you_mean(name, key.fields)
        _reject(
            where, "key-option", f"{option} names {name!r}, which is not a field of the key.",
            expected=f"Its fields are: {', '.join(key.fields) or 'none'}.",
            fix=f"did you mean {near!r}?" if near else f"name one of them, or leave {name!r} out.",
        )  # fmt: skip


def _check_whole(where: str, key: EntityKey, declaration: Declaration) -> None:
    """Reject a key with a part of a field alone, under which items would overwrite each other unnoticed."""
    source = key.source
    merged = {
        name: parts for name in key.fields if (parts := _merging_parts(name, key, declaration)) is not None
    }
    hashed = key.shard.of if key.shard else None
    if hashed is not None and hashed not in key.fields:
        merged[hashed] = []
    for option, names in (("identity", source.identity), ("one_per_bucket", source.one_per_bucket)):
        for name in names:
            _check_name(where, option, name, key)
            _check_named(where, option, name, merged)
    if source.identity and (source.one_per_bucket or not merged):
        _reject(
            where, "key-option",
            "identity= and one_per_bucket= are both set."
            if source.one_per_bucket
            else f"identity={source.identity!r}, but the key holds every field whole.",
            fix="leave one of them out." if source.one_per_bucket else "leave identity= out.",
        )  # fmt: skip
    if source.identity:
        return
    for name, parts in merged.items():
        if not parts:
            _reject_hashed(where, key, name, declaration)
        if name not in source.one_per_bucket:
            _reject_merged(where, key, declaration, name, parts)


def _check_named(where: str, option: str, name: str, merged: Mapping[str, object]) -> None:
    """Reject a field that identifies items only in part, or one with a bucket for each value."""
    if option == "identity" and name in merged:
        _reject(
            where, "key-option", f"identity names {name!r}, and the key holds only a part of that field.",
            expected="The fields that identify an item are whole in its key.",
            fix=f"name other fields, or write {{{name}}} into the key.",
        )  # fmt: skip
    if option == "one_per_bucket" and name not in merged:
        _reject(
            where, "key-option", f"one_per_bucket names {name!r}, which the key holds whole.",
            fix=f"leave {name!r} out.",
        )  # fmt: skip


def _merging_parts(name: str, key: EntityKey, declaration: Declaration) -> list[Part] | None:
    """The parts of a field in the key, if they can write two values alike; None if the key determines the value."""
    parts: list[Part] = []
    for each in key.parts:
        if isinstance(each.writer, ScalarKey):
            if each.writer.field == name:
                return None
        else:
            parts += (part for part in each.writer.parts if part.field == name)
    if not determine_value(parts):
        return parts
    rounds = name in declaration.rounded_sources and _example_values(name, parts, key, declaration, limit=8)
    return parts if rounds else None


def _valid_example(
    name: str, parts: list[Part], key: EntityKey, declaration: Declaration
) -> tuple[Any, Any] | None:
    """Two values that the key writes alike, and that the field accepts, if such values are found."""
    example = _example_values(name, parts, key, declaration)
    each = declaration.fields[name]
    if example is None or each.schema is None or each.reader is None:
        return example
    from pksk.model.fields.text_language import texts_of

    read = each.reader()

    def validated(value: Any) -> Any:
        try:
            return read(value)
        except Exception as error:  # validators of the user may raise anything
            raise InvalidValue("operand-value", str(error), fix="") from None

    try:
        one, other = map(validated, example)
        write = _writer(name, parts, key, declaration)
        if one != other and write(one) == write(other):
            return one, other
    except InvalidValue:
        pass
    is_text = isinstance(example[0], str)
    texts = texts_of(*each.schema, declaration.entity.model_config) if is_text else None
    if is_text and texts is None:
        return example
    return _example_values(name, parts, key, declaration, validated=validated, texts=texts) or (
        None if is_text else example
    )


def _example_values(
    name: str,
    parts: list[Part],
    key: EntityKey,
    declaration: Declaration,
    *,
    limit: int | None = None,
    validated: Callable[[Any], Any] = lambda value: value,
    texts: Completable | None = None,
) -> tuple[Any, Any] | None:
    """Two values of a field that the key writes alike; None if none are found."""
    # Most keys hold all of their fields.
    from pksk.keys.collision_example import colliding_values

    write = _writer(name, parts, key, declaration)
    return colliding_values(parts, write, limit=limit, read=validated, texts=texts)


def _writer(
    name: str, parts: list[Part], key: EntityKey, declaration: Declaration
) -> Callable[[Any], object]:
    """What a key holds of a value of a field."""
    rounded: Callable[[Any], Any] = declaration.rounded_sources.get(name, lambda value: value)

    def write(value: Any) -> object:
        stored = rounded(value)
        shard = key.shard.number({name: stored}) if key.shard and key.shard.of == name else 0
        return shard, *(part.encode(stored) for part in parts)

    return write


def _reject_merged(
    where: str, key: EntityKey, declaration: Declaration, name: str, parts: list[Part]
) -> None:
    rounded = determine_value(parts)
    written = " and ".join(dict.fromkeys(str(part.placeholder) for part in parts))
    example = _example(name, _valid_example(name, parts, key, declaration), key, declaration)
    ways = _ways_out(name, parts, key, declaration, rounded=rounded)
    if not example:
        ways.insert(1, "if the parts hold every valid text, declare its length, such as Field(max_length=2)")
    _reject(
        where, "entity-coarse-key",
        f"field {name!r} is rounded when it is stored, so that different values could have the same key."
        if rounded
        else f"the key holds only a part of field {name!r}, {written}, so that different items would have one key, and "
        "each would overwrite the one before.",
        expected=example,
        fix=f"{'; or '.join(ways)}.",
    )  # fmt: skip


def _reject_hashed(where: str, key: EntityKey, name: str, declaration: Declaration) -> NoReturn:
    """Reject a field of which the key holds the number of its shard alone."""
    assert key.shard is not None
    whole = _whole_fields(key, declaration)
    ways = [f"write {{{name}}} into the key as well"]
    if whole:
        ways.append(f"choose the shard by a field of the key, such as of={whole[0]!r}")
        ways.append(f"if other fields identify an item, name them: identity={_tuple_text(whole)}")
    _reject(
        where, "entity-coarse-key",
        f"the key holds only one of {key.shard.count} shards of field {name!r}, so that items with other values would "
        "have one key, and each would overwrite the one before.",
        expected=_example(name, _values_of_one_shard(name, key.shard, declaration), key, declaration),
        fix=f"{'; or '.join(ways)}.",
    )  # fmt: skip


def _whole_fields(key: EntityKey, declaration: Declaration) -> list[str]:
    return [each for each in key.fields if _merging_parts(each, key, declaration) is None]


def _tuple_text(names: list[str]) -> str:
    return f"({', '.join(map(repr, names))}{',' if len(names) == 1 else ''})"


# Values of an example: more than there can be shards, and some that rules of the field reject.
_TRIED: Final = 5_000


def _values_of_one_shard(name: str, shard: Shard, declaration: Declaration) -> tuple[Any, Any] | None:
    """Two values of a field that have the same shard; None if none are known."""
    each = declaration.fields[name]
    make = {str: str, int: int}.get(field_type(each.annotation).type)
    if make is None or each.reader is None:
        return None
    read, by_shard = each.reader(), dict[int, Any]()
    for number in range(_TRIED):
        try:
            value = read(make(number))
        except Exception:  # validators of the user may raise anything
            continue
        first = by_shard.setdefault(shard.number({name: value}), value)
        if first != value:
            return first, value
    return None


def _example(name: str, values: tuple[Any, Any] | None, key: EntityKey, declaration: Declaration) -> str:
    """Two items that the key does not tell apart, and their key."""
    from pksk.model.sample_values import NoSample, sample_value

    if values is None:
        return ""
    items: list[dict[str, Any]] = [{name: value} for value in values]
    same = "same text there"
    try:
        fields = [*key.fields, *(each for each in (key.shard and key.shard.of,) if each)]
        others = {each: sample_value(declaration.fields[each].annotation, each) for each in fields}
        whole = [{**others, **item} for item in items]
        one, other = (key.render(_rounded(item, declaration)) for item in whole)
        if one == other:
            items, same = whole, f"key {', '.join(f'{each}={quote(text)}' for each, text in one.items())}"
    except (NoSample, PkskError):
        pass
    one_text, other_text = map(_in_words, items)
    return f"For example, an item with {one_text} and one with {other_text} both have the {same}."


def _rounded(values: dict[str, Any], declaration: Declaration) -> dict[str, Any]:
    sources = declaration.rounded_sources
    return {name: sources[name](value) if name in sources else value for name, value in values.items()}


def _in_words(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}".replace("datetime.", "") for name, value in values.items())


def _ways_out(
    name: str, parts: list[Part], key: EntityKey, declaration: Declaration, *, rounded: bool
) -> list[str]:
    """What an author can do about a field that the key does not hold whole."""
    ways = [] if rounded else [f"write all of it, {{{name}}}"]
    unit = "second" if rounded else _unit(parts)
    declared = field_type(declaration.fields[name].annotation)
    kind = {True: "AwareDatetime", False: "NaiveDatetime", None: declared.type.__name__}[declared.aware]
    if unit == "microsecond":
        ways.append("declare whether it has a time zone, with AwareDatetime or NaiveDatetime of Pydantic")
    elif unit:
        ways.append(f"if it is always {start_of(unit)}, declare Annotated[{kind}, Precision({unit!r})]")
    whole = _whole_fields(key, declaration)
    if whole:
        ways.append(f"if other fields identify an item, name them: identity={_tuple_text(whole)}")
    if not rounded:
        ways.append(f"if one item for each such part is intended, add one_per_bucket=({name!r},)")
    return ways


def _unit(parts: list[Part]) -> str:
    """The finest unit of time that the parts determine; empty if there is none."""
    from pksk.keys.precision import UNITS

    times = [part for part in parts if isinstance(part, DatePart)]
    units = ("microsecond", *reversed(UNITS)) if times else ()
    return next((unit for unit in units if times[0].determines_unit(times, unit)), "")


def _texts(key: KeySource) -> str:
    return " and ".join(map(quote, (*key.pk, *key.sk)))


def _suggestion(key: KeySource, fields: Mapping[str, Field]) -> str:
    """A template with a field, near what the author wrote."""
    text = key.pk[0]
    for name in fields:
        if re.search(rf"\b{name}\b", text):
            return quote(re.sub(rf"\b{name}\b", f"{{{name}}}", text, count=1))
    stored = [name for name in fields if not fields[name].computed]
    return quote(f"{text.rstrip('#')}#{{{stored[0] if stored else 'id'}}}")
