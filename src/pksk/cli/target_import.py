"""Locates a TARGET and imports its design; the errors of its code show the lines of its author."""

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

from pksk.cli.user_frames import has_user_frame, is_user_file, last_user_line, user_traceback
from pksk.dataclass import dataclass
from pksk.errors import FileError, PkskError, did_you_mean, quote


@dataclass(frozen=True)
class TargetLocation:
    """A module to import, and the folders to find it in.

    `file` is set if the TARGET names a file. `alone` means that the file is in no package, and runs by itself.
    """

    text: str
    name: str
    module: str
    folders: tuple[str, ...]
    file: Path | None = None
    alone: bool = False


def locate_target(target: str) -> TargetLocation:
    """The module and the name in a TARGET."""
    text, name = _split(target)
    path = Path(os.path.abspath(text))
    if _names_a_file(text):
        return _locate_path(text, name, path)
    if not all(part.isidentifier() for part in text.split(".")):
        reject_missing_target(text)
    return TargetLocation(text, name, text, (os.getcwd(),))


def _split(target: str) -> tuple[str, str]:
    """The module or file, and the name after the last colon."""
    text, colon, name = target.rpartition(":")
    if target and (not colon or os.path.lexists(target) or os.sep in name):
        return target, ""
    if not text or not all(part.isidentifier() for part in name.split(".")):
        _reject_form(target)
    return text, name


def _reject_form(target: str) -> NoReturn:
    raise FileError(
        "target-form",
        f"{quote(target)} is not a module and not a file.",
        expected="A TARGET is a module, a file, a package folder, or one of these with :NAME after it.",
        fix="write for example shop.orders, shop/orders.py or shop/orders.py:Order.",
    )


def _names_a_file(text: str) -> bool:
    if text.endswith(".py") or os.sep in text or text.startswith("."):
        return True
    # A file here takes precedence over a module of the standard library.
    return text in sys.stdlib_module_names and (os.path.isdir(text) or os.path.isfile(f"{text}.py"))


def _locate_path(text: str, name: str, path: Path) -> TargetLocation:
    if not path.exists() and path.with_name(f"{path.name}.py").is_file() and os.sep not in text:
        path = path.with_name(f"{path.name}.py")
    if path.is_dir():
        path /= "__init__.py"
    if path.suffix != ".py" or not path.is_file():
        reject_missing_target(text)
    root, module = _package(path)
    if root is None:
        return TargetLocation(text, name, path.stem, _folders(path.parent), path, alone=True)
    _check_free(text, module.partition(".")[0])
    return TargetLocation(text, name, module, _folders(root), path)


def _folders(nearest: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys((str(nearest), os.getcwd())))


def _package(path: Path) -> tuple[Path | None, str]:
    """The folder that holds the package of a file, and the full name of its module."""
    folder = path.parent
    parts = [] if path.stem == "__init__" else [path.stem]
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        parts.insert(0, folder.name)
        folder = folder.parent
    return (folder if folder != path.parent else None), ".".join(parts)


def _check_free(text: str, package: str) -> None:
    if package in sys.stdlib_module_names:
        raise FileError(
            "target-hidden",
            f"{text}: its package {quote(package)} has the name of a module of the standard library.",
            expected="Python imports its own module under that name.",
            fix=f"rename the folder, for example to {package}_design.",
        )


_MAX_LISTED = 5


def reject_missing_target(text: str) -> NoReturn:
    """Raise the error of a TARGET that is neither a module nor a file."""
    path = Path(text)
    if path.is_dir():
        _reject_folder(text, path)
    what = "file" if text.endswith(".py") or os.sep in text else "module or file"
    problem = f"{text} is not a Python file." if path.exists() else f"{text}: there is no such {what}."
    raise FileError("target-missing", problem, fix=_missing_fix(text))


def _reject_folder(text: str, path: Path) -> NoReturn:
    files = [str(path / name) for name in python_files(path)]
    raise FileError(
        "target-missing",
        f"{text} is a folder without __init__.py, which is not a package.",
        expected=f"Files in it: {', '.join(files[:_MAX_LISTED])}." if files else "",
        fix=f"write a file: {_likely_file(files, path.name)}."
        if files
        else "write the file that holds the design.",
    )


