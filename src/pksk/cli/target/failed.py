"""Says why a design cannot be imported: its author's own lines, the error, and what helps."""

from __future__ import annotations

from typing import NoReturn

from pksk.cli.target.own_lines import last_own_line, own_lines
from pksk.errors import FileProblem, PkskError, quote

__all__ = ["refuse_failed"]


def refuse_failed(target: str, error: BaseException) -> NoReturn:
    """Refuse a TARGET whose import ended with this error."""
    if isinstance(error, PkskError):
        _refuse_design(error)
    if isinstance(error, SystemExit):
        _refuse_exit(target, error)
    raise FileProblem(
        "target-raises", f"{target} cannot be imported.\n{own_lines(error)}", fix=_fix(error)
    ) from None


def _refuse_design(error: PkskError) -> NoReturn:
    """An error of pksk's says itself what is wrong; only the line is missing."""
    where, line = last_own_line(error)
    if where:
        error.problem = f"{where}: {line}\n{error.problem}"
    raise error from None


def _refuse_exit(target: str, error: SystemExit) -> NoReturn:
    where, line = last_own_line(error)
    raise FileProblem(
        "target-exits",
        f"{target} ended the program while it was imported, with exit code {quote(error.code)}."
        + (f"\n{where}: {line}" if where else ""),
        fix='put what only a program does under if __name__ == "__main__":',
    ) from None


def _fix(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return "correct that line."
    if isinstance(error, ModuleNotFoundError):
        return f"install {quote(error.name)}, or add the folder that holds it to PYTHONPATH."
    if isinstance(error, ImportError) and "relative import" in str(error):
        return "make its folder a package with an __init__.py, or name the module: folder.file."
    return "correct the last of these lines, or set what it needs before the module is imported."
