"""Random models whose primary keys hold parts of fields: different items never have one key."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from annotated_types import Len
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from pydantic import AwareDatetime, NaiveDatetime

from pksk import TTL, DesignError, InvalidValue, Precision, Shard, Stored, Table, TemplateError
from pksk.model.sample_values import sample_value
from tests.model.declarations.models import entity_with


class Kind(NamedTuple):
    """A type of field, the forms that it may have in a key, and values of it that are near each other."""

    annotation: Any
    forms: tuple[str, ...]
    values: st.SearchStrategy[Any]


DAYS = st.builds(
    lambda month, day: date(2024, 12, 1) + timedelta(days=31 * month + day),
    st.integers(0, 14), st.integers(0, 9),
)  # fmt: skip
FINER = (
    timedelta(0),
    timedelta(microseconds=1),
    timedelta(milliseconds=1),
    timedelta(seconds=1),
    timedelta(minutes=1),
)
WALLS = st.builds(
    lambda day, hour, more: datetime(day.year, day.month, day.day, hour) + more,
    DAYS, st.sampled_from([0, 12]), st.sampled_from(FINER),
)  # fmt: skip
INSTANTS = st.builds(
    lambda wall, zone: wall.replace(tzinfo=zone), WALLS, st.sampled_from([UTC, timezone(timedelta(hours=1))])
)
TEXTS = st.text("ab#", min_size=1, max_size=4)
TEXT_FORMS = (
    "{%s}",
    "{%s:.1}",
    "{%s:.2}",
    "{%s[:-1]}",
    "{%s[-1:]}",
    "{%s[1:]}",
    "{%s[-2:]}",
    "{%s[1:2]}",
    "{%s[2:]}",
)
DAY_FORMS = ("{%s}", "{%s:%%Y-%%m}", "{%s:%%Y}", "{%s:%%m-%%d}", "{%s:%%d}", "{%s:%%G-W%%V}", "{%s:%%j}")
TIME_FORMS = (
    "{%s}", "{%s:%%Y-%%m-%%d}", "{%s:%%Y-%%m-%%dT%%H:%%M}", "{%s:%%Y-%%m-%%dT%%H:%%MZ}", "{%s:%%H:%%M:%%S.%%f}",
    "{%s:%%H:%%M:%%S.%%fZ}", "{%s:%%Y%%m%%d%%H%%M%%S%%f}", "{%s:%%Y-%%m-%%dT%%H:%%M:%%SZ}",
)  # fmt: skip


def started(unit: Any, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of which most are the start of a unit: the others are rejected."""
    return values.map(Precision(unit).floor) | values


KINDS = (
    Kind(str, TEXT_FORMS, TEXTS),
    Kind(Annotated[str, Len(1, 2)], TEXT_FORMS, TEXTS),
    Kind(Annotated[str, Len(3, 3)], TEXT_FORMS, TEXTS),
    Kind(int, ("{%s}", "{%s:03d}"), st.integers(-3, 3)),
    Kind(Decimal, ("{%s}", "{%s:05.1f}"), st.sampled_from(list(map(Decimal, ("1", "1.0", "1.05", "-1"))))),
    Kind(date, DAY_FORMS, DAYS),
    Kind(Annotated[date, Precision("month")], DAY_FORMS, started("month", DAYS)),
    Kind(Annotated[date, Precision("week")], DAY_FORMS, started("week", DAYS)),
    Kind(Annotated[datetime, Stored("iso-offset")], TIME_FORMS, INSTANTS),
    Kind(Annotated[datetime, Stored("epoch-seconds")], TIME_FORMS, started("second", INSTANTS)),
    Kind(Annotated[datetime, Stored("iso-minutes")], TIME_FORMS, started("minute", INSTANTS)),
    Kind(NaiveDatetime, TIME_FORMS, WALLS),
    Kind(AwareDatetime, TIME_FORMS, INSTANTS),
    Kind(Annotated[NaiveDatetime, Precision("minute")], TIME_FORMS, started("minute", WALLS)),
    Kind(Annotated[AwareDatetime, Precision("second")], TIME_FORMS, started("second", INSTANTS)),
)
ENDS = (Annotated[datetime, TTL()], Annotated[datetime, TTL(), Precision("second")])


class Model(NamedTuple):
    """Fields with their values, and the templates of a key."""

    fields: dict[str, Any]
    values: dict[str, st.SearchStrategy[Any]]
    texts: tuple[str, str]
    options: dict[str, Any]

    @property
    def key_fields(self) -> set[str]:
        """The fields in the key, and the one that decides the shard."""
        placeholders = set(re.findall(r"{(\w+)", "".join(self.texts)))
        return {self.options["shard"].of if each == "shard" else each for each in placeholders}


