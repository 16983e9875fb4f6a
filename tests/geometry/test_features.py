"""Features keep their properties and ids."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from pksk.errors import InvalidValue
from pksk.geo import Feature, read_features, read_geometry, write_features
from tests.geometry.shapes import point, polygon, read, square

COLLECTION = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "id": "a",
            "properties": {"name": "A", "sizes": [1, {"x": None}]},
            "geometry": point(1, 2),
        },
        {"type": "Feature", "id": 7, "properties": {}, "geometry": None},
        {"type": "Feature", "properties": {}, "geometry": point(3, 4)},
    ],
}


def test_a_collection_is_written_as_it_was() -> None:
    features = read_features(json.dumps(COLLECTION))

    assert features[0] == Feature(read(point(1, 2)), {"name": "A", "sizes": [1, {"x": None}]}, "a")
    assert json.loads(write_features(features)) == _with_floats(COLLECTION)
    assert features[0].to_dict() == _with_floats(COLLECTION)["features"][0]


def _with_floats(value: Any) -> Any:
    return json.loads(json.dumps(value).replace("[1, 2]", "[1.0, 2.0]").replace("[3, 4]", "[3.0, 4.0]"))


def test_a_feature_and_a_geometry_are_collections_of_one() -> None:
    assert read_features(point(1, 2)) == (Feature(read(point(1, 2))),)
    assert read_features({"type": "Feature", "geometry": point(1, 2)}) == (Feature(read(point(1, 2))),)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"properties": [1]}, r"features\[1\].properties is \[1\]"),
        ({"id": True}, r"features\[1\].id is True"),
        ({"id": [1]}, r"features\[1\].id is \[1\]"),
    ],
)
def test_members_of_another_type_are_rejected(change: dict[str, Any], said: str) -> None:
    first, second, _ = COLLECTION["features"]

    with pytest.raises(InvalidValue, match=said) as caught:
        read_features({"type": "FeatureCollection", "features": [first, {**second, **change}]})  # type: ignore[dict-item]

    assert caught.value.code == "geometry-feature"


def test_properties_of_items_are_written() -> None:
    item = {"number": Decimal("7"), "price": Decimal("1.50"), "day": date(2026, 1, 31), "tags": {"a"}}

    written = Feature(None, item).to_dict()["properties"]

    assert written == {"number": 7, "price": 1.5, "day": "2026-01-31", "tags": ["a"]}
    with pytest.raises(InvalidValue, match="'place' cannot be written as JSON") as caught:
        Feature(None, {"place": object()}).to_dict()
    assert caught.value.code == "geometry-feature"


@pytest.mark.parametrize("features", [None, {}, "x"])
def test_features_are_a_list(features: Any) -> None:
    with pytest.raises(InvalidValue, match=r"features is .*, which is not a list"):
        read_features({"type": "FeatureCollection", "features": features})


def test_a_collection_within_a_collection_is_rejected() -> None:
    with pytest.raises(InvalidValue, match=r"features\[0\].type is 'FeatureCollection'"):
        read_features({"type": "FeatureCollection", "features": [COLLECTION]})


def test_repair_can_be_off() -> None:
    clockwise = {"type": "Feature", "geometry": polygon(square(0, 0, 1)[::-1])}

    with pytest.raises(InvalidValue, match=r"geometry.coordinates: rings had the wrong orientation"):
        read_features(clockwise, repair=False)
    assert read_features(clockwise)[0].geometry == read_geometry(clockwise)
