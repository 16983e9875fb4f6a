"""Values that are made up for an annotation are values of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Network
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, TypeAdapter
from typing_extensions import TypeAliasType

from pksk.model.sample_values import NoSample, sample_model, sample_value


class Colour(Enum):
    RED = "red"


class Point(BaseModel):
    x: int
    colour: Colour


class Name(str):
    __slots__ = ()


PLAIN = (str, int, float, bool, Decimal, bytes, date, datetime, UUID, IPv4Network, Colour, Point)
CONTAINERS = (
    list[int], set[str], frozenset[int], dict[str, Point], Mapping[str, int],
    tuple[int, ...], tuple[int, str], tuple[Point, Colour, bytes], list[tuple[int, str]],
)  # fmt: skip
CONSTRAINED = (
    Annotated[int, Field(ge=7)], Annotated[int, Field(gt=7)], Annotated[int, Field(le=-7)],
    Annotated[int, Field(lt=-7)], Annotated[int, Field(gt=1)], Annotated[int, Field(lt=1)],
    Annotated[date, Field(gt=date(2026, 1, 1))], Annotated[date, Field(lt=date(2020, 1, 1))],
    Annotated[datetime, Field(gt=datetime(2026, 1, 1, tzinfo=UTC))], Annotated[timedelta, Field(gt=timedelta(days=2))],
    NewType("Day", date), TypeAliasType("Month", Annotated[int, Field(ge=1, le=12)]),
    Annotated[int, Field(gt=1, lt=3)], Annotated[str, Field(min_length=9)], Annotated[str, Field(max_length=2)],
)  # fmt: skip
CHOICES = (Literal["open", "paid"], None | str, int | None, Literal["open"] | None)


@pytest.mark.parametrize("annotation", [*PLAIN, *CONTAINERS, *CONSTRAINED, *CHOICES], ids=str)
def test_the_sample_of_a_type_is_a_value_of_it(annotation: Any) -> None:
    sample = sample_value(annotation, "name")

    assert sample is not None
    assert TypeAdapter(annotation).validate_python(sample, strict=True) == sample


def test_text_is_named_after_its_field() -> None:
    assert sample_value(str, "city") == sample_value(Name, "city") == "city"
    assert sample_value(tuple[int, str], "city") == (1, "city")
    assert type(sample_value(Name, "city")) is Name


def test_an_unknown_class_has_no_sample() -> None:
    class Unknown:
        pass

    class Needs(BaseModel, arbitrary_types_allowed=True):
        field: Unknown

    class Offers(BaseModel, arbitrary_types_allowed=True):
        field: Unknown | None = None
        other: Any = Field(examples=["given"])

    with pytest.raises(NoSample, match="field: Unknown"):
        sample_value(list[Unknown], "field")
    with pytest.raises(NoSample, match="field: Unknown"):
        sample_model(Needs)
    assert sample_model(Offers) == Offers(field=None, other="given")
