"""Compares templates: whether two of them can render the same key, or one key a prefix of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any, Literal

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, PkskError, quote
from pksk.keys.automaton import CommonTexts, intersect
from pksk.keys.compiled import PartText, example_value, part_texts
from pksk.keys.key_pair import KeyPair
from pksk.keys.scalar_key import ScalarKey
from pksk.keys.template import Template

Verdict = Literal["never", "possible", "may"]
Keys = tuple[Any, ...]
Subject = Template | ScalarKey | KeyPair

# Takes the values of the left and of the right keys.
Accept = Callable[[dict[str, Any], dict[str, Any]], bool]

_MAX_TRIED = 2_000


@dataclass(frozen=True, slots=True)
class Overlap:
    """Whether two templates can render the same key, with an example.

    `never` and `possible` are proved. `may` means that the texts overlap, but the search found no values that
    render them, for instance because a key contains a field twice.
    """

    verdict: Verdict
    left_keys: Keys = ()
    left_values: dict[str, Any] | None = None
    right_keys: Keys = ()
    right_values: dict[str, Any] | None = None

    def __str__(self) -> str:
        if self.left_values is None or self.right_values is None:
            return self.verdict
        return (
            f"{self.verdict}: {_values_text(self.left_values)} gives {_keys_text(self.left_keys)}, "
            f"{_values_text(self.right_values)} gives {_keys_text(self.right_keys)}"
        )


def _values_text(values: dict[str, Any]) -> str:
    return ", ".join(f"{field}={value!r}" for field, value in values.items()) or "no value"


def _keys_text(keys: Keys) -> str:
    return " / ".join(map(quote, keys))


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two templates relate: whether they can render the same key, or one key a prefix of the other.

    Example:
        >>> found = compare(Template("ORDER#{id}"), Template("ORDER#{id}#{line}"))
        >>> found.disjoint, found.same.verdict, found.left_is_prefix.verdict
        (True, 'never', 'possible')
    """

    same: Overlap
    left_is_prefix: Overlap
    right_is_prefix: Overlap

    @property
    def disjoint(self) -> bool:
        """Whether the two can never render the same key."""
        return self.same.verdict == "never"


def compare(left: Subject, right: Subject) -> Comparison:
    """How the keys of two templates, or of two key pairs, can collide.

    For key pairs, the partition keys are equal, and one sort key is a prefix of the other.

    Example:
        >>> compare(Template("ORDER#{id}"), Template("ORDER#{id}#{line}")).same.verdict
        'never'
        >>> print(compare(Template("{name}"), Template("user_{n}", n=int)).same)
        possible: name='user_0' gives 'user_0', n=0 gives 'user_0'
        >>> print(compare(Template("collection"), Template("collection_{kind}")).left_is_prefix)
        possible: no value gives 'collection', kind='a' gives 'collection_a'
    """
    lefts, rights = _keys(left), _keys(right)
    return Comparison(
        _overlap(lefts, rights, "same"), _overlap(lefts, rights, "left"), _overlap(lefts, rights, "right")
    )


def overlap(left: Subject, right: Subject, *, accept: Accept = lambda *_: True) -> Overlap:
    """Whether two templates or key pairs can render the same key; a third of the work of `compare`.

    Values that `accept` rejects are not an example, for instance because they break a constraint of a field.

    Example:
        >>> overlap(Template("ORDER#{id}"), Template("LINE#{id}")).verdict
        'never'
    """
    return _overlap(_keys(left), _keys(right), "same", accept)


SingleKey = Template | ScalarKey
Relation = Literal["same", "left", "right"]

# Values that all number keys, or all binary keys, have in common.
_SCALARS: dict[str, tuple[Any, ...]] = {"N": (0, 1), "B": (b"aa", b"ab")}


def _keys(subject: Subject) -> tuple[SingleKey, ...]:
    if isinstance(subject, KeyPair):
        return subject.keys
    if isinstance(subject, SingleKey):
        return (subject,)
    raise InvalidValue(
        "key-wrong-type",
        f"compare: {quote(subject)} of type {type(subject).__name__} is not a template.",
        fix="pass two templates, or two KeyPairs.",
    )


