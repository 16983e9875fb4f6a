"""Prints how far a reader has to walk: sizes, imports, files behind a call, and files that a change touches.

`make walk` prints it for this checkout; `python -m tests.project.walk OTHER/src` for another one.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

from tests.project.tree import SOURCE

# Each task by an example of what it adds: the names in code that belong to it alone, and where to look for them.
TASKS = {
    "operation of the engine": (r"TagResource|tag_resource|UntagResource|untag_resource", ("engine",)),
    "marker": (r"Created|created", ("model", "store")),
    "key part type": (r"(?i)\w*ulid\w*", ("keys", "model", "cli")),
    "command": (r"(?i)(pksk\.cli\.)?doc[_-]id(\..*|_command)?", ("cli",)),
    "output format": (r"(?i).*mermaid.*", ("cli",)),
    "error code": (r"store-unique-violation|unique-taken", ("",)),
    "validation text": (r"PARTITION_KEY_TOO_LONG", ("engine",)),
    "kind of request": (r"Nearest|nearest", ("model", "store")),
    "storage back end": (r"(?i)memorystorage|.*storage\.memory.*|.*:memory:.*", ("engine",)),
}
UNTRIED = {"search sink": "there is no search yet"}

CALLS = ("db.put", "db.get", "db.iter", "HTTP PutItem", "GetRecords", "template")

_SETUP = """
from pksk import Entity, Key, Table, Template, connect, Engine
shop = Table("shop", stream=True)
class Order(Entity, table=shop):
    customer: str
    number: int
    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
db = connect("memory:")
db.create_tables(shop)
order = Order(customer="7", number=1)
orders = Order.primary(customer="7")
engine = Engine.open()
engine.call("CreateTable", shop.create_request())
item = {"pk": {"S": "a"}, "sk": {"S": "b"}}
"""
_ACTIONS = {
    "db.put": "db.put(order)",
    "db.get": "db.get(Order.primary.get(customer='7', number=1))",
    "db.iter": "list(db.iter(orders))",
    "HTTP PutItem": """
import json, urllib.request
body = json.dumps({"TableName": "shop", "Item": item}).encode()
headers = {"X-Amz-Target": "DynamoDB_20120810.PutItem", "Content-Type": "application/x-amz-json-1.0"}
urllib.request.urlopen(urllib.request.Request(server.url, body, headers)).read()
""",
    "GetRecords": """
arn = engine.call("DescribeTable", {"TableName": "shop"})["Table"]["LatestStreamArn"]
shard = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"][0]["ShardId"]
at = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
iterator = engine.call("GetShardIterator", at)["ShardIterator"]
start()
engine.call("GetRecords", {"ShardIterator": iterator})
""",
    "template": "made = Template('A#{b}#{c:04d}'); made.match(made.render({'b': 'x', 'c': 7}))",
}
_TRACE = """
import sys, threading
files = set()
def note(frame, event, argument):
    if event == "call":
        files.add(frame.f_code.co_filename)
def start():
    files.clear()
threading.setprofile(note)
{before}
{action}
sys.setprofile(note)
start()
{action}
sys.setprofile(None)
threading.setprofile(None)
{after}
print(sum("/pksk/" in name for name in files))
"""


@dataclass
class Package:
    """The figures of the modules of one package."""

    lines: list[int] = field(default_factory=list)
    import_lines: int = 0
    fan_out: list[int] = field(default_factory=list)


def main() -> None:
    """Print every table for the checkout named by the arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=SOURCE, help="the folder that holds pksk")
    source = parser.parse_args().source
    package = source / "pksk"
    print_packages(package)
    print("\nFiles that a call passes through")
    for name in CALLS:
        print(f"  {name:<26}{files_passed(source, name):>5}")
    print("\nFiles that a change touches, by an example of it")
    for task, (names, folders) in TASKS.items():
        touched = files_touched(package, re.compile(names), folders)
        print(f"  {task:<26}{len(touched):>5}  {', '.join(touched)}")
    for task, reason in UNTRIED.items():
        print(f"  {task:<26}{'-':>5}  {reason}")


