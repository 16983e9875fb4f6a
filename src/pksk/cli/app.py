"""The application: all commands of `pksk`."""

from __future__ import annotations

import click

import pksk
from pksk.cli.commands import Group

__all__ = ["app"]


@click.group(
    cls=Group,
    members={
        "demo": "pksk.cli.demo.demo",
        "new": "pksk.cli.new.new",
        "design": "pksk.cli.design.design",
        "plan": "pksk.cli.plan.plan",
        "cost": "pksk.cli.cost.cost",
        "key": "pksk.cli.key.key",
        "doc-id": "pksk.cli.doc_id.doc_id",
        "size": "pksk.cli.size.size",
        "serve": "pksk.cli.serve.serve",
        "export": "pksk.cli.export",
        "import": "pksk.cli.import_",
        "backup": "pksk.cli.backup.backup",
        "explain": "pksk.cli.explain",
        "completion": "pksk.cli.completion",
    },
    examples=(
        "pksk design shop/shop.py",
        "pksk key render 'ORDER#{id}' id=7",
        "pksk size orders.jsonl",
        "pksk explain key-too-long",
        "pksk key --help",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(pksk.__version__, "-V", "--version", prog_name="pksk", message="%(prog)s %(version)s")
def app() -> None:
    """Turn a DynamoDB key design into something that you can check, run, price and see.

    Output is plain text in a pipe and JSON with --json. Exit code 2 means that pksk refused, and said why.
    """