def _overlap(
    lefts: tuple[SingleKey, ...],
    rights: tuple[SingleKey, ...],
    relation: Relation,
    accept: Accept = lambda *_: True,
) -> Overlap:
    if len(lefts) != len(rights) or any(map(_literals_differ, lefts, rights)):
        return Overlap("never")
    before: list[Relation] = ["same"]
    relations = [*before * (len(lefts) - 1), relation]
    common = [_common_texts(*each) for each in zip(lefts, rights, relations, strict=True)]
    if any(not shared.words and shared.complete for shared in common):
        return Overlap("never")
    attempts = 0
    for words in islice(product(*(shared.words for shared in common)), _MAX_TRIED):
        attempts += 1
        example = _example(lefts, rights, words, relation)
        if example and accept(example.left_values or {}, example.right_values or {}):
            return example
    # All common texts were tried. Without lossy parts, a text has at most one value, so this is a proof.
    exhausted = all(shared.complete for shared in common) and attempts < _MAX_TRIED
    return Overlap("never" if exhausted and not _has_lossy_part(lefts + rights) else "may")


def _literals_differ(left: SingleKey, right: SingleKey) -> bool:
    """Whether two templates begin with different literals; a cheap test that settles most cases."""
    if isinstance(left, ScalarKey) or isinstance(right, ScalarKey):
        return False
    one, other = left.literals[0], right.literals[0]
    return not (one.startswith(other) or other.startswith(one))


def _has_lossy_part(keys: tuple[SingleKey, ...]) -> bool:
    return any(part.lossy for key in keys if isinstance(key, Template) for part in key.parts)


def _common_texts(left: SingleKey, right: SingleKey, relation: Relation) -> CommonTexts:
    """Texts that both render; or texts of one that extend a text of the other."""
    if isinstance(left, ScalarKey) or isinstance(right, ScalarKey):
        return _common_scalars(left, right, relation)
    if relation == "left":
        return intersect(left.language.extended(), right.language)
    if relation == "right":
        return intersect(left.language, right.language.extended())
    return intersect(left.language, right.language)


def _common_scalars(left: SingleKey, right: SingleKey, relation: Relation) -> CommonTexts:
    """Keys of different types never collide, and a number is not a prefix of another; what formats write is open."""
    if any(isinstance(each, ScalarKey) and each.attribute_type == "S" for each in (left, right)):
        return CommonTexts((), complete=False)
    if not isinstance(left, ScalarKey) or not isinstance(right, ScalarKey):
        return CommonTexts((), complete=True)
    alike = left.attribute_type == right.attribute_type
    if not alike or (relation != "same" and left.attribute_type == "N"):
        return CommonTexts((), complete=True)
    return CommonTexts(_SCALARS[left.attribute_type], complete=False)


def _example(
    lefts: tuple[SingleKey, ...], rights: tuple[SingleKey, ...], words: Keys, relation: Relation
) -> Overlap | None:
    for left_keys in _shorter_keys(words, relation == "left"):
        left_values = _example_values(lefts, left_keys)
        if left_values is None:
            continue
        for right_keys in _shorter_keys(words, relation == "right"):
            right_values = _example_values(rights, right_keys)
            if right_values is not None:
                return Overlap("possible", left_keys, left_values, right_keys, right_values)
    return None


def _shorter_keys(words: Keys, shorten: bool) -> Iterator[Keys]:
    if not shorten:
        yield words
        return
    for length in range(len(words[-1]) - 1, 0, -1):
        yield (*words[:-1], words[-1][:length])


def _example_values(keys: tuple[SingleKey, ...], words: Keys) -> dict[str, Any] | None:
    """Values that render these keys; None if none were found."""
    by_field: dict[str, list[PartText]] = {}
    values: dict[str, Any] = {}
    for key, word in zip(keys, words, strict=True):
        if isinstance(key, ScalarKey):
            values |= key.match(word)
            continue
        for part, text in part_texts(key, word) or ():
            by_field.setdefault(part.field, []).append((part, text))
    try:
        values |= {field: example_value(own) for field, own in by_field.items() if field not in values}
        rendered = tuple(key.render(values) for key in keys)
    except (PkskError, ValueError):
        return None
    return values if rendered == words else None
