"""The shape of the package, and the numbers its source is held to."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINKED = ("compiler", "runtime", "models", "kvcache")
PACKAGE = ("sqlax", *LINKED)
FOLDERS = (*PACKAGE, "examples", "tests", "benchmarks", ".ci")
UNSAFE_TO_LOAD = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


def sources(folders: tuple[str, ...]) -> list[Path]:
    """Every Python file of `folders`, each once: links between them are not followed."""
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if not any((ROOT / parent).is_symlink() for parent in path.relative_to(ROOT).parents)
    )


def lines_of_functions() -> Iterator[tuple[str, int]]:
    """Where each function stands and its lines, docstring not counted."""
    for path in sources(FOLDERS):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                docstring = ast.get_docstring(node, clean=False)
                documented = docstring.count("\n") + 1 if docstring is not None else 0
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", lines - documented


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", LINKED)
def test_subpackage_is_a_link_to_the_folder_beside(name: str) -> None:
    link = ROOT / "sqlax" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..") / name
    assert (link / "__init__.py").is_file()


def test_import_loads_no_jax() -> None:
    assert run_python("import sqlax, sys; print('jax' in sys.modules)") == "False\n"


def test_importing_every_module_changes_no_jax_setting() -> None:
    changed = run_python(
        """
import importlib, pkgutil, jax
before = dict(jax.config.values)
import sqlax
for module in pkgutil.walk_packages(sqlax.__path__, "sqlax."):
    importlib.import_module(module.name)
after = dict(jax.config.values)
print({name for name in before | after if before.get(name) != after.get(name)})
"""
    )
    assert changed == "set()\n"


def test_nothing_is_loaded_that_could_run_code() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources(PACKAGE)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported_names(node)
        if name.split(".")[0] in UNSAFE_TO_LOAD
    ]
    assert found == []


def imported_names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]


def test_no_file_is_above_500_lines() -> None:
    lines = {
        str(p.relative_to(ROOT)): len(p.read_text("utf-8").splitlines()) for p in sources(FOLDERS)
    }
    assert {path: count for path, count in lines.items() if count > 500} == {}


def test_no_function_is_above_80_lines() -> None:
    assert [(where, lines) for where, lines in lines_of_functions() if lines > 80] == []


def test_functions_are_short() -> None:
    lines = sorted(lines for _, lines in lines_of_functions())
    assert statistics.median(lines) <= 10
    assert statistics.quantiles(lines, n=20)[-1] <= 45
