"""Filters the changes of a stream by tables and entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.model.changes.record import StreamRecord
from pksk.model.entity import Entity
from pksk.model.forward_references import complete_entity
from pksk.model.unreadable_item import key_text
from pksk.schema import Table

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """The tables by name, the tables whose changes are all included, and the entities of the others."""

    tables: dict[str, Table]
    whole_tables: frozenset[str]
    entities: tuple[Declaration[Any], ...]

    def wants(self, declaration: Declaration[Any]) -> bool:
        """Whether changes of this entity are included."""
        return declaration.table.name in self.whole_tables or any(
            map(declaration.is_subclass_of, self.entities)
        )

    def table_of(self, record: StreamRecord) -> Table:
        """The table of a record: the one that it names, or else the only one."""
        if record.table is not None:
            found = self.tables.get(record.table)
        else:
            found = next(iter(self.tables.values())) if len(self.tables) == 1 else None
        if found is None:
            self._reject_table(record)
        if record.key.keys() != set(found.key_attributes):
            raise InvalidValue(
                "change-table",
                f"{found}: its key is {_names(found.key_attributes)}, and the record has {key_text(record.key)}.",
                expected="A record has exactly the key attributes of its table.",
                fix="pass the table of the stream, declared with its real key.",
            )
        return found

    def _reject_table(self, record: StreamRecord) -> NoReturn:
        names = _names(self.tables)
        if record.table is None:
            raise InvalidValue(
                "change-table",
                f"The record does not name its table, and there are several: {names}.",
                expected="Records of GetRecords have no eventSourceARN; those of AWS Lambda do.",
                fix="pass only the table of the stream.",
            )
        near = did_you_mean(record.table, self.tables)
        raise InvalidValue(
            "change-table",
            f"The record belongs to table {quote(record.table)}, which was not passed.",
            expected=f"Tables are: {names}.",
            fix=f"did you mean {near!r}?" if near else "pass that table too, or read another stream.",
        )


def change_filter(about: Sequence[Any]) -> ChangeFilter:
    """The filter for tables and entities; completes entities with forward references.

    Example:
        >>> from pksk import Table
        >>> sorted(change_filter([Table("orders"), Table("customers")]).tables)
        ['customers', 'orders']
    """
    if not about:
        _reject("No table or entity is named.")
    tables: dict[str, Table] = {}
    whole_tables: set[str] = set()
    entities: list[Declaration[Any]] = []
    for each in about:
        if isinstance(each, Table):
            table = each
            whole_tables.add(table.name)
        elif isinstance(each, type) and issubclass(each, Entity):
            entities.append(complete_entity(each).__pksk__)
            table = entities[-1].table
        else:
            _reject(f"{quote(each)} of type {type(each).__name__} is not a table or an entity.")
        if tables.setdefault(table.name, table) is not table:
            _reject(f"Two different tables have the name {table.name!r}.")
    _complete_entities(tables.values())
    return ChangeFilter(tables, frozenset(whole_tables), tuple(entities))


def _complete_entities(tables: Any) -> None:
    """Complete entities with forward references; otherwise their items would count as foreign items."""
    wanted = {id(table) for table in tables}
    for entity in _subclasses(Entity):
        table = (vars(entity).get("__pksk_options__") or {}).get("table")
        if id(table) in wanted and not entity.__pydantic_complete__:
            complete_entity(entity)


def _subclasses(kind: type[Entity]) -> Iterator[type[Entity]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


def _names(names: Any) -> str:
    return ", ".join(map(repr, names))


def _reject(problem: str) -> NoReturn:
    raise InvalidValue(
        "change-table",
        problem,
        expected="Pass tables or entities: changes_of(event, shop) or changes_of(event, Order).",
        fix="pass each table whose stream you read once.",
    )
