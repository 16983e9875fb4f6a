"""A table with tags, for tests of tags."""

from __future__ import annotations

from tests.engine.state.catalogues import ARN, Opened

__all__ = ["INVALID", "tag", "tagged", "tagging", "tags"]

INVALID = "One or more parameter values were invalid: "


def tagged(**tags: str) -> Opened:
    opened = Opened()
    opened.create(Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
    return opened


def tags(opened: Opened) -> dict[str, str]:
    listed = opened.call("ListTagsOfResource", {"ResourceArn": ARN})["Tags"]
    return {tag["Key"]: tag["Value"] for tag in listed}


def tagging(*entries: dict[str, str]) -> dict[str, object]:
    """A request that adds tags to the table."""
    return {"ResourceArn": ARN, "Tags": list(entries)}


def tag(opened: Opened, **added: str) -> dict[str, object]:
    return opened.call(
        "TagResource", tagging(*({"Key": key, "Value": value} for key, value in added.items()))
    )
