"""Mechanical fixes that rules share: each finds the declaration in its source, and returns a change or None."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import chain

from pksk.keys import Operator, Template
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.patterns.pattern import Pattern
from pksk.model.requests.query import Query
from pksk.review.change import (
    Change,
    Edit,
    change,
    qualified,
    replaced,
    replaced_text,
    source_of,
    with_keyword,
    without_argument,
    without_lines,
)
from pksk.review.rule import Design
from pksk.review.source_lines import SourceLines, key_subject, pattern_subject, syntax_nodes, table_subject
from pksk.schema import Table


def shard_key(declaration: Declaration, key: EntityKey, count: int, of: str) -> Change | None:
    """Spread a key over write shards by a field, or change how many it has."""
    lines = key_subject(declaration, key).lines
    call = _call(lines, "Key")
    shard = call and lines and qualified(lines.file, call, "Shard")
    # Without a field, shards are random, and items of a table could not be read by their keys.
    if not (lines and call and shard and (of or key.shard)) or not 2 <= count <= 1000:
        return None
    name, imports = shard
    text = f'{name}({count}, of="{of}")' if of else f"{name}({count})"
    template = None if key.shard else _appended(declaration, key, "{shard}")
    if key.shard is None and template is None:
        return None
    return change(*imports, *([template] if template else []), with_keyword(lines.file, call, "shard", text))


def add_to_partition_key(declaration: Declaration, key: EntityKey, field: str) -> Change | None:
    """Put a field at the end of a partition key; if the sort key begins with it, from there."""
    if not field:
        return None
    moved = _without_leading(declaration, key, f"{{{field}}}")
    return change(_appended(declaration, key, f"{{{field}}}"), *([moved] if moved else []))


def replace_in_key(declaration: Declaration, key: EntityKey, old: str, new: str) -> Change | None:
    """Write another text in the declaration of a key, such as `{number:06d}` for `{number}`."""
    lines = key_subject(declaration, key).lines
    call = _call(lines, "Key")
    if lines is None or call is None or holds_fields(declaration, key.parts):
        return None
    return change(replaced_text(lines.file, call, old, new))


def set_key_condition(declaration: Declaration, key: EntityKey, condition: str) -> Change | None:
    """Give the key of an index a condition, written with F."""
    lines = key_subject(declaration, key).lines
    call = _call(lines, "Key")
    known = call and lines and qualified(lines.file, call, "F")
    if not (lines and call and known) or holds_fields(declaration, key.parts):
        return None
    name, imports = known
    return change(*imports, with_keyword(lines.file, call, "when", condition.replace("F.", f"{name}.", 1)))


def drop_key(declaration: Declaration, key: EntityKey) -> Change | None:
    """Remove the key of an index from its entity."""
    lines = key_subject(declaration, key).lines
    statement = _statement(lines)
    return change(without_lines(lines.file, statement)) if lines and statement else None


def replace_in_table(table: Table, index: str | None, old: str, new: str) -> Change | None:
    """Write another text in the declaration of a table or of an index."""
    lines, call = _table_call(table, index)
    return change(replaced_text(lines.file, call, old, new)) if lines and call else None


def drop_index(design: Design, table: Table, index: str) -> Change | None:
    """Remove an index that no access pattern reads, with the keys of all entities in it."""
    if any(use.problem for use in design.uses):
        return None
    if any((table.name, index, "read") in use.estimate.touched for use in design.uses):
        return None
    lines, call = _table_call(table, index)
    owner = _call(table_subject(table).lines, "Table")
    if lines is None or call is None or owner is None:
        return None
    return change(_without_index(lines.file, owner, call), *_without_keys(table, index))


def return_member(pattern: Pattern, kind: str) -> Change | None:
    """Return the only member of a transaction in its place."""
    lines = pattern_subject(pattern).lines
    function = _function(lines)
    if lines is None or function is None or function.returns is None:
        return None
    calls = [each for each in _calls_in(function, "transaction") if len(each.args) == 1 and not each.keywords]
    returned = qualified(lines.file, calls[0], kind) if len(calls) == 1 else None
    if returned is None or isinstance(calls[0].args[0], ast.Starred):
        return None
    name, imports = returned
    annotation = replaced_text(lines.file, function.returns, "Transaction", name.rpartition(".")[2])
    return change(
        *imports, annotation, replaced(lines.file, calls[0], source_of(lines.file, calls[0].args[0]))
    )


def queries_without(design: Design, key: EntityKey, field: str) -> bool:
    """Whether an access pattern may query a key without a value for a field."""
    for use in design.uses:
        if use.problem:
            return True
        for request in use.requests:
            queries = request.key_queries if isinstance(request, Query) else ()
            own = [
                each
                for each in queries
                if each.key in (None, key.name) and key in each.declaration.keys.values()
            ]
            if any(isinstance(each.values.get(field), Operator | None) for each in own):
                return True
    return False


def holds_fields(declaration: Declaration, parts: Iterable[KeyPart]) -> bool:
    """Whether a key attribute is the attribute of a field too, so that it can hold nothing but its value."""
    attributes = {each.attribute for each in declaration.fields.values()}
    return any(part.attribute in attributes for part in parts)


def own_attribute(declaration: Declaration, key: EntityKey) -> str:
    """What has to be done before a key can hold more than the value of a field; empty if nothing."""
    what = "index" if key.index else "table"
    return f"give the {what} key attributes of its own; then " if holds_fields(declaration, key.parts) else ""


def _call(lines: SourceLines | None, name: str) -> ast.Call | None:
    """The only call of this name in the lines of a declaration."""
    if lines is None:
        return None
    call_nodes = syntax_nodes(lines.file).get(ast.Call, ())
    calls = [
        each for each in call_nodes if lines.first <= each.lineno <= lines.last and _called(each) == name
    ]
    return calls[0] if len(calls) == 1 else None


def _calls_in(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == name:
            yield node


def _called(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _appended(declaration: Declaration, key: EntityKey, placeholder: str) -> Edit | None:
    """The edit that puts a placeholder at the end of a partition key of one template."""
    lines = key_subject(declaration, key).lines
    call, writer = _call(lines, "Key"), key.partition[0].writer if len(key.partition) == 1 else None
    node = _template_text(call, 0, "pk")
    if lines is None or node is None or not isinstance(writer, Template):
        return None
    if holds_fields(declaration, key.partition) or _is_repeated(declaration, key):
        return None
    source = source_of(lines.file, node)
    quotes = '"""' if source.endswith('"""') else source[-1]
    return replaced(
        lines.file, node, f"{source.removesuffix(quotes)}{writer.delimiter.text}{placeholder}{quotes}"
    )


def _is_repeated(declaration: Declaration, key: EntityKey) -> bool:
    """Whether the key of a local index repeats the partition key of the table, and would have to change with it."""
    local = (each for each in declaration.keys.values() if declaration.table.index(each.index).kind == "lsi")
    return key.index is None and any(each.source.pk for each in local)


def _without_leading(declaration: Declaration, key: EntityKey, placeholder: str) -> Edit | None:
    """The edit that removes the first placeholder of a sort key of several."""
    lines = key_subject(declaration, key).lines
    call, writer = _call(lines, "Key"), key.sort[0].writer if len(key.sort) == 1 else None
    node = _template_text(call, 1, "sk")
    if lines is None or node is None or not isinstance(writer, Template):
        return None
    if holds_fields(declaration, key.sort):
        return None
    start, source = f"{placeholder}{writer.delimiter.text}", source_of(lines.file, node)
    is_first = str(node.value).startswith(start) and source.count(start) == 1 and len(writer.parts) > 1
    return replaced(lines.file, node, source.replace(start, "", 1)) if is_first else None


def _template_text(call: ast.Call | None, position: int, name: str) -> ast.Constant | None:
    """The text of a template in the call of a Key, if it is one text."""
    if call is None:
        return None
    named = (each.value for each in call.keywords if each.arg == name)
    node = call.args[position] if len(call.args) > position else next(named, None)
    return node if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _table_call(table: Table, index: str | None) -> tuple[SourceLines | None, ast.Call | None]:
    """The call that declares a table, or that of an index in it."""
    lines = table_subject(table).lines
    call = _call(lines, "Table")
    if lines is None or call is None or index is None:
        return lines, call
    for name in ("GSI", "LSI", "VectorIndex"):
        for each in _calls_in(call, name):
            first = each.args[0] if each.args else None
            if isinstance(first, ast.Constant) and first.value == index:
                return lines, each
    return lines, None


def _without_index(file: str, table: ast.Call, index: ast.Call) -> Edit | None:
    """The edit that removes an index from the list of its table, and an empty list with its option."""
    option = next((each for each in table.keywords if each.arg == "indexes"), None)
    if option is None or not isinstance(option.value, ast.List | ast.Tuple) or index not in option.value.elts:
        return None
    if len(option.value.elts) == 1:
        return without_argument(file, [*table.args, *table.keywords], option)
    return without_argument(file, option.value.elts, index)


def _without_keys(table: Table, index: str) -> Iterator[Edit | None]:
    """The edits that remove the keys of an index from all entities."""
    for declaration in table.entities:
        for key in declaration.keys.values():
            if key.index == index:
                lines = key_subject(declaration, key).lines
                statement = _statement(lines)
                yield without_lines(lines.file, statement) if lines and statement else None


def _statement(lines: SourceLines | None) -> ast.stmt | None:
    if lines is None:
        return None
    span = (lines.first, lines.last)
    nodes = syntax_nodes(lines.file)
    assignments = chain(nodes.get(ast.Assign, ()), nodes.get(ast.AnnAssign, ()))
    return next((each for each in assignments if (each.lineno, each.end_lineno) == span), None)


def _function(lines: SourceLines | None) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function of an access pattern, whose lines begin with its first decorator."""
    if lines is None:
        return None
    nodes = syntax_nodes(lines.file)
    functions = chain(nodes.get(ast.FunctionDef, ()), nodes.get(ast.AsyncFunctionDef, ()))
    return next(
        (each for each in functions if lines.first <= each.lineno and each.end_lineno == lines.last), None
    )
