"""AttributeUpdates: legacy actions on whole attributes.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LegacyConditionalParameters.AttributeUpdates.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.expressions.expressions import AttributeUpdates
from pksk.engine.faults import refused
from pksk.engine.texts import parameters as texts
from pksk.engine.values import check_value
from pksk.expressions import Action, Add, Delete, Path, Remove, Set, Value

__all__ = ["attribute_updates"]

_SETS: Final = frozenset({"SS", "NS", "BS"})
# Lists, too: that they are appended to is not documented.
_ADDABLE: Final = _SETS | {"N", "L"}


def attribute_updates(updates: Mapping[str, Mapping[str, Any]]) -> AttributeUpdates | None:
    """The update that a request's AttributeUpdates are; None where there are none."""
    actions = tuple([_action(name, entry) for name, entry in updates.items()])
    return AttributeUpdates(actions) if actions else None


def _action(name: str, entry: Mapping[str, Any]) -> Action:
    path = Path((name,))
    action = entry.get("Action", "PUT")
    wire = entry.get("Value")
    if wire is None:
        if action != "DELETE":
            raise refused(texts.NO_UPDATE_VALUE)
        return Remove(path)
    value = Value(check_value(wire))
    if action == "PUT":
        return Set(path, value)
    if action == "DELETE":
        if value.kind not in _SETS:
            raise refused(texts.delete_type(value.kind))
        return Delete(path, value)
    if value.kind not in _ADDABLE:
        raise refused(texts.add_type(value.kind))
    return Add(path, value)