def print_packages(package: Path) -> None:
    """A line for each package, then one for all of them."""
    packages: dict[str, Package] = {}
    everywhere: Counter[str] = Counter()
    for path in sorted(package.rglob("*.py")):
        found = packages.setdefault(path.relative_to(package).parts[0].removesuffix(".py"), Package())
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        found.lines.append(text.count("\n"))
        found.import_lines += sum(
            (each.end_lineno or each.lineno) - each.lineno + 1 for each in imports(tree)
        )
        found.fan_out.append(
            len({name for each in imports(tree) for name in imported_modules(each, package)})
        )
        everywhere["TYPE_CHECKING"] += sum(len(list(imports(each))) for each in type_checking_blocks(tree))
        everywhere["functions"] += sum(map(len, map(list, map(imports, functions(tree)))))
    print(
        f"{'package':<14}{'files':>6}{'lines':>8}{'median':>8}{'< 50':>6}{'longest':>9}{'imports':>9}{'fan-out':>9}"
    )
    for name, each in packages.items():
        print_package(name, each)
    print_package("all", total(packages.values()))
    print(
        f"imports under TYPE_CHECKING {everywhere['TYPE_CHECKING']}, inside functions {everywhere['functions']}"
    )


def print_package(name: str, package: Package) -> None:
    """One line: how many files, how long, how much of them is imports, how many modules each imports."""
    lines = package.lines
    share = package.import_lines / max(1, sum(lines))
    print(
        f"{name:<14}{len(lines):>6}{sum(lines):>8}{median(lines):>8.0f}{sum(n < 50 for n in lines):>6}"
        f"{max(lines):>9}{share:>9.1%}{mean(package.fan_out):>9.1f}"
    )


def total(packages: Iterable[Package]) -> Package:
    """The packages as one."""
    all_of_them = Package()
    for each in packages:
        all_of_them.lines += each.lines
        all_of_them.import_lines += each.import_lines
        all_of_them.fan_out += each.fan_out
    return all_of_them


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Every import statement, also inside functions."""
    return (each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom))


def functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Every function."""
    return (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


def type_checking_blocks(tree: ast.AST) -> Iterator[ast.If]:
    """Blocks that only type checkers read."""
    for each in ast.walk(tree):
        if isinstance(each, ast.If) and isinstance(each.test, ast.Name) and each.test.id == "TYPE_CHECKING":
            yield each


def imported_modules(statement: ast.Import | ast.ImportFrom, package: Path) -> Iterator[str]:
    """The modules of pksk that a statement names, without the place from which relative ones count."""
    if isinstance(statement, ast.ImportFrom):
        if statement.level or (statement.module or "").split(".")[0] == package.name:
            yield f"{'.' * statement.level}{statement.module or ''}"
    else:
        yield from (each.name for each in statement.names if each.name.split(".")[0] == package.name)


def files_passed(source: Path, name: str) -> int:
    """How many files of pksk run between a call and its answer, once everything is warm."""
    action = _ACTIONS[name]
    before, after = "", ""
    if name == "HTTP PutItem":
        before, after = (
            "from pksk.server import Server\nserver = Server(engine)\nserver.start()",
            "server.close()",
        )
    elif name == "GetRecords":
        before = "engine.call('PutItem', {'TableName': 'shop', 'Item': item})"
    code = _SETUP + _TRACE.format(before=before, action=action, after=after)
    environment = os.environ | {"PYTHONPATH": str(source)}
    command = [sys.executable, "-c", code]
    return int(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def files_touched(package: Path, names: re.Pattern[str], folders: Iterable[str]) -> list[str]:
    """The files whose code has one of the names: as an identifier, or in a string of names."""
    found = {path for folder in folders for path in (package / folder).rglob("*.py")}
    return sorted(
        path.relative_to(package).as_posix()
        for path in found
        if any(names.fullmatch(name) for name in names_in(ast.parse(path.read_text("utf-8"))))
    )


def names_in(tree: ast.AST) -> Iterator[str]:
    """Every identifier, every string that is a single word, and the names in a string that lists them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias | ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.keyword | ast.arg) and node.arg:
            yield node.arg
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            if len(words) < 2 or all(word.isidentifier() and word[0].isupper() for word in words):
                yield from words


if __name__ == "__main__":
    main()
