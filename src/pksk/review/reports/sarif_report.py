"""A review as SARIF 2.1, which code hosts show beside the lines of a pull request.

No address in it depends on the machine: files are relative to the current folder, which SARIF calls %SRCROOT%, and a
finding outside of that folder has the name of its declaration only.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote as quote_url

import pksk
from pksk.pages import printable
from pksk.review.change import Change, Edit
from pksk.review.review import Accepted, Review, masked
from pksk.review.rule import Finding, Rule
from pksk.review.rules import RULES
from pksk.review.source_lines import relative_file

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT: Final = "%SRCROOT%"


def sarif_report(review: Review, *, show_values: bool = False) -> dict[str, Any]:
    """The review as a SARIF log with one run; accepted findings are suppressed results.

    Key values of items are masked by default.
    """
    if not show_values:
        review = masked(review)
    run = {
        "tool": {
            "driver": {"name": "pksk", "version": pksk.__version__, "rules": [_rule(each) for each in RULES]}
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder in which pksk check ran."}}},
        "invocations": [
            {
                "executionSuccessful": not review.partial,
                "toolExecutionNotifications": list(_notifications(review)),
            }
        ],
        "results": list(_results(review)),
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.code.title().replace("-", ""),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.sections["What it does"]},
        "help": {"text": rule.documentation, "markdown": rule.documentation},
        "properties": {"tags": ["dynamodb", "key design"], "needs": list(rule.needs)},
    }


def _notifications(review: Review) -> Iterator[dict[str, Any]]:
    """What could not be read or reviewed."""
    for problem in review.partial:
        yield {"level": "warning", "message": _message(f"Only a part could be read: {problem}")}
    for figure, subjects in review.not_reviewed:
        text = f"Not reviewed, because the design does not declare {figure}: {', '.join(subjects)}"
        yield {"level": "note", "message": _message(text)}


def _results(review: Review) -> Iterator[dict[str, Any]]:
    seen: Counter[tuple[str, str]] = Counter()
    for accepted in [*(Accepted(each, "") for each in review.findings), *review.accepted]:
        finding = accepted.finding
        same = (finding.rule, finding.subject.name)
        seen[same] += 1
        result = _result(finding) | {
            "partialFingerprints": {"declaration/v1": fingerprint(finding, seen[same])}
        }
        yield result | (_suppression(accepted) if accepted.reason else {})


def _suppression(accepted: Accepted) -> dict[str, Any]:
    kind = "inSource" if accepted.in_source else "external"
    return {
        "suppressions": [{"kind": kind, "status": "accepted", "justification": printable(accepted.reason)}]
    }


def _result(finding: Finding) -> dict[str, Any]:
    fix = f" Fix: {finding.fix}" if finding.fix else ""
    name = finding.subject.name
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": next(index for index, each in enumerate(RULES) if each.code == finding.rule),
        "level": _LEVELS[finding.severity],
        "message": _message(f"{name}: {finding.problem}{fix}"),
        "properties": {
            "evidence": list(map(printable, finding.evidence)),
            "confidence": "certain" if finding.certain else "likely",
        },
    }
    change = finding.change
    if change and all(map(_is_inside, change.by_file)):
        result["fixes"] = [_fix(change, finding.fix)]
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": name}]}
    lines = finding.subject.lines
    if lines is not None and _is_inside(lines.file):
        region = {"startLine": lines.first, "endLine": lines.last}
        location["physicalLocation"] = {"artifactLocation": _artifact(lines.file), "region": region}
    return result | {"locations": [location]}


def _message(text: str) -> dict[str, str]:
    # In a SARIF message, [text](address) is a link; a backslash makes it plain text.
    return {"text": printable(text).replace("](", "\\](")}


def _fix(change: Change, description: str) -> dict[str, Any]:
    """A mechanical fix, as replacements of regions in each file."""
    files = [
        {"artifactLocation": _artifact(file), "replacements": [_replacement(each) for each in edits]}
        for file, edits in change.by_file.items()
    ]
    return {"description": _message(description), "artifactChanges": files}


def _replacement(edit: Edit) -> dict[str, Any]:
    region = {
        "startLine": edit.first_line,
        "startColumn": edit.first_column + 1,
        "endLine": edit.last_line,
        "endColumn": edit.last_column + 1,
    }
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}


def _is_inside(file: str) -> bool:
    """Whether a file is in the current folder."""
    return os.path.isfile(file) and relative_file(file).partition("/")[0] != os.pardir


def _artifact(file: str) -> dict[str, str]:
    """A file relative to the current folder, as code hosts match it."""
    return {"uri": quote_url(relative_file(file)), "uriBaseId": _ROOT}


def fingerprint(finding: Finding, number: int = 1) -> str:
    """What stays the same of a finding when lines move and figures change: its rule, its subject, and its number."""
    text = f"{finding.rule}\n{finding.subject.name}" + (f"\n{number}" if number > 1 else "")
    return sha256(text.encode()).hexdigest()[:32]
