"""Finds tables and streams by ARN, for tags and policies."""

from __future__ import annotations

from pksk.client import ServiceError
from pksk.engine.core import Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.texts import resources as texts
from pksk.engine.texts import tables as table_texts

from ..state.arns import is_arn, read_arn
from ..state.table import Table
from ..state.table_record import status_of


def find_resource(core: Core, arn: str) -> tuple[Table, str]:
    """The table of an ARN, and what it names within it: nothing, or `stream/` and a label."""
    if not is_arn(arn):
        raise validation(texts.not_an_arn(arn))
    settings = core.settings
    resource = read_arn(arn)
    if resource is None:
        if arn.split(":")[2:3] == ["dynamodb"]:
            raise validation(texts.NOT_A_TABLE)
        raise service_error("AccessDeniedException", table_texts.access_denied(settings.account, arn))
    if resource.account != settings.account:
        raise service_error("AccessDeniedException", table_texts.access_denied(settings.account, arn))
    if resource.region != settings.region:
        raise validation(table_texts.foreign_arn(arn))
    table = core.catalogue.find(resource.table)
    if table is None or status_of(table.record) == "CREATING":
        raise _resource_not_found(arn)
    labels = {f"stream/{stream['label']}" for stream in table.record.get("streams", ())}
    if resource.within and resource.within not in labels:
        raise _resource_not_found(arn)
    return table, resource.within


def find_table_resource(core: Core, arn: str) -> Table:
    """The table of an ARN that must name a table."""
    table, within = find_resource(core, arn)
    if within:
        raise validation(texts.NOT_A_TABLE)
    return table


def _resource_not_found(arn: str) -> ServiceError:
    return service_error("ResourceNotFoundException", texts.no_resource(arn))
