"""Entities: Pydantic models whose items stand in a table, with keys beside the fields."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from pksk.model.declare import declare
from pksk.model.key import Key

if TYPE_CHECKING:
    # What the metaclass of models is called is Pydantic's own affair; type checkers need a name.
    from pydantic._internal._model_construction import ModelMetaclass as _ModelMeta

    from pksk.model.declaration import Declaration
    from pksk.schema import Table
else:
    _ModelMeta = type(BaseModel)

__all__ = ["Entity"]


class EntityMeta(_ModelMeta):
    """Makes entity classes: a field may have any name, also one that a method of models has."""

    @classmethod
    def __prepare__(cls, *arguments: Any, **options: Any) -> dict[str, object]:
        """Silence Pydantic's warning about fields such as `json`, `schema` and `copy`, for this class.

        Not in __new__: Pydantic finds the names of local types by counting frames from there.
        """
        name, bases = arguments
        for base in bases:
            shadow = (
                f'Field name ".*" in "{re.escape(name)}" shadows an attribute in parent "{base.__name__}"'
            )
            warnings.filterwarnings("ignore", message=shadow)
        return super().__prepare__(*arguments, **options)


class Entity(BaseModel, metaclass=EntityMeta):
    """A model whose items stand in a table.

    `table` registers the entity there; a class without it is a base for others. `items`, `per_partition` and
    `growth` say how many there will be, and are for the review and the cost.

    Example:
        >>> from pksk import Key, Table
        >>> orders = Table("orders")
        >>> class Order(Entity, table=orders):
        ...     id: str
        ...     total: int
        ...     primary = Key("ORDER#{id}", "META")
        >>> item = Order(id="7", total=5).__pksk__.to_item(Order(id="7", total=5))
        >>> item["pk"], item["total"]
        ({'S': 'ORDER#7'}, {'N': '5'})
    """

    model_config = ConfigDict(ignored_types=(Key,))

    __pksk__: ClassVar[Declaration[Any]]
    __pksk_options__: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(
        cls,
        table: Table | None = None,
        items: int | None = None,
        per_partition: int | None = None,
        growth: Any = None,
        **options: Any,
    ) -> None:
        """Keep the options of the class until its fields are known."""
        super().__init_subclass__(**options)
        cls.__pksk_options__ = {
            "table": table,
            "items": items,
            "per_partition": per_partition,
            "growth": growth,
        }

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """Take the options that __init_subclass__ has kept already."""

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Check and compile the keys, now that every annotation is known."""
        table = cls.__dict__.get("__pksk_options__", {}).get("table")
        if table is not None:
            cls.__pksk__ = declare(cls, **cls.__pksk_options__)
            table.register_entity(cls.__pksk__)
