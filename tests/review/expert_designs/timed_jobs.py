"""A scheduler: jobs due by the minute over shards, leases, runs kept for a month."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field
from ulid import ULID

from pksk import GSI, TTL, Delete, Entity, F, Key, Put, Query, Shard, Spread, Table, Update, access

scheduler = Table("scheduler", indexes=[GSI("due", pk="due_pk", sk="due_sk")], ttl="expires")

Tenant = Annotated[str, Spread(values=900, largest=0.15)]


class Job(Entity, table=scheduler, items=5_000_000):
    tenant: Tenant
    job_id: ULID = Field(default_factory=ULID)
    due_at: AwareDatetime | None
    state: Literal["waiting", "running", "done", "failed"] = "waiting"
    payload: str

    primary = Key("TENANT#{tenant}#JOB#{job_id}", "JOB")
    due = Key(
        "DUE#{due_at:%Y-%m-%dT%H:%M}#{shard}",
        "{due_at}#{job_id}",
        index="due",
        shard=Shard(16, of="job_id"),
        when=F.state == "waiting",
    )

    @access(rate=2_000, item_size=700)
    @classmethod
    def enqueue(cls, job: Job) -> Put[Job]:
        """A job for some time from now."""
        return Put(job).if_absent()

    @access(rate=20, items=1_500, item_size=700)
    @classmethod
    def due_in(cls, minute: AwareDatetime) -> Query[Job]:
        """All that are due in a minute."""
        return cls.due(due_at=minute)

    @access(rate=2_000, item_size=700)
    @classmethod
    def begin(cls, tenant: str, job_id: ULID) -> Update[Job]:
        """A worker takes the job."""
        return (
            cls.primary.update(tenant=tenant, job_id=job_id).set(state="running").when(F.state == "waiting")
        )

    @access(rate=2_000, item_size=700)
    @classmethod
    def finish(cls, tenant: str, job_id: ULID) -> Delete[Job]:
        """Removed when done."""
        return cls.primary.delete(tenant=tenant, job_id=job_id)


class Run(Entity, table=scheduler, growth="200_000 a day for a tenant"):
    tenant: Tenant
    job_id: ULID
    attempt: int
    outcome: Literal["ok", "error"]
    log: str
    expires: Annotated[AwareDatetime, TTL()]

    primary = Key("TENANT#{tenant}#RUNS#{job_id}", "{attempt:03d}")

    @access(rate=2_000, item_size=1_800)
    @classmethod
    def record(cls, run: Run) -> Put[Run]:
        """How it went."""
        return Put(run)

    @access(rate=30, items=3, item_size=1_800)
    @classmethod
    def runs_of(cls, tenant: str, job_id: ULID) -> Query[Run]:
        """The attempts of a job."""
        return cls.primary(tenant=tenant, job_id=job_id).reverse()


FINDINGS: dict[tuple[str, str, str], str] = {
    ("info", "new-table-limit", "scheduler"): "10,000 write units a second are more than a new table serves.",
    (
        "info",
        "new-table-limit",
        "scheduler/due",
    ): "6,000 write units a second are more than a new index serves.",
}
