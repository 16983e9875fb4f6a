"""ExecuteStatement: runs one PartiQL statement."""

from __future__ import annotations

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.partiql.parse import check_parameters, parse
from pksk.engine.partiql.select import run_select
from pksk.engine.partiql.tree import ExistsStatement
from pksk.engine.partiql.write import run_write
from pksk.engine.service_errors import validation


def execute_statement(core: Core, request: Request) -> Answer:
    """Answer an ExecuteStatement request."""
    parameters = check_parameters(request.get("Parameters", ()))
    parsed = parse(request["Statement"])
    values = parsed.values(parameters)
    if parsed.is_read:
        return run_select(core, request, parsed, values)
    if isinstance(parsed.statement, ExistsStatement):
        raise validation(texts.EXISTS_ALONE)
    item, answer = run_write(core, request, parsed, values)
    answer["Items"] = [] if item is None else [item]
    return answer
