"""Names of semantic functions are replaced before sqlglot parses, and only those."""

import pytest

from sqlax.compiler.sql.rewrite import contains_semantic_call, find_calls, parse_query
from sqlax.compiler.sql.tokens import Dialect
from sqlax.errors import BindError, ParseError, Span, SqlError, UnsupportedError


def underlined(error: SqlError) -> str:
    assert error.sql is not None
    assert error.span is not None
    return error.sql[error.span.start : error.span.end]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT ai_if(x)", "SELECT __AI_IF(x)"),
        ("SELECT AI.IF(x)", "SELECT __AI_IF(x)"),
        ("SELECT Google_ML . Score (x)", "SELECT __AI_SCORE(x)"),
        ("SELECT NLFILTER(x, 'y')", "SELECT __AI_IF(x, 'y')"),
        ("SELECT llm_filter(x)", "SELECT __AI_IF(x)"),
        ("SELECT AI.FILTER(x)", "SELECT __AI_IF(x)"),
        ("SELECT AI_COUNT_TOKENS(x)", "SELECT __AI_COUNT_TOKENS(x)"),
        (
            "SELECT CASE WHEN AI_IF(x) THEN 1 END",
            "SELECT CASE WHEN __AI_IF(x) THEN 1 END",
        ),
        (
            "SELECT SUM(AI_SCORE(x)) FILTER(WHERE AI_IF(y)) FROM t HAVING AI_IF(z)",
            "SELECT SUM(__AI_SCORE(x)) FILTER(WHERE __AI_IF(y)) FROM t HAVING __AI_IF(z)",
        ),
        (
            "SELECT DISTINCT ON (g) AI_IF(x) FROM a JOIN b ON AI_IF((a.x, b.x))",
            "SELECT DISTINCT ON (g) __AI_IF(x) FROM a JOIN b ON __AI_IF((a.x, b.x))",
        ),
        ("FROM t SELECT AI_IF(x)", "SELECT __AI_IF(x) FROM t"),
    ],
)
def test_names_are_replaced(sql: str, expected: str) -> None:
    assert parse_query(sql).sql(dialect="duckdb") == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'AI_IF(x)'",
        "SELECT 'it''s AI_IF(', $$AI_IF(x)$$",
        "SELECT 1 -- AI_IF(x)",
        "SELECT 1 /* /* nested */ AI_IF(x) */",
        'SELECT "AI_IF"(x)',
        'SELECT "AI"."IF"(x)',
        "SELECT other.AI_IF(x)",
        "SELECT ai_if, ai.score FROM ai_docs AS ai",
        "SELECT * FROM t AS ai_t(a, b)",
        "SELECT * FROM t ai_t(a, b)",
        "WITH ai_a(x) AS (SELECT 1), ai_b(x) AS MATERIALIZED (SELECT 2) SELECT * FROM ai_a, ai_b",
        "CREATE TABLE IF NOT EXISTS ai_docs(id INT)",
        "INSERT INTO ai_docs(id) VALUES (1)",
        "CREATE UNIQUE INDEX i ON ai_docs(id)",
        "CREATE MACRO ai.if(p) AS p",
        "CREATE MACRO ai_clean(p) AS p",
        "CREATE TABLE t (a INT REFERENCES ai_docs(id))",
        "SELECT prompt FROM t WHERE prompt IN (1)",
    ],
)
def test_what_is_no_call_is_left_alone(sql: str) -> None:
    assert not contains_semantic_call(sql)


@pytest.mark.parametrize("dialect", ["duckdb", "bigquery", "snowflake"])
def test_contains_a_call(dialect: Dialect) -> None:
    assert contains_semantic_call("EXPLAIN SELECT '; AI_' || AI_SCORE(x)", dialect)
    assert not contains_semantic_call("EXPLAIN SELECT 'AI_SCORE(x)'", dialect)


def test_functions_that_the_database_defines_are_its_own() -> None:
    assert contains_semantic_call("SELECT ai_clean(x)")
    assert not contains_semantic_call("SELECT ai_clean(x)", foreign={"ai_clean"})


@pytest.mark.parametrize(
    "name",
    [
        *("AI_FOLD", "AI_EMBED", "AI_SIMILARITY", "AI.RANK", "llm_embedding", "llm_reduce"),
        *("AI_GENERATE_TABLE", "NLjoin", "google_ml.embed"),
    ],
)
def test_functions_of_later_are_refused_by_name(name: str) -> None:
    with pytest.raises(UnsupportedError, match=r"cannot be compiled yet; there are AI_IF") as error:
        parse_query(f"SELECT 1, {name}(x, 'y', z => 1) FROM t")
    assert underlined(error.value) == name


@pytest.mark.parametrize(
    ("name", "hint"),
    [("AI_CLASIFY", "AI_CLASSIFY"), ("ai.scor", "AI_SCORE"), ("LLM_FILTERS", "LLM_FILTER")],
)
def test_unknown_names_get_close_ones(name: str, hint: str) -> None:
    with pytest.raises(BindError, match=f"no function {name}; did you mean {hint}") as error:
        parse_query(f"SELECT {name}(x) FROM t")
    assert underlined(error.value) == name


def test_errors_show_the_original_text() -> None:
    with pytest.raises(ParseError, match="Expecting") as error:
        parse_query("SELECT a\nFROM t\nWHERE (AI . IF(b) ORDER BY x")
    assert underlined(error.value) == "ORDER BY"
    with pytest.raises(ParseError, match="not closed") as error:
        parse_query("SELECT AI_IF('x")
    assert underlined(error.value) == "'x"


@pytest.mark.parametrize("sql", ["", "SELECT 1; SELECT 2", "-- nothing"])
def test_one_statement_is_expected(sql: str) -> None:
    with pytest.raises(ParseError, match="expected one statement"):
        parse_query(sql)


def test_places_count_from_the_whole_text() -> None:
    sql = "EXPLAIN SELECT 'é', ai . if(x, model => 'm')"
    (node,) = find_calls(parse_query(sql, span=Span(8, len(sql))))
    call: Span = node.meta["call_span"]
    spans: tuple[Span, ...] = node.meta["argument_spans"]
    assert sql[call.start : call.end] == "ai . if(x, model => 'm')"
    assert [sql[span.start : span.end] for span in spans] == ["x", "model => 'm'"]
    assert node.meta["written"] == "ai.if"
