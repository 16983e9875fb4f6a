"""Projects and tasks, in one table."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from ulid import ULID

from pksk import GSI, Created, Entity, Key, Query, Reference, Table, Updated, Version, access

__all__ = ["Project", "State", "Task", "tasks"]

State = Literal["open", "done"]

tasks = Table("tasks", indexes=[GSI("by-state", pk="g1", sk="g2")])


class Project(Entity, table=tasks):
    """What tasks belong to."""

    slug: str
    name: str

    primary = Key("PROJECT#{slug}", "META")


class Task(Entity, table=tasks):
    """Something to be done; a ULID sorts by the time at which it was made."""

    project: Annotated[str, Reference(Project)]
    id: ULID = Field(default_factory=ULID)
    title: str
    state: State = "open"
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None

    primary = Key("PROJECT#{project}", "TASK#{id}")
    by_state = Key("PROJECT#{project}#{state}", "{id}", index="by-state")

    @access(rate=50, items=20)
    @classmethod
    def in_state(cls, project: str, state: State) -> Query[Task]:
        """The tasks of a project that are open, or done, the latest first."""
        return cls.by_state(project=project, state=state).reverse()