def _likely_file(files: list[str], stem: str) -> str:
    """The file with the folder's name, or else `design.py`, or else the first one."""
    return next((file for word in (stem, "design") for file in files if Path(file).stem == word), files[0])


def _missing_fix(text: str) -> str:
    near = _near_file(text) or _near_module(text)
    if near:
        return f"did you mean {quote(near, limit=1000)}?"
    if os.sep in text or text.endswith(".py"):
        return "check the name and the folder."
    return "write a file, or run pksk where Python finds the module, or set PYTHONPATH."


def _near_file(text: str) -> str:
    """A file with a similar name in its folder, or the file in `src`."""
    path = Path(text if os.sep in text or text.endswith(".py") else text.replace(".", os.sep))
    stem = path.name.removesuffix(".py")
    if not path.parent.is_dir():
        return _in_src(path.parent / f"{stem}.py")
    near = did_you_mean(stem, (name.removesuffix(".py") for name in python_files(path.parent)))
    return str(path.parent / f"{near}.py") if near else _in_src(path.parent / f"{stem}.py")


def _in_src(path: Path) -> str:
    return str(Path("src") / path) if (Path("src") / path).is_file() else ""


def _near_module(text: str) -> str:
    """The module in a package here with a similar name."""
    first, dot, rest = text.partition(".")
    packages = [folder.parent.name for folder in Path().glob("*/__init__.py")]
    near = did_you_mean(first, packages) if os.sep not in text else ""
    return f"{near}{dot}{rest}" if near and near != first else ""


def python_files(folder: Path) -> list[str]:
    """The sorted names of the Python files in a folder."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except OSError:
        return []


def import_target(where: TargetLocation) -> ModuleType:
    """Import the module of a TARGET."""
    try:
        with on_path(where.folders):
            module = _run_file(where) if where.alone else import_module(where.module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if _is_missing(where, error):
            reject_missing_target(where.text)
        reject_failed_import(where.text, error)
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
    module = sys.modules.get(stem)
    is_taken = module is not None and not is_user_file(getattr(module, "__file__", None) or "<built-in>")
    plain = stem.replace(".", "_")
    return f"{plain}_design" if is_taken or stem in sys.stdlib_module_names else plain


def _check_file(where: TargetLocation, module: ModuleType) -> None:
    """Reject a folder, or another file of the same name."""
    path = getattr(module, "__file__", None)
    if path is None and module.__name__ not in sys.builtin_module_names:
        reject_missing_target(os.path.relpath(next(iter(module.__path__), where.text)))
    if where.file is not None and path and not Path(path).samefile(where.file):
        raise FileError(
            "target-hidden",
            f"{where.text}: Python finds module {quote(where.module)} elsewhere, in {path}.",
            fix="rename the package, or remove the other one from the environment.",
        )


def reject_failed_import(target: str, error: BaseException) -> NoReturn:
    """Raise the error of a TARGET whose import failed."""
    if isinstance(error, PkskError):
        _reject_design(error)
    if isinstance(error, SystemExit):
        _reject_exit(target, error)
    raise FileError(
        "target-raises", f"{target} cannot be imported.\n{user_traceback(error)}", fix=_fix(error)
    ) from None


def _reject_design(error: PkskError) -> NoReturn:
    """Add the line of the design to an error of pksk."""
    where, line = last_user_line(error)
    if where:
        error.problem = f"{where}: {line}\n{error.problem}"
    raise error from None


def _reject_exit(target: str, error: SystemExit) -> NoReturn:
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
        path_before = {*before, *folders}
        sys.path[:] = [*before, *(entry for entry in sys.path if entry not in path_before)]


def _after_python(path: Sequence[str]) -> int:
    """The position after the standard library."""
    own = [os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    own += [os.path.join(folder, "lib-dynload") for folder in own]
    positions = [index for index, entry in enumerate(path) if os.path.realpath(entry or ".") in own]
    return max(positions, default=-1) + 1
