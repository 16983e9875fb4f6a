"""Projects and tasks in one table, and the bodies of requests and responses about them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from ulid import ULID

from pksk import GSI, Created, Entity, Key, Query, Reference, Table, Updated, Version, access

State = Literal["open", "done"]

tasks = Table("tasks", indexes=[GSI("by-state", pk="g1", sk="g2")])


class Project(Entity, table=tasks):
    slug: str
    name: str

    primary = Key("PROJECT#{slug}", "META")


class Task(Entity, table=tasks):
    """A task of an existing project; its ULID sorts by the time of creation."""

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
        """The tasks of a project in a state, newest first."""
        return cls.by_state(project=project, state=state).reverse()


class NewTask(BaseModel):
    title: str


class Changes(BaseModel):
    """What to change of a task; fields that are left out stay as they are."""

    title: str | None = None
    state: State | None = None


class TaskPage(BaseModel):
    """A page of tasks, and the cursor of the next one."""

    tasks: list[Task]
    next: str | None
