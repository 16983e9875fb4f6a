"""Reviews an old design for `pksk check --compare`: a file or package, or the files of a git revision.

It is imported in a process of its own, as its modules have the names of those of the new one. The files of a revision
are written to a temporary folder, from git's objects: neither the checkout nor the repository changes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import pksk
from pksk.cli.reviewed import reviewed
from pksk.cli.target_import import TargetLocation, locate_target
from pksk.dataclass import dataclass
from pksk.errors import FileError, PkskError, did_you_mean, quote

_LAST_LINES = 12


def old_review(old: str, targets: Sequence[str], *, traffic: str | None = None) -> Mapping[str, Any]:
    """The review of what a revision or a path has, as `Review.data()` has it."""
    if os.path.exists(old.rpartition(":")[0] or old) or os.path.exists(old):
        return _review_elsewhere(old, [old], Path.cwd(), traffic=traffic)
    with _checkout(old, list(map(locate_target, targets))) as checkout:
        return _review_elsewhere(
            old, checkout.targets, checkout.folder, paths=checkout.paths, top=checkout.top, traffic=traffic
        )


@dataclass(frozen=True)
class _Checkout:
    """The files of a revision: the folder to work in, the targets there, and the folders to import from."""

    top: Path
    folder: Path
    targets: list[str]
    paths: list[str]


@contextmanager
def _checkout(revision: str, targets: Sequence[TargetLocation]) -> Iterator[_Checkout]:
    top = _repository(revision, targets)
    commit = _commit(revision, top)
    with TemporaryDirectory(prefix="pksk-") as scratch:
        tree = Path(scratch).resolve() / "tree"
        tree.mkdir()
        index = {"GIT_INDEX_FILE": str(Path(scratch, "index"))}
        _git(top, "read-tree", commit, environment=index)
        _git(top, "checkout-index", "--all", f"--prefix={tree}{os.sep}", environment=index)
        here = Path.cwd().resolve()
        folder = tree / here.relative_to(top) if here.is_relative_to(top) else tree
        folder = folder if folder.is_dir() else tree
        texts = [_in_tree(each, revision, top, tree, folder) for each in targets]
        yield _Checkout(top, folder, texts, _import_paths(top, tree))


def _in_tree(target: TargetLocation, revision: str, top: Path, tree: Path, folder: Path) -> str:
    """A TARGET as it is written in the folder of a revision."""
    if target.file is None:
        return f"{target.text}:{target.name}" if target.name else target.text
    path = tree / target.file.resolve().relative_to(top)
    if not path.is_file():
        raise FileError(
            "check-compare-target",
            f"{target.text} did not exist in {quote(revision)}.",
            expected="A revision is compared by the files that the TARGETs have now.",
            fix="name a later revision; or write the old files to a folder, and name that: --compare old/shop.py.",
        )
    text = os.path.relpath(path.parent if path.name == "__init__.py" else path, folder)
    return f".{os.sep}{text}" + (f":{target.name}" if target.name else "")


def _import_paths(top: Path, tree: Path) -> list[str]:
    """The folders of the repository from which this process imports, in the tree; without pksk's own."""
    own = Path(pksk.__file__).resolve().parents[1]
    inside = (Path(each).resolve() for each in sys.path if each)
    return [str(tree / each.relative_to(top)) for each in inside if each.is_relative_to(top) and each != own]


def _repository(revision: str, targets: Sequence[TargetLocation]) -> Path:
    """The top folder of the git repository with all targets."""
    tops: set[Path] = set()
    for each in targets:
        folder = each.file.parent if each.file else Path.cwd()
        process = _run_git(folder, "rev-parse", "--show-toplevel")
        if process.returncode:
            _reject_old(
                revision, f"and {each.text} is in no git repository", "name the old file or package instead."
            )
        tops.add(Path(process.stdout.strip()).resolve())
    if len(tops) > 1:
        _reject_old(
            revision,
            "and the targets are in several git repositories",
            "compare those of each by themselves.",
        )
    return tops.pop()


def _commit(revision: str, top: Path) -> str:
    process = _run_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if process.returncode == 0:
        return process.stdout.strip()
    names = _run_git(top, "for-each-ref", "--format=%(refname:short)").stdout.split()
    near = did_you_mean(revision, names)
    _reject_old(
        revision,
        f"and no revision of the git repository {top.name}",
        f"did you mean {quote(near)}?"
        if near
        else "write a branch, a tag, a commit or HEAD~1; fetch it if this is a shallow clone.",
    )


def _reject_old(old: str, why: str, fix: str) -> NoReturn:
    raise FileError(
        "check-compare",
        f"--compare {quote(old)}: there is no such file or folder, {why}.",
        expected="OLD is a file, a package folder or a git revision.",
        fix=fix,
    )


def _git(folder: Path, *arguments: str, environment: Mapping[str, str]) -> None:
    process = _run_git(folder, *arguments, environment=environment)
    if process.returncode:
        raise FileError(
            "check-compare",
            f"git {arguments[0]} failed: {process.stderr.strip()}",
            fix="run it by hand in the repository.",
        )


def _run_git(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    # A hook of git sets variables that point at the repository and the index of the commit that it is for.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments],
            env={**inherited, **(environment or {})},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise FileError(
            "check-compare", "git is not installed.", fix="install it, or name the old file or package."
        ) from None


def _review_elsewhere(
    old: str,
    targets: Sequence[str],
    folder: Path,
    *,
    paths: Sequence[str] = (),
    top: Path | None = None,
    traffic: str | None = None,
) -> Mapping[str, Any]:
    """The review of targets in a folder, from a process of its own."""
    with TemporaryDirectory(prefix="pksk-") as scratch:
        answer = Path(scratch, "review.json")
        question = {
            "answer": str(answer),
            "targets": list(targets),
            "traffic": os.path.abspath(traffic) if traffic else None,
            "not_from": str(top) if top else None,
        }
        inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        python_path = os.pathsep.join([*paths, *filter(None, inherited)])
        process = subprocess.run(
            [sys.executable, "-P", "-c", "from pksk.cli.old_design import main; main()"],
            input=json.dumps(question),
            env={**os.environ, "PYTHONPATH": python_path, "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        answer_data: dict[str, Any] = json.loads(answer.read_text("utf-8")) if answer.exists() else {}
    if "findings" not in answer_data:
        last = "\n".join(process.stderr.strip().splitlines()[-_LAST_LINES:])
        problem = (
            answer_data.get("problem") or f"its process ended with exit code {process.returncode}.\n{last}"
        )
        raise FileError(
            "check-compare-import",
            f"the design of {quote(old)} cannot be reviewed: {problem}",
            fix="compare with a revision whose design can be imported here.",
        )
    return answer_data


def main() -> None:
    """Review targets in this process; the question is on standard input, the answer goes to a file."""
    question = json.loads(sys.stdin.read())
    answer: Mapping[str, Any]
    try:
        answer = reviewed(question["targets"], traffic=question["traffic"]).data()
    except PkskError as error:
        answer = {"problem": str(error)}
    foreign = _imported_from(question["not_from"]) if question["not_from"] else ""
    if foreign:
        answer = {"problem": f"Python imports {foreign} as it is now, from where it is installed."}
    Path(question["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def _imported_from(top: str) -> str:
    """A module that was imported from a repository, apart from those of pksk and of installed packages."""
    own = Path(pksk.__file__).resolve().parent
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            path = Path(file).resolve()
            installed = path.is_relative_to(own) or "site-packages" in path.parts
            if path.is_relative_to(top) and not installed:
                return f"{module.__name__} ({path.name})"
    return ""
