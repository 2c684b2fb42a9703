"""Uses an installed sqlax as a stranger would: run it from any folder but the repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import sqlax

ROOT = Path(__file__).resolve().parent.parent
MODEL = "smollm2-135m-instruct"


def command(*arguments: str) -> str:
    """What the `sqlax` command beside this interpreter prints."""
    executable = Path(sys.executable).parent / "sqlax"
    done = subprocess.run(
        [executable, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"sqlax {' '.join(arguments)} exited {done.returncode}:\n{done.stderr}")
    return done.stdout


def check(what: str, holds: bool) -> None:
    """Say that `what` holds, or stop."""
    print(f"{'ok' if holds else 'NOT OK'}: {what}", flush=True)
    if not holds:
        sys.exit(1)


def main() -> None:
    """Check the package, its command, a query without a model and the demo with one."""
    package = Path(sqlax.__file__).resolve().parent
    check("sqlax is imported from the installed wheel", ROOT not in package.parents)
    check("import sqlax loads no jax", "jax" not in sys.modules)
    for name in ("compiler", "runtime", "models", "kvcache"):
        check(f"sqlax.{name} is a folder of the wheel", (package / name / "__init__.py").is_file())
    check("sqlax --version tells the version", sqlax.__version__ in command("--version"))
    check("sqlax models list knows the default model", MODEL in command("models", "list"))
    connection = sqlax.connect(model=MODEL)
    check("SELECT 1 needs no model", connection.sql("SELECT 1 AS one").fetchall() == [(1,)])
    check("sqlax demo answers", "The Lantern Keeper" in command("demo"))


if __name__ == "__main__":
    main()
