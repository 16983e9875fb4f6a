"""The arguments that methods of the store share: checks of requests and flags, and the list for unreadable items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel

from pksk.errors import DesignError, InvalidValue, ItemUnreadable, quote
from pksk.model import Entity
from pksk.model.forward_references import complete_entity
from pksk.model.requests.keyed_request import KeyedRequest
from pksk.model.requests.request import Request

E = TypeVar("E", bound="Entity")
# The result of a query: an entity, or a smaller model.
M = TypeVar("M", bound="BaseModel")
# What any request returns.
R = TypeVar("R")


def check_request_kind(verb: str, value: object, *kinds: str) -> None:
    """Raise, unless a value is a request of one of these classes; they are named, so that they load when needed.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> check_request_kind("get", Order.primary(id="7"), "Get")
        Traceback (most recent call last):
        pksk.errors.DesignError: get: its argument is a Query.
        Fix: write get(Order.primary.get(...)); a Query is run by iter(...), page(...) or first(...).  \
(pksk explain store-not-a-request)
    """
    name = type(value).__name__
    if name in kinds and isinstance(value, Request):
        return
    entity = _entity_name(value)
    example = " or ".join(
        getattr(import_module("pksk.model"), each).example.format(entity or "E") for each in kinds
    )
    argument, fix = quote(value), f"write {verb}({example})"
    if isinstance(value, Request):
        noun = f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
        argument, fix = noun, f"{fix}; {noun} is run by {value.run_by}"
    elif entity:
        fix += f"; an {name} itself is stored by put(...)" if not isinstance(value, type) else ""
    raise DesignError("store-not-a-request", f"{verb}: its argument is {argument}.", fix=f"{fix}.")


def keyed_request(verb: str, kind: type[KeyedRequest], value: object, parts: Mapping[str, Any]) -> object:
    """The request for the item of an entity class, by the parts of its primary key; any other value as it is.

    Example:
        >>> from pksk import Entity, Get, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> keyed_request("get", Get, Order, {"id": "7"}) == Order.primary.get(id="7")
        True
    """
    if isinstance(value, type) and hasattr(value, "__pksk_options__"):
        entity: type[Entity] = complete_entity(value)
        return kind.for_item(entity, entity.__pksk__.primary.name, parts)
    if parts:
        names = ", ".join(f"{name}=..." for name in parts)
        raise DesignError(
            "store-key-parts",
            f"{verb}({quote(value)}, {names}): parts of a key can only follow an entity class.",
            fix=f"write {verb}({_entity_name(value) or 'E'}, {names}), or leave them out.",
        )
    return value


def batch_members(arguments: tuple[Any, ...]) -> Sequence[Any]:
    """The members of a batch: the arguments themselves, or what the only argument contains.

    Example:
        >>> batch_members((1, 2)), batch_members(([1, 2],)), batch_members((iter([1, 2]),))
        ((1, 2), (1, 2), (1, 2))
    """
    if len(arguments) != 1:
        return arguments
    (only,) = arguments
    # A model can be iterated over too: over its fields.
    is_single = isinstance(only, (Request, str, bytes, Mapping, type)) or hasattr(only, "__pydantic_fields__")
    return arguments if is_single or not isinstance(only, Iterable) else tuple(only)


def check_flag(verb: str, **flag: object) -> None:
    """Raise, unless a flag is True or False: the text "no", as in settings, would count as True.

    Example:
        >>> check_flag("update", upsert="no")
        Traceback (most recent call last):
        pksk.errors.DesignError: update(upsert='no'): a flag is True or False.
        Fix: write upsert=True, or leave it out.  (pksk explain store-flag)
    """
    for name, value in flag.items():
        if not isinstance(value, bool):
            raise DesignError(
                "store-flag",
                f"{verb}({name}={quote(value)}): a flag is True or False.",
                fix=f"write {name}=True, or leave it out.",
            )


def check_progress(verb: str, progress: object, when: str, example: str) -> None:
    """Raise, unless a progress callback is None or a function; the calls of an async one would not be awaited.

    Example:
        >>> check_progress("scan", True, "after each batch", "*figures: print(figures)")
        Traceback (most recent call last):
        pksk.errors.InvalidValue: scan: progress=True is not a function.
        It is called after each batch.
        Fix: pass a plain function: lambda *figures: print(figures).  (pksk explain store-progress)
    """
    is_async = iscoroutinefunction(progress)
    if progress is not None and (is_async or not callable(progress)):
        raise InvalidValue(
            "store-progress",
            f"{verb}: progress={quote(progress)} is {'an async' if is_async else 'not a'} function.",
            expected=f"It is called {when}{', and not awaited' if is_async else ''}.",
            fix=f"pass a plain function: lambda {example}.",
        )


def _entity_name(value: object) -> str:
    """The name of the entity that a value is about, if it is about one."""
    kind = next(iter(value.entities), None) if isinstance(value, Request) else value
    entity = kind if isinstance(kind, type) else type(kind)
    return entity.__name__ if hasattr(entity, "__pksk__") else ""


# Collects the errors of unreadable items, instead of raising them.
UnreadableItems: TypeAlias = "list[ItemUnreadable] | None"


def collect_unreadable(unreadable: UnreadableItems, error: ItemUnreadable) -> None:
    """Append the error of an item to the caller's list; raise it if there is none."""
    if unreadable is None:
        raise error
    unreadable.append(error)


def check_unreadable_list(verb: str, unreadable: object) -> None:
    """Reject anything but a list, before the first read."""
    if unreadable is not None and not isinstance(unreadable, list):
        raise InvalidValue(
            "store-unreadable",
            f"{verb}: unreadable={quote(unreadable)} is not a list.",
            fix="pass an empty list as unreadable=; it receives the errors.",
        )


def reject_unreadable_list(verb: str, unreadable: UnreadableItems, write: Request) -> None:
    """Reject a list for unreadable items if nothing is read."""
    if unreadable is not None:
        raise DesignError(
            "store-unreadable",
            f"{verb}: unreadable= does not apply to a {type(write).__name__}, which is a write.",
            fix="leave unreadable= out.",
        )
