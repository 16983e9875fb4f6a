"""Designs for the rule about queries that filter for one tenant."""

_TASKS = """
    app = Table("app", indexes=[GSI("by-status", pk="g1", sk="g2")])

    class Task(Entity, table=app, items=1_000_000):
        {tenant}: str
        task_id: str
        status: str
        primary = Key("{{{tenant}}}#{{task_id}}", "META")
        by_status = Key("{key}", "{{task_id}}", index="by-status")

        @access(rate=10, items=100, item_size=400)
        @classmethod
        def of_status(cls, tenant: str, status: str) -> Query["Task"]:
            return cls.by_status({values})
    """
_FILTERED = "status=status).filter(F.{} == tenant"

FOUND = {
    "of a status": (
        "warning",
        _TASKS.format(tenant="tenant_id", key="{status}", values=_FILTERED.format("tenant_id")),
    ),
    "by where(), as no key has both": (
        "warning",
        _TASKS.format(tenant="tenant_id", key="{status}", values="tenant_id=tenant, status=status").replace(
            "cls.by_status(", "cls.where("
        ),
    ),
    "of an organisation": (
        "warning",
        _TASKS.format(tenant="org_id", key="{status}", values=_FILTERED.format("org_id")),
    ),
}

SILENT = {
    "the tenant in the partition key": _TASKS.format(
        tenant="tenant_id", key="{tenant_id}#{status}", values="tenant_id=tenant, status=status"
    ),
    "a lookup of one item that checks its tenant": _TASKS.format(
        tenant="tenant_id", key="{status}", values=_FILTERED.format("tenant_id")
    ).replace("items=100", "items=1"),
    "a filter on another field": _TASKS.format(
        tenant="owner", key="{status}", values=_FILTERED.format("owner")
    ),
    "items of a user, who may be in several": _TASKS.format(
        tenant="tenant_id", key="{owner}", values="owner=status).filter(F.tenant_id == tenant"
    ).replace("status: str\n", "owner: str\n"),
    "items of all tenants but one": _TASKS.format(
        tenant="tenant_id", key="{status}", values="status=status).filter(F.tenant_id != tenant"
    ),
}

FIXED = {"of a status": SILENT["the tenant in the partition key"]}
