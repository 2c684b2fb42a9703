"""The documents hold: their code is code, their links lead somewhere, the folder map is true."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import sqlglot

from sqlax import demo

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])
NOT_OURS = {"build", "dist"}

by_name = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def fenced(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text("utf-8"), re.M | re.S)


def words(sql: str) -> list[str]:
    return sql.split()


@by_name
def test_python_blocks_parse(document: Path) -> None:
    for block in fenced(document, "python"):
        assert ast.parse(block, document.name).body


@by_name
def test_sql_blocks_parse(document: Path) -> None:
    for block in fenced(document, "sql"):
        assert sqlglot.parse(block, dialect="duckdb")


@by_name
def test_relative_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text("utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_readme_shows_the_query_of_the_demo() -> None:
    assert any(words(demo.QUERY) == words(sql) for sql in quoted_queries(README))


def quoted_queries(document: Path) -> list[str]:
    return [
        node.value
        for block in fenced(document, "python")
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_folder_map_names_every_folder() -> None:
    mapped = re.findall(r"^\| `(\w+)/` \|", README.read_text("utf-8"), re.M)
    folders = {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir()
        and not path.name.startswith(".")
        and not path.name.endswith(".egg-info")
        and path.name not in NOT_OURS
    }
    assert len(mapped) == len(set(mapped))
    assert set(mapped) == folders
