"""Finds entities that can be created without Pydantic, because it would check only the types of stored values."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from pksk.model.storing.attributes import Field

if TYPE_CHECKING:
    from pksk.model.storing.items import Items

# Keys of a type's schema node, and of a model's configuration, that do not change what values are accepted.
NEUTRAL_NODE_KEYS: Final = frozenset(("type", "metadata", "ref", "serialization"))
NEUTRAL_CONFIG_KEYS: Final = frozenset(
    ("title", "extra_fields_behavior", "frozen", "from_attributes", "populate_by_name")
)
_PLAIN_TYPES: Final = frozenset(("str", "int", "bool", "decimal", "date"))
# Immutable defaults, which all entities can share.
_SHAREABLE: Final = (str, int, bool, Decimal, date, type(None))


def plain_type(field: Field) -> str | None:
    """The name of a field's type in Pydantic's schema, if nothing else is checked; None for any other field.

    Example:
        >>> from pydantic import BaseModel, Field as PydanticField
        >>> from pksk.model.storing.attributes import fields_of
        >>> class Order(BaseModel):
        ...     id: str
        ...     total: int = PydanticField(ge=0)
        >>> [plain_type(each) for each in fields_of(Order).values()]
        ['str', None]
    """
    if field.schema is None or field.has_factory or field.stored_form is not None:
        return None
    if not field.required and type(field.default) not in _SHAREABLE:
        return None
    node = field.schema[0]
    for wrapper, own_keys in (("default", {"schema", "default"}), ("nullable", {"schema"})):
        if node["type"] == wrapper and not node.keys() - NEUTRAL_NODE_KEYS - own_keys:
            node = node["schema"]
    kind: str = node["type"]
    return kind if kind in _PLAIN_TYPES and not node.keys() - NEUTRAL_NODE_KEYS else None


def is_plain_entity(items: Items) -> bool:
    """Whether only the types of its fields decide what is a valid entity, and creating one runs no code of the user."""
    entity = items.entity
    schema: Any = entity.__pydantic_core_schema__
    inner = schema.get("schema", {})
    return (
        schema["type"] == "model"
        and inner.get("type") == "model-fields"
        and not schema.keys() - NEUTRAL_NODE_KEYS - {"cls", "schema", "config", "custom_init", "root_model"}
        and not (schema.get("custom_init") or schema.get("root_model"))
        and not inner.keys() - NEUTRAL_NODE_KEYS - {"fields", "model_name", "computed_fields"}
        and not schema.get("config", {}).keys() - NEUTRAL_CONFIG_KEYS
        and not entity.__private_attributes__
        and entity.model_post_init is BaseModel.model_post_init
        and not _own_names(entity) & {"__init__", "__new__"}
        and all(plain_type(each) is not None for each in items.fields.values())
    )


def _own_names(entity: type[BaseModel]) -> set[str]:
    """The names that classes between an entity and Pydantic's own define."""
    classes = entity.__mro__[: entity.__mro__.index(BaseModel)]
    return {name for each in classes if each.__module__ != "pksk.model.entity" for name in vars(each)}