@st.composite
def models(draw: Callable[..., Any]) -> Model:
    """A key of two to four parts, now and then of one field."""
    kinds = {name: draw(st.sampled_from(KINDS)) for name in ("one", "two")}
    if draw(st.booleans()):
        kinds["ends"] = Kind(draw(st.sampled_from(ENDS)), TIME_FORMS, started("second", INSTANTS))
    forms = st.sampled_from(sorted(kinds)).flatmap(
        lambda name: st.sampled_from(kinds[name].forms).map(lambda form: form % name)
    )
    partition, sort = (draw(st.lists(forms, min_size=1, max_size=2)) for _ in range(2))
    options: dict[str, Any] = {"codec": draw(st.sampled_from(["escaped", "raw"]))}
    if draw(st.integers(0, 3)) == 0:
        partition, options["shard"] = [*partition, "{shard}"], Shard(2, of="one")
    return Model(
        {name: kind.annotation for name, kind in kinds.items()},
        {name: kind.values for name, kind in kinds.items()},
        ("P#" + "#".join(partition), "#".join(sort)),
        options,
    )  # fmt: skip


def entity_of(model: Model, *buckets: str) -> type[Any]:
    """The entity; raises if its key is too coarse."""
    table = Table("made", ttl="ends" if "ends" in model.fields else None)
    try:
        return entity_with(model.fields, *model.texts, table=table, one_per_bucket=buckets, **model.options)
    except TemplateError:  # a delimiter within a time
        raise reject() from None


def rejection(model: Model, *buckets: str) -> DesignError | None:
    """The error of a key that is too coarse."""
    try:
        entity_of(model, *buckets)
    except DesignError as error:
        return error if error.code == "entity-coarse-key" else reject()
    return None


def stored(entity: type[Any], values: dict[str, Any]) -> tuple[tuple[str, str], Any] | None:
    """The key of an entity, and the entity; None if its values are rejected."""
    try:
        one = entity(**values)
        item = one.to_item()
    except (InvalidValue, ValueError):
        return None
    return (item["pk"]["S"], item["sk"]["S"]), one


@settings(max_examples=3 * settings().max_examples)
@given(models(), st.data())
def test_two_items_with_one_key_have_the_same_values_in_its_fields(model: Model, data: st.DataObject) -> None:
    assume(rejection(model) is None)
    entity = entity_of(model)
    seen: dict[tuple[str, str], Any] = {}
    for values in data.draw(st.lists(st.fixed_dictionaries(model.values), min_size=2, max_size=12)):
        found = stored(entity, values)
        if found is None:
            continue
        first = seen.setdefault(*found)

        for name in model.key_fields:
            assert getattr(first, name) == getattr(found[1], name), (model.texts, found[0])


@settings(max_examples=3 * settings().max_examples, suppress_health_check=[HealthCheck.filter_too_much])
@given(models())
def test_a_key_that_is_rejected_really_has_two_items_with_other_values(model: Model) -> None:
    error = rejection(model)
    assume(error is not None)
    assert error is not None
    one, other, key = example_in(error)
    (name,) = (name for name in one if one[name] != other[name])
    buckets = (name,)
    while again := rejection(model, *buckets):
        buckets += tuple(re.findall(r"field '(\w+)'", again.problem))
    whole = entity_of(model, *buckets)
    first, second = stored(whole, complete(model, one)), stored(whole, complete(model, other))

    assert first is not None
    assert second is not None
    assert first[0] == second[0] == key
    assert getattr(first[1], name) != getattr(second[1], name)


def example_in(error: DesignError) -> tuple[dict[str, Any], dict[str, Any], tuple[str, str]]:
    """The two items of a message, and their key."""
    match = re.fullmatch(
        r"For example, an item with (.*) and one with (.*) both have the key pk=('.*'), sk=('.*')\.",
        error.expected,
    )
    # Some keys can never be rendered, such as those of times without a zone in a format of UTC.
    assume(match)
    assert match
    names = {"date": date, "datetime": datetime, "timezone": timezone, "Decimal": Decimal}
    one, other = (eval(f"dict({text})", names) for text in match.groups()[:2])
    return one, other, (eval(match[3]), eval(match[4]))


def complete(model: Model, values: dict[str, Any]) -> dict[str, Any]:
    """The values of a message, and some for fields outside the key."""
    return {name: values.get(name, sample_value(kind, "abc")) for name, kind in model.fields.items()}
