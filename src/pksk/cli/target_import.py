"""Imports a design; the errors of its code show the lines of its author."""

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


def import_target(where: TargetLocation) -> ModuleType:
    """Import the module of a TARGET."""
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
    """Whether the module itself is missing, rather than one that it imports."""
    if not isinstance(error, ModuleNotFoundError) or has_user_frame(error):
        return False
    parts = where.module.split(".")
    return error.name in {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


class _FromSource(SourceFileLoader):
    """Compiles a file anew, and writes no cache."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the source, and ignore the cache."""
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def _run_file(where: TargetLocation) -> ModuleType:
    """Run a file that is in no package, under the name by which other files of its folder import it."""
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
    """The name of a file's module, changed if Python or a package has that name."""
    known = sys.modules.get(stem)
    taken = known is not None and not is_user_file(getattr(known, "__file__", None) or "<built-in>")
    plain = stem.replace(".", "_")
    return f"{plain}_design" if taken or stem in sys.stdlib_module_names else plain


def _check_file(where: TargetLocation, module: ModuleType) -> None:
    """Reject a folder, or another file of the same name."""
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
    """Raise the error of a TARGET whose import failed."""
    if isinstance(error, PkskError):
        _refuse_design(error)
    if isinstance(error, SystemExit):
        _refuse_exit(target, error)
    raise FileError(
        "target-raises", f"{target} cannot be imported.\n{user_traceback(error)}", fix=_fix(error)
    ) from None


def _refuse_design(error: PkskError) -> NoReturn:
    """Add the line of the design to an error of pksk."""
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
        fix='move the code of the program under if __name__ == "__main__":',
    ) from None


def _fix(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return "correct that line."
    if isinstance(error, ModuleNotFoundError):
        return f"install {quote(error.name)}, or add the folder that holds it to PYTHONPATH."
    if isinstance(error, ImportError) and "relative import" in str(error):
        return "add an __init__.py to its folder, or write the module: folder.file."
    return "correct the last of these lines, or set what it needs before the import."


@contextmanager
def on_path(folders: Sequence[str]) -> Iterator[None]:
    """Put the folders of a design on `sys.path`, before installed packages and after the standard library.

    So a file `random.py` beside a design does not hide Python's `random`. What the design prints goes to standard
    error.

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
    """The position after the standard library."""
    own = [os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    own += [os.path.join(folder, "lib-dynload") for folder in own]
    positions = [index for index, entry in enumerate(path) if os.path.realpath(entry or ".") in own]
    return max(positions, default=-1) + 1
