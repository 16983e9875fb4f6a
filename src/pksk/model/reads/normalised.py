"""Values of a question as the model would hold them, where the model changes what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pksk.keys import Operator
from pksk.model.storing.forms.core_schema import calls_user_code, skin

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.declaring.attributes import Field

__all__ = ["normalised"]

_CHANGES = ("strip_whitespace", "to_lower", "to_upper")


def normalised(declaration: Declaration[Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question with its plain values as the validators of their fields give them back.

    A validator that folds case stores folded keys: what asks for them must fold as well; and the time at which an item
    ends is stored in whole seconds. Other fields are left as they are.
    """
    changing = declaration.remembered.get("changing")
    if changing is None:
        changing = declaration.remembered["changing"] = {
            name
            for name, each in declaration.fields.items()
            if _changes(declaration, each) or name in declaration.ending_sources
        }
    if changing.isdisjoint(given):
        return given
    from pksk.model.writes.facts import write_facts

    values = write_facts(declaration).values

    def changed(name: str, value: Any) -> Any:
        if name not in changing or value is None:
            return value
        if not isinstance(value, Operator):
            return values.validated(name, value)
        # The beginning of a text is no value that a validator would take.
        if value.name == "begins":
            return value
        return Operator(value.name, tuple(values.validated(name, operand) for operand in value.operands))

    return {name: changed(name, value) for name, value in given.items()}


def _changes(declaration: Declaration[Any], each: Field) -> bool:
    if each.schema is None or each.computed:
        return False
    node, known = each.schema
    config = declaration.entity.model_config
    trims = any(config.get(f"str_{change}") for change in _CHANGES)
    return calls_user_code(node) or any(
        (trims and part["type"] == "str") or any(part.get(change) for change in _CHANGES)
        for part in skin(node, known)
    )
