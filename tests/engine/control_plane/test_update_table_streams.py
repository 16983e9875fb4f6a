"""UpdateTable: streams are enabled and disabled."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import ARN, NAME, START, Opened

INVALID = "One or more parameter values were invalid: "


def on_demand() -> Opened:
    opened = Opened()
    opened.create()
    return opened


def error_of(opened: Opened, **members: Any) -> str:
    return opened.invalid("UpdateTable", {"TableName": NAME, **members})


def stream(view: str | None = "NEW_IMAGE", *, enabled: bool = True) -> dict[str, Any]:
    specification: dict[str, Any] = {"StreamEnabled": enabled}
    return {"StreamSpecification": {**specification, "StreamViewType": view} if view else specification}


@pytest.mark.parametrize("view", ["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"])
def test_a_stream_has_one_of_four_views(view: str) -> None:
    opened = on_demand()

    opened.update(**stream(view))

    assert opened.describe()["StreamSpecification"]["StreamViewType"] == view
    assert "Member must satisfy enum value set" in error_of(opened, **stream("ALL_IMAGES"))


def test_a_stream_records_changes_as_soon_as_it_is_enabled() -> None:
    opened = on_demand()

    answer = opened.update(**stream())

    assert answer["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    assert answer["LatestStreamArn"] == f"{ARN}/stream/{answer['LatestStreamLabel']}"
    found = opened.catalogue.table(NAME)
    assert found.stream_view == "NEW_IMAGE"
    assert found.change_space is not None


def test_a_disabled_stream_keeps_its_label_and_the_next_has_another() -> None:
    opened = on_demand()
    first = opened.update(**stream())["LatestStreamLabel"]

    off = opened.update(**stream(None, enabled=False))
    second = opened.update(**stream("OLD_IMAGE"))["LatestStreamLabel"]

    assert "StreamSpecification" not in off
    assert off["LatestStreamLabel"] == first
    assert second > first
    assert opened.catalogue.table(NAME).stream_view == "OLD_IMAGE"
    assert opened.again().describe() == opened.describe()


def test_without_a_stream_no_changes_are_recorded() -> None:
    opened = on_demand()
    opened.update(**stream())

    opened.update(**stream(None, enabled=False))

    found = opened.catalogue.table(NAME)
    assert (found.change_space, found.stream_view) == (None, None)


def test_a_stream_cannot_change_its_view_or_be_set_to_its_current_state() -> None:
    opened = on_demand()

    none = error_of(opened, **stream(None, enabled=False))
    view = error_of(opened, **stream("NEW_IMAGE", enabled=False))
    bare = error_of(opened, **stream(None))
    opened.update(**stream())
    other = error_of(opened, **stream("OLD_IMAGE"))

    assert none == f"Table has no stream to disable: TableName: {NAME}"
    assert view == f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified"
    assert bare == f"{INVALID}If stream is being enabled, then UpdateViewType must be specified"
    assert other == f"Table already has an enabled stream: TableName: {NAME}"


def test_records_of_a_disabled_stream_can_be_read_for_a_day() -> None:
    opened = on_demand()
    opened.update(**stream())
    first = opened.catalogue.table(NAME).change_space
    assert first is not None
    opened.update(**stream(None, enabled=False))

    opened.clock.now += 86399
    opened.update(**stream())
    kept = opened.storage.get(first, b"")
    opened.update(**stream(None, enabled=False))
    opened.clock.now += 1
    opened.update(**stream())

    assert kept is None  # an empty space, and no error
    assert [each["closed"] for each in opened.catalogue.table(NAME).record["streams"][:-1]] == [START + 86399]
