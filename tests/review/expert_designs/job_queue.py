"""A queue of jobs: what is due in shards, one worker for each job, and the jobs of a tenant."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field
from ulid import ULID

from pksk import GSI, Entity, F, Key, Put, Query, Shard, Spread, Table, Update, Version, access, lte

jobs = Table("jobs", indexes=[GSI("due", pk="due_pk", sk="due_sk", projection="keys")])


class Job(Entity, table=jobs, items=5_000_000):
    tenant_id: Annotated[str, Spread(values=5_000, largest=0.05)]
    job_id: ULID = Field(default_factory=ULID)
    run_at: AwareDatetime
    state: Literal["waiting", "running", "done", "failed"] = "waiting"
    version: Annotated[int, Version()] = 0
    payload: bytes = b""

    primary = Key("TENANT#{tenant_id}", "JOB#{job_id}")
    due = Key(
        "DUE#{shard}",
        "{run_at}#{job_id}",
        index="due",
        shard=Shard(10, of="job_id"),
        when=F.state == "waiting",
    )

    @access(rate=1_500, item_size=700)
    @classmethod
    def submit(cls, job: Job) -> Put[Job]:
        """A new job."""
        return Put(job).if_absent()

    @access(rate=20, items=500, item_size=700)
    @classmethod
    def ready(cls, now: AwareDatetime) -> Query[Job]:
        """The jobs that are due, the oldest first."""
        return cls.due(run_at=lte(now)).limit(500).hydrate()

    @access(rate=1_500, item_size=700)
    @classmethod
    def claim(cls, tenant_id: str, job_id: ULID) -> Update[Job]:
        """A worker takes a job, unless another one has it."""
        return (
            cls.primary.update(tenant_id=tenant_id, job_id=job_id)
            .set(state="running")
            .when(F.state == "waiting")
        )

    @access(rate=30, items=50, item_size=700)
    @classmethod
    def recent(cls, tenant_id: str) -> Query[Job]:
        """The last jobs of a tenant."""
        return cls.primary(tenant_id=tenant_id).reverse().limit(50)


FINDINGS: dict[tuple[str, str, str], str] = {}
