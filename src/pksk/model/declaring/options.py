"""The options of an entity's class, checked: `class Order(Entity, table=shop, items=1_000_000)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from pksk.errors import DesignError, did_you_mean, quote
from pksk.schema import Table

__all__ = ["check_options", "reject_options"]

OPTIONS = ("table", "items", "per_partition", "growth", "discriminator")


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options that are not what they should be, with the class and the fix."""
    table = options["table"]
    if table is not None and not isinstance(table, Table):
        _reject_option(name, "table", table, "a Table", 'shop = Table("shop") and then table=shop')
    for option in ("items", "per_partition"):
        value = options[option]
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            _reject_option(name, option, value, "a number of items", f"{option}=1000")
    tag = options["discriminator"]
    if tag is not None and (not isinstance(tag, str) or not tag):
        _reject_option(
            name, "discriminator", tag, "the text that tells its items apart", 'discriminator="order"'
        )


def _reject_option(name: str, option: str, value: object, what: str, example: str) -> NoReturn:
    raise DesignError(
        "entity-option",
        f"class {name}: {option}={quote(value)} is not {what}.",
        fix=f"write {example}, for example.",
    )


def reject_options(name: str, unknown: Mapping[str, Any]) -> NoReturn:
    """Refuse options that neither an entity nor Pydantic knows."""
    first = next(iter(unknown))
    near = did_you_mean(first, OPTIONS)
    raise DesignError(
        "entity-option",
        f"class {name}: there is no option {first!r}.",
        expected=f"Options are: {', '.join(OPTIONS)}, and those of Pydantic's ConfigDict.",
        fix=f"did you mean {near!r}?" if near else "take it out.",
    )
