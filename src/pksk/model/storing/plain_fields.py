"""Fields of which a wire value tells all that Pydantic would check, and entities that have no others.

Such an entity is made without Pydantic: there is nothing left to validate once each value has its type.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from pksk.model.declaring.attributes import Field
    from pksk.model.storing.forms.core_schema import Node
    from pksk.model.storing.items import Items

__all__ = ["HARMLESS", "SILENT", "is_plain_entity", "plain_type"]

# What Pydantic's node of a type may say beside its name without asking anything of values.
SILENT = frozenset(("type", "metadata", "ref", "serialization"))
_TYPES: dict[str, type] = {"str": str, "int": int, "bool": bool, "decimal": Decimal, "date": date}
# Defaults that nobody can change, so that all entities may share one.
_SHAREABLE = (str, int, bool, Decimal, date, type(None))
# What the configuration of a model may say without touching values of these types.
HARMLESS = frozenset(("title", "extra_fields_behavior", "frozen", "from_attributes", "populate_by_name"))


def plain_type(each: Field) -> type | None:
    """The type that all values of a field have, where nothing else is asked of them; None of any other field.

    Example:
        >>> from pydantic import BaseModel, Field as PydanticField
        >>> from pksk.model.declaring.attributes import fields_of
        >>> class Order(BaseModel):
        ...     id: str
        ...     total: int = PydanticField(ge=0)
        >>> [plain_type(each) for each in fields_of(Order).values()]
        [<class 'str'>, None]
    """
    if each.schema is None or each.computed or each.has_factory:
        return None
    if not each.required and type(each.default) not in _SHAREABLE:
        return None
    node: Node = each.schema[0]
    if node["type"] == "default":
        if node.get("validate_default") or node.keys() - SILENT - {"schema", "default"}:
            return None
        node = node["schema"]
    if node["type"] == "nullable":
        if node.keys() - SILENT - {"schema"}:
            return None
        node = node["schema"]
    return _TYPES.get(node["type"]) if not node.keys() - SILENT else None


def is_plain_entity(items: Items) -> bool:
    """Whether nothing but the types of its fields decides what an entity is, so that Pydantic need not make it."""
    entity: Any = items.entity
    schema = entity.__pydantic_core_schema__
    inner = schema.get("schema", {})
    return (
        schema["type"] == "model"
        and inner.get("type") == "model-fields"
        and not schema.keys() - SILENT - {"cls", "schema", "config", "custom_init", "root_model"}
        and not (schema.get("custom_init") or schema.get("root_model"))
        and not inner.keys() - SILENT - {"fields", "model_name", "computed_fields"}
        and not schema.get("config", {}).keys() - HARMLESS
        and not entity.__private_attributes__
        and entity.model_post_init is BaseModel.model_post_init
        and "__init__" not in _own_names(entity)
        and "__new__" not in _own_names(entity)
        and all(plain_type(each) is not None for each in items.fields.values())
    )


def _own_names(entity: type[BaseModel]) -> set[str]:
    """The names that classes between an entity and Pydantic's own define."""
    classes = entity.__mro__[: entity.__mro__.index(BaseModel)]
    return {name for each in classes if each.__module__ != "pksk.model.entity" for name in vars(each)}
