"""A baseline: the findings of an existing system, so that only new ones are reported."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pksk.dataclass import replace
from pksk.errors import FileError, quote
from pksk.review.review import Accepted, Review
from pksk.review.rule import Finding

_VERSION = 1


def write_baseline(review: Review, path: Path) -> None:
    """Write all findings of a review to a file, sorted, so that a version control system shows what changes."""
    entries = sorted({(each.rule, each.subject.name) for each in review.findings})
    document = {
        "version": _VERSION,
        "findings": [{"rule": rule, "subject": subject} for rule, subject in entries],
    }
    try:
        path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise FileError(
            "check-baseline",
            f"baseline {quote(str(path))}: it cannot be written: {error.strerror or type(error).__name__}.",
            fix="name a file in a folder that exists and is writable.",
        ) from None


def without_baseline(review: Review, path: Path) -> Review:
    """The review with the findings of a baseline accepted."""
    known = _read(path)
    new = tuple(each for each in review.findings if (each.rule, each.subject.name) not in known)
    old = [each for each in review.findings if (each.rule, each.subject.name) in known]
    return replace(review, findings=new, accepted=(*review.accepted, *_accepted(old, path)))


def _accepted(findings: Iterable[Finding], path: Path) -> list[Accepted]:
    return [Accepted(each, f"it is in the baseline {path.name}", in_source=False) for each in findings]


def _read(path: Path) -> set[tuple[str, str]]:
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
        if document["version"] == _VERSION:
            return {(str(each["rule"]), str(each["subject"])) for each in document["findings"]}
        problem = f"its version is {quote(document['version'])}"
    except FileNotFoundError:
        problem = "there is no such file"
    except OSError as error:
        problem = error.strerror or type(error).__name__
    except (ValueError, KeyError, TypeError):
        problem = "it is not JSON that pksk check --write-baseline wrote"
    raise FileError(
        "check-baseline",
        f"baseline {quote(str(path))}: {problem}.",
        expected=f"A baseline of version {_VERSION} lists the findings of an earlier review.",
        fix=f"write it with: pksk check TARGET --write-baseline {path.name}.",
    )
