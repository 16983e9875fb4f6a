"""Which changes of a stream are wanted: those of whole tables, or of some entities."""

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

__all__ = ["ChangeFilter", "change_filter"]


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """The tables by name, and the entities of those of which only some are wanted."""

    tables: dict[str, Table]
    whole: frozenset[str]
    entities: tuple[Declaration[Any], ...]

    def wants(self, declaration: Declaration[Any]) -> bool:
        """Whether changes of this entity are asked for."""
        return declaration.table.name in self.whole or any(map(declaration.is_subclass_of, self.entities))

    def table_of(self, record: StreamRecord) -> Table:
        """The table of a record: the one that it names, or the only one there is."""
        if record.table is not None:
            found = self.tables.get(record.table)
        else:
            found = next(iter(self.tables.values())) if len(self.tables) == 1 else None
        if found is None:
            self._refuse(record)
        if record.key.keys() != set(found.key_attributes):
            raise InvalidValue(
                "change-table",
                f"{found}: its key is {_names(found.key_attributes)}, and the record has {key_text(record.key)}.",
                expected="A record has exactly the key attributes of its table.",
                fix="give the table that the stream is of, declared with the key that it has.",
            )
        return found

    def _refuse(self, record: StreamRecord) -> NoReturn:
        given = _names(self.tables)
        if record.table is None:
            raise InvalidValue(
                "change-table",
                f"The record does not say of which table it is, and {given} were given.",
                expected="What GetRecords answers has no eventSourceARN, as the event of an AWS Lambda has.",
                fix="give the one table that the stream is of.",
            )
        near = did_you_mean(record.table, self.tables)
        raise InvalidValue(
            "change-table",
            f"The record is of table {quote(record.table)}, and {given} was given.",
            fix=f"did you mean {near!r}?" if near else "give that table too, or read another stream.",
        )


def change_filter(about: Sequence[Any]) -> ChangeFilter:
    """What tables and entities ask for; entities that wait for a name defined after them are completed.

    Example:
        >>> from pksk import Table
        >>> sorted(change_filter([Table("orders"), Table("customers")]).tables)
        ['customers', 'orders']
    """
    if not about:
        _reject("Changes of nothing are asked for.")
    tables: dict[str, Table] = {}
    whole: set[str] = set()
    entities: list[Declaration[Any]] = []
    for each in about:
        if isinstance(each, Table):
            table = each
            whole.add(table.name)
        elif isinstance(each, type) and issubclass(each, Entity):
            entities.append(complete_entity(each).__pksk__)
            table = entities[-1].table
        else:
            _reject(f"Changes of {quote(each)} are asked for, of type {type(each).__name__}.")
        if tables.setdefault(table.name, table) is not table:
            _reject(f"Two different tables with the name {table.name!r} are given.")
    _complete_entities(tables.values())
    return ChangeFilter(tables, frozenset(whole), tuple(entities))


def _complete_entities(tables: Any) -> None:
    """Complete what waits; an entity that is not known yet would be taken for a foreign item."""
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
        expected="Changes are of tables, or of entities: changes_of(event, shop) or changes_of(event, Order).",
        fix="give the tables whose streams are read, each once.",
    )
