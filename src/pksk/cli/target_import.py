"""Imports a design, and turns what its code raises into an error that shows the author's own lines."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import NoReturn

from pksk.cli.target_location import TargetLocation, refuse_missing_target
from pksk.cli.user_frames import has_user_frame, is_user_file, last_user_line, user_traceback
from pksk.errors import FileError, PkskError, quote

__all__ = ["import_target", "on_path", "refuse_failed_import"]


def import_target(where: TargetLocation) -> ModuleType:
    """The module of a place."""
    try:
        with on_path(where.folders):
            module = _run_file(where) if where.alone else import_module(where.module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if _is_missing(where, error):
            refuse_missing_target(where.text)
        refuse_failed_import(where.text, error)
    _check_file(where, module)
    return module


def _is_missing(where: TargetLocation, error: BaseException) -> bool:
    """Whether the module itself is not there, rather than one that it imports."""
    if not isinstance(error, ModuleNotFoundError) or has_user_frame(error):
        return False
    parts = where.module.split(".")
    return error.name in {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


class _FromSource(SourceFileLoader):
    """Loads a file as it is now, and leaves nothing beside it."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the source, whatever is cached."""
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def _run_file(where: TargetLocation) -> ModuleType:
    """Run a file that is in no package, under the name by which its neighbours would import it."""
    name = _free_name(where.module)
    spec = spec_from_file_location(name, where.file, loader=_FromSource(name, str(where.file)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
        raise
    return module


def _free_name(stem: str) -> str:
    """The name of a file's module, unless Python or a package has it."""
    known = sys.modules.get(stem)
    taken = known is not None and not is_user_file(getattr(known, "__file__", None) or "<built-in>")
    plain = stem.replace(".", "_")
    return f"{plain}_design" if taken or stem in sys.stdlib_module_names else plain


def _check_file(where: TargetLocation, module: ModuleType) -> None:
    """Refuse a module that is not the one that was meant: a folder, or another file of the same name."""
    found = getattr(module, "__file__", None)
    if found is None and module.__name__ not in sys.builtin_module_names:
        refuse_missing_target(os.path.relpath(next(iter(module.__path__), where.text)))
    if where.file is not None and found and not Path(found).samefile(where.file):
        raise FileError(
            "target-hidden",
            f"{where.text}: Python finds module {quote(where.module)} elsewhere, in {found}.",
            fix="rename the package, or remove the other one from the environment.",
        )


def refuse_failed_import(target: str, error: BaseException) -> NoReturn:
    """Refuse a TARGET whose import ended with this error."""
    if isinstance(error, PkskError):
        _refuse_design(error)
    if isinstance(error, SystemExit):
        _refuse_exit(target, error)
    raise FileError(
        "target-raises", f"{target} cannot be imported.\n{user_traceback(error)}", fix=_fix(error)
    ) from None


def _refuse_design(error: PkskError) -> NoReturn:
    """An error of pksk's says itself what is wrong; only the line is missing."""
    where, line = last_user_line(error)
    if where:
        error.problem = f"{where}: {line}\n{error.problem}"
    raise error from None


def _refuse_exit(target: str, error: SystemExit) -> NoReturn:
    where, line = last_user_line(error)
    raise FileError(
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


@contextmanager
def on_path(folders: Sequence[str]) -> Iterator[None]:
    """Run code of a design, whose modules are in these folders: before installed packages, after Python's own.

    A file `random.py` beside a design is then no danger to anyone who imports `random`. What the code prints goes
    to standard error, since the output is ours.

    Example:
        >>> with on_path(["shop"]):
        ...     found = "shop" in sys.path
        >>> found, "shop" in sys.path
        (True, False)
    """
    before = list(sys.path)
    moved = {os.path.abspath(folder) for folder in folders}
    others = [entry for entry in before if os.path.abspath(entry) not in moved]
    at = _after_python(others)
    sys.path[:] = [*others[:at], *folders, *others[at:]]
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        known = {*before, *folders}
        sys.path[:] = [*before, *(entry for entry in sys.path if entry not in known)]


def _after_python(path: Sequence[str]) -> int:
    """The position behind Python's own modules."""
    own = [os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    own += [os.path.join(folder, "lib-dynload") for folder in own]
    places = [index for index, entry in enumerate(path) if os.path.realpath(entry or ".") in own]
    return max(places, default=-1) + 1
