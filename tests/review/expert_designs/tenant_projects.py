"""Projects and tasks of many tenants: the tenant is first in every key, except where its id is what is looked up."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID, uuid4

from pydantic import Field, StringConstraints

from pksk import (
    GSI,
    Created,
    Delete,
    Entity,
    Get,
    Key,
    Put,
    Query,
    Reference,
    Spread,
    Table,
    Unique,
    Update,
    Version,
    access,
    lte,
)

app = Table(
    "app",
    indexes=[GSI("gsi1", pk="gsi1pk", sk="gsi1sk"), GSI("members", pk="user_id", sk="pk", projection="keys")],
    conventions=["schema-name-first"],
)

TenantId = Annotated[str, Spread(values=5_000, largest=0.05)]
Name = Annotated[str, StringConstraints(to_lower=True, max_length=64)]


class Tenant(Entity, table=app, items=5_000):
    tenant_id: TenantId
    plan: Literal["free", "team", "company"] = "free"
    subdomain: Annotated[Name, Unique()]
    created: Annotated[datetime | None, Created()] = None

    primary = Key("TENANT#{tenant_id}", "SETTINGS")

    @access(rate=100, item_size=500)
    @classmethod
    def settings(cls, tenant_id: str) -> Get[Tenant]:
        """The settings of a tenant."""
        return cls.primary.get(tenant_id=tenant_id)


class Membership(Entity, table=app, per_partition=2_000):
    """A user in a tenant; a user can be in several."""

    tenant_id: TenantId
    user_id: UUID
    role: Literal["owner", "member", "guest"] = "member"

    primary = Key("MEMBERSHIP#{tenant_id}", "{user_id}")
    of_user = Key("{user_id}", index="members")

    @access(rate=20, items=50, item_size=200)
    @classmethod
    def of_tenant(cls, tenant_id: str) -> Query[Membership]:
        """The members of a tenant."""
        return cls.primary(tenant_id=tenant_id)

    @access(rate=60, items=2, item_size=200)
    @classmethod
    def tenants_of(cls, user_id: UUID) -> Query[Membership]:
        """The tenants of a user."""
        return cls.of_user(user_id=user_id).hydrate()

    @access(rate="200/day", item_size=200)
    @classmethod
    def leave(cls, tenant_id: str, user_id: UUID) -> Delete[Membership]:
        """A user leaves a tenant."""
        return cls.primary.delete(tenant_id=tenant_id, user_id=user_id)


class Task(Entity, table=app, items=20_000_000):
    tenant_id: TenantId
    project: str
    task_id: UUID = Field(default_factory=uuid4)
    title: str
    assignee: Annotated[UUID | None, Reference("User", user_id="assignee")] = None
    due: date | None = None
    version: Annotated[int, Version()] = 0

    primary = Key("TASK#{tenant_id}#{project}", "{task_id}")
    assigned = Key("{tenant_id}#{assignee}", "{due}#{task_id}", index="gsi1")

    @access(rate=150, items=60, item_size=700)
    @classmethod
    def of_project(cls, tenant_id: str, project: str) -> Query[Task]:
        """The tasks of a project; the board sorts them."""
        return cls.primary(tenant_id=tenant_id, project=project)

    @access(rate=90, items=15, item_size=700)
    @classmethod
    def due_until(cls, tenant_id: str, assignee: UUID, day: date) -> Query[Task]:
        """What a person has to do until a day, the most urgent first."""
        return cls.assigned(tenant_id=tenant_id, assignee=assignee, due=lte(day))

    @access(rate=40, item_size=700)
    @classmethod
    def save(cls, task: Task) -> Put[Task]:
        """Save a task."""
        return Put(task)

    @access(rate=25, item_size=700)
    @classmethod
    def assign(cls, tenant_id: str, project: str, task_id: UUID, to: UUID) -> Update[Task]:
        """Give a task to somebody."""
        key = {"tenant_id": tenant_id, "project": project, "task_id": task_id}
        return cls.primary.update(**key).set(assignee=to)


class User(Entity, table=app, items=80_000):
    user_id: UUID
    display_name: str

    primary = Key("USER#{user_id}", "PROFILE")

    @access(rate=300, item_size=300)
    @classmethod
    def one(cls, user_id: UUID) -> Get[User]:
        """A user."""
        return cls.primary.get(user_id=user_id)


class ApiKey(Entity, table=app, items=12_000):
    """An API key by its hash; the tenant is what the lookup finds out."""

    digest: Annotated[str, StringConstraints(min_length=64, max_length=64, pattern="^[0-9a-f]+$")]
    tenant_id: TenantId

    primary = Key("APIKEY#{digest}", "KEY")

    @access(rate=2_000, item_size=200, spread=Spread(values=12_000, largest=0.08))
    @classmethod
    def one(cls, digest: str) -> Get[ApiKey]:
        """The tenant of a key; servers keep it for some seconds."""
        return cls.primary.get(digest=digest)


FINDINGS: dict[tuple[str, str, str], str] = {
    ("info", "index-without-key", "User"): "The index members has user_id and pk, and so does every User.",
}
