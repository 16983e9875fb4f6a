"""Names and ARNs of tables, and which of them are this engine's."""

from __future__ import annotations

from typing import Final, NamedTuple

from pksk.engine.request.constraints import is_table_name
from pksk.engine.service_errors import service_error, validation
from pksk.engine.settings import Settings
from pksk.engine.texts import tables as texts

__all__ = [
    "Resource",
    "backup_arn",
    "index_arn",
    "is_arn",
    "read_arn",
    "stream_arn",
    "table_arn",
    "table_name",
]

_PARTS: Final = 6


class Resource(NamedTuple):
    """What an ARN of DynamoDB's names: a table, and within it an index or a stream."""

    region: str
    account: str
    table: str
    within: str = ""


def is_arn(name: str) -> bool:
    """Whether a name is an ARN; no table's own name has a colon."""
    return name.startswith("arn:")


def table_arn(settings: Settings, name: str) -> str:
    """The ARN of a table."""
    return f"arn:aws:dynamodb:{settings.region}:{settings.account}:table/{name}"


def index_arn(arn: str, index: str) -> str:
    """The ARN of an index of the table with this ARN."""
    return f"{arn}/index/{index}"


def stream_arn(arn: str, label: str) -> str:
    """The ARN of a stream of the table with this ARN."""
    return f"{arn}/stream/{label}"


def backup_arn(arn: str, number: str) -> str:
    """The ARN of a backup of the table with this ARN."""
    return f"{arn}/backup/{number}"


def read_arn(arn: str) -> Resource | None:
    """What an ARN names; None for what is not a table of DynamoDB's, nor in one."""
    parts = arn.split(":", _PARTS - 1)
    if len(parts) != _PARTS or parts[0] != "arn" or parts[2] != "dynamodb":
        return None
    kind, _, rest = parts[5].partition("/")
    table, slash, within = rest.partition("/")
    if kind != "table" or not table or (slash and not within):
        return None
    return Resource(parts[3], parts[4], table, within)


def table_name(settings: Settings, given: str) -> str:
    """The name of a table that is named or given by its ARN; refuses an ARN from elsewhere, or of anything else."""
    if not is_arn(given):
        return given
    resource = read_arn(given)
    if resource is None or resource.within or not is_table_name(resource.table):
        raise validation(texts.foreign_arn(given))
    if resource.account != settings.account:
        raise service_error("AccessDeniedException", texts.access_denied(settings.account, given))
    if resource.region != settings.region:
        raise validation(texts.foreign_arn(given))
    return resource.table
