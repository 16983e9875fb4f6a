"""The error for a method that a store does not have, with the call to write instead."""

from __future__ import annotations

from typing import Final

from pksk.errors import DesignError, did_you_mean

_READS: Final = "iter(Order.primary(...)), or first(...), page(...) or count(...) of the same query"
_BATCH: Final = "batch_put(orders) or batch_delete(orders)"
_TRANSACTION: Final = "transaction(Put(order), Order.primary.update(...), ...)"
# What to write instead of methods that boto3 and other libraries have.
_INSTEAD: Final = {
    **dict.fromkeys(("query", "find", "filter", "select", "list", "query_all"), _READS),
    **dict.fromkeys(("all", "scan_all"), "scan(Order.scan())"),
    **dict.fromkeys(
        ("get_item", "load", "fetch", "read", "one", "find_one", "get_one"), "get(Order, id=...)"
    ),
    **dict.fromkeys(("batch_get_item", "get_many", "get_all"), "batch_get([Order.primary.get(id=...)])"),
    **dict.fromkeys(("insert", "add"), "create(order)"),
    **dict.fromkeys(("put_many", "put_all", "save_all", "insert_many", "bulk_put"), "batch_put(orders)"),
    **dict.fromkeys(("delete_many", "delete_all"), "batch_delete(orders)"),
    **dict.fromkeys(("batch", "batch_write", "batch_write_item", "batch_writer", "write"), _BATCH),
    **dict.fromkeys(("transact_write_items", "transact_write", "transact", "commit"), _TRANSACTION),
    "transact_get_items": "transaction(Order.primary.get(id=...), ...)",
    "exists": "get(Order, id=...) is not None",
    "save": "put(order), or create(order) for an item that must not exist",
    "upsert": "put(order), or update(Order.primary.update(...), upsert=True)",
    "remove": "delete(order)",
    "put_item": "put(order)",
    "update_item": "update(Order.primary.update(...).set(...))",
    "delete_item": "delete(Order, id=...)",
    "execute": "run(request)",
}
# Below this likeness, the nearest method is usually one that does something else.
_LIKENESS: Final = 0.7


class UnknownMethod(DesignError, AttributeError):
    """A method that a store does not have."""


def unknown_method(store: object, name: str) -> AttributeError:
    """The error for a name that a store does not have.

    Example:
        >>> from pksk import connect
        >>> print(unknown_method(connect("memory:"), "save"))
        Store has no method 'save'.
        Fix: write db.put(order), or create(order) for an item that must not exist.  (pksk explain store-no-method)
    """
    kind = type(store)
    # Python asks for such names itself, and expects no fix.
    if name.startswith("_"):
        return AttributeError(f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=store)
    near = did_you_mean(name, [each for each in dir(kind) if not each.startswith("_")], likeness=_LIKENESS)
    instead = _INSTEAD.get(name)
    fix = f"write db.{instead}." if instead else f"did you mean {near!r}?" if near else "see help(Store)."
    return UnknownMethod("store-no-method", f"{kind.__name__} has no method {name!r}.", fix=fix)
