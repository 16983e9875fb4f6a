"""What is not GeoJSON is rejected, with the place of the fault; other spellings are understood."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import InvalidValue
from pksk.geo import Geometry, Position, read_features, read_geometry
from tests.geometry.shapes import line, point, polygon, read, square

# What is read -> the code, and what the message says.
FAULTS: list[tuple[Any, str, str]] = [
    ("", "geometry-json", "The text '' is not JSON"),
    ("{", "geometry-json", "is not JSON"),
    (b"\xff\xfe", "geometry-json", "is not JSON"),
    ('{"type":"Point","coordinates":[NaN,1]}', "geometry-json", "JSON has no NaN"),
    ("[" * 100_000, "geometry-json", r"\(100 characters\) is not JSON"),
    ([1, 2], "geometry-type", r"The value is \[1, 2\], which is not a GeoJSON object"),
    (None, "geometry-type", "The value is None"),
    (17, "geometry-type", "The value is 17"),
    ({}, "geometry-type", "The object has no 'type'"),
    ({"type": "Pont"}, "geometry-type", "did you mean 'Point'"),
    ({"type": ["Point"]}, "geometry-type", r"type is \['Point'\]"),
    ({"type": "circle"}, "geometry-type", "GeoJSON has no circles"),
    ({"type": "GeometryCollection", "geometries": []}, "geometry-type", "write a Multi"),
    ({"type": "Feature", "geometry": None}, "geometry-type", "geometry is None"),
    ({"type": "Feature"}, "geometry-type", "geometry is None"),
    ({"type": "FeatureCollection"}, "geometry-collection", "holds no features"),
    ({"type": "FeatureCollection", "features": [1, 2]}, "geometry-collection", "holds 2 features"),
    ({"type": "FeatureCollection", "features": [17]}, "geometry-type", r"features\[0\] is 17"),
    ({"type": "Point"}, "geometry-coordinates", "has no 'coordinates'"),
    ({"type": "Point", "coordinates": None}, "geometry-coordinates", "coordinates is None"),
    ({"type": "Point", "coordinates": [1]}, "geometry-coordinates", r"\[1\], which has one number"),
    ({"type": "Point", "coordinates": ["1", 2]}, "geometry-coordinates", r"coordinates\[0\] is '1'"),
    ({"type": "Point", "coordinates": [True, 2]}, "geometry-coordinates", r"coordinates\[0\] is True"),
    ({"type": "Point", "coordinates": [1, 10**400]}, "geometry-coordinates", r"coordinates\[1\] is 1000"),
    ({"type": "Point", "coordinates": [1, Decimal("sNaN")]}, "geometry-coordinates", r"coordinates\[1\]"),
    ({"type": "Point", "coordinates": [[1, 2]]}, "geometry-coordinates", r"coordinates\[0\] is \[1, 2\]"),
    ({"type": "Point", "coordinates": {"lon": 1}}, "geometry-coordinates", "which is not a list"),
    (line([0, 0], [1, None]), "geometry-coordinates", r"coordinates\[1\]\[1\] is None"),  # type: ignore[list-item]
    (line([0, 0], 5), "geometry-coordinates", r"coordinates\[1\] is 5, which is not a list"),  # type: ignore[arg-type]
    (polygon([[0, 0], [1], [1, 1]]), "geometry-coordinates", r"coordinates\[0\]\[1\] is \[1\]"),
    (polygon([0, 1]), "geometry-coordinates", r"coordinates\[0\]\[0\] is 0"),  # type: ignore[list-item]
    ({"type": "Polygon", "coordinates": [1]}, "geometry-coordinates", r"coordinates\[0\] is 1"),
    (
        {"type": "MultiPolygon", "coordinates": [[[[0, 0], "x"]]]},
        "geometry-coordinates",
        r"\[0\]\[0\]\[1\] is 'x'",
    ),
    ({"type": "envelope", "coordinates": [[0, 0]]}, "geometry-coordinates", "has one position"),
    (point(0, 91), "geometry-range", r"coordinates is \[0.0, 91.0\]"),
    (point(181, 0), "geometry-range", "write -179;"),
    (point(-123.1, float("nan")), "geometry-range", "not a finite number"),
    (point(float("inf"), 0), "geometry-range", "not a finite number"),
    (point(49.28, -123.12), "geometry-range", "did you swap latitude and longitude"),
    (point(1e300, 1e300), "geometry-range", "look like metres of a map projection"),
    (line([0, 0], [500_000, 5_450_000]), "geometry-range", r"coordinates\[1\] is \[500000.0, 5450000.0\]"),
    (polygon([[49, -123], [50, -123], [50, -122]]), "geometry-range", r"coordinates\[0\]\[0\].*(\n.*)*swap"),
    ({"type": "Point", "coordinates": []}, "geometry-empty", "describes an empty Point"),
    ({"type": "MultiPoint", "coordinates": []}, "geometry-empty", "an empty MultiPoint"),
    (line([1, 1], [1, 1]), "geometry-empty", "A line needs two different positions"),
    ({"type": "MultiLineString", "coordinates": []}, "geometry-empty", "an empty MultiLineString"),
    ({"type": "Polygon", "coordinates": []}, "geometry-empty", "an empty Polygon"),
    ({"type": "Polygon", "coordinates": [[]]}, "geometry-empty", "an empty Polygon"),
    (polygon([[0, 0], [1, 1], [2, 2], [0, 0]]), "geometry-empty", "a ring three that are not on one line"),
    ({"type": "MultiPolygon", "coordinates": [[]]}, "geometry-empty", "an empty MultiPolygon"),
    ({"type": "envelope", "coordinates": [[1, 1], [1, 0]]}, "geometry-empty", "an empty envelope"),
    (point(0, 0) | {"crs": {"type": "name", "properties": {"name": "EPSG:3857"}}}, "geometry-crs", "3857"),
]


@pytest.mark.parametrize(("data", "code", "said"), FAULTS, ids=lambda value: str(value)[:40])
def test_a_fault_is_named_with_its_place(data: Any, code: str, said: str) -> None:
    with pytest.raises(InvalidValue, match=said) as caught:
        read_geometry(data)

    assert caught.value.code == code
    assert caught.value.fix


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5) | st.decimals(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["type", "coordinates"]), inner)
    ),
    max_leaves=20,
)
TYPES = [
    "Point",
    "MultiPoint",
    "LineString",
    "MultiLineString",
    "Polygon",
    "MultiPolygon",
    "envelope",
    "Feature",
]
NUMBERS = st.integers(-200, 200) | st.floats(-200, 200)
NESTED = st.recursive(st.lists(NUMBERS, max_size=3), lambda inner: st.lists(inner, max_size=5), max_leaves=30)


@given(st.sampled_from(TYPES), JSON | NESTED)
def test_any_value_is_read_or_rejected(kind: str, value: object) -> None:
    assert _reads_or_rejects({"type": kind, "coordinates": value, "geometry": value})


@given(JSON)
def test_any_json_is_read_or_rejected(value: object) -> None:
    assert _reads_or_rejects(value)


@given(st.binary(max_size=50) | st.text(max_size=50))
def test_any_text_is_read_or_rejected(text: bytes | str) -> None:
    assert _reads_or_rejects(text)


def _reads_or_rejects(data: object) -> bool:
    try:
        geometry = read_geometry(data)
    except InvalidValue:
        return True
    return read_geometry(geometry.to_bytes(), repair=False) == geometry


def test_values_nested_in_themselves_are_rejected() -> None:
    coordinates: list[Any] = []
    coordinates.append(coordinates)

    with pytest.raises(InvalidValue, match="geometry-coordinates"):
        read_geometry({"type": "MultiPolygon", "coordinates": coordinates})


@pytest.mark.parametrize("depth", [5, 900, 100_000])
@pytest.mark.parametrize("kind", ["Point", "MultiPolygon", "Feature"])
def test_deeply_nested_values_are_rejected(kind: str, depth: int) -> None:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    text = f'{{"type": "{kind}", "coordinates": {"[" * depth}{"]" * depth}}}'

    for data in ({"type": kind, "coordinates": nested, "geometry": nested}, text):
        with pytest.raises(InvalidValue, match=r"geometry-(coordinates|type|json)"):
            read_geometry(data)


@pytest.mark.wider
def test_a_million_positions_are_read() -> None:
    ring = [[n / 1_000_000, 1 + (n % 2) * 1e-7] for n in range(1_000_000)]

    path = read(line(*ring))

    assert path.vertices == 1_000_000
    with pytest.raises(InvalidValue, match=r"coordinates\[999999\]\[1\] is '2'"):
        read(line(*ring[:-1], [1, "2"]))  # type: ignore[list-item]


@pytest.mark.parametrize("data", [json.dumps(point(1, 2)), json.dumps(point(1, 2)).encode(), point(1, 2)])
def test_text_bytes_and_dicts_are_read(data: Any) -> None:
    assert read_geometry(data).centroid == Position(1, 2)
    assert read_geometry(bytearray(json.dumps(point(1, 2)), "utf-8")).type == "Point"


def test_tuples_and_decimals_are_read() -> None:
    stored = {"type": "LineString", "coordinates": ((Decimal("-123.1"), Decimal("49.25")), (0, 0))}

    assert read(stored) == read(line([-123.1, 49.25], [0, 0]))


@pytest.mark.parametrize("name", ["point", "POINT"])
def test_other_spellings_of_a_type_are_understood(name: str) -> None:
    geometry = read({"type": name, "coordinates": [1, 2]})

    assert geometry.type == "Point"
    assert [repair.kind for repair in geometry.repairs] == ["type-case"]


def test_the_geometry_of_a_feature_is_read() -> None:
    feature = {"type": "Feature", "properties": None, "geometry": point(1, 2)}
    collection = {"type": "FeatureCollection", "features": [feature]}

    assert read(feature) == read(collection) == read(point(1, 2))
    with pytest.raises(InvalidValue, match=r"features\[0\].geometry.coordinates is \[1.0, 91"):
        read({"type": "FeatureCollection", "features": [feature | {"geometry": point(1, 91)}]})


@pytest.mark.parametrize(
    "crs", [None, "urn:ogc:def:crs:OGC:1.3:CRS84", {"type": "name", "properties": {"name": "EPSG:4326"}}]
)
def test_the_name_of_the_only_coordinate_system_is_allowed(crs: Any) -> None:
    assert read(point(1, 2) | {"crs": crs}) == read(point(1, 2))


@pytest.mark.parametrize(
    "data",
    [
        point(1.5, -2),
        {"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]},
        line([0, 0], [1, 1]),
        {"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]], [[2, 2], [3, 4], [3, 5]]]},
        polygon(square(0, 0, 4), square(1, 1, 1)[::-1]),
        {"type": "MultiPolygon", "coordinates": [[square(0, 0, 1)], [square(3, 3, 1)]]},
        {"type": "MultiPolygon", "coordinates": [[square(0, 0, 1)]]},
    ],
    ids=lambda value: str(value["type"]),
)
def test_what_is_valid_is_written_as_it_was(data: Any) -> None:
    geometry = read_geometry(data, repair=False)

    written = geometry.to_dict()

    bbox = written.pop("bbox", None)
    assert written == data
    assert bbox == (None if data["type"] == "Point" else list(geometry.envelope))
    assert geometry.to_bytes().startswith(b'{"type":')


def test_the_place_of_a_repair_is_in_the_whole_document() -> None:
    features = [{"type": "Feature", "geometry": shape} for shape in (None, polygon(square(0, 0, 1)[::-1]))]

    park = read_features({"type": "FeatureCollection", "features": features})[1].geometry

    assert isinstance(park, Geometry)
    assert [repair.path for repair in park.repairs] == ["features[1].geometry.coordinates"]
