-- Queries that DuckDB begins and cannot end: a value is impossible.

SELECT i + 1 AS a FROM num;
SELECT y + 1::TINYINT AS a FROM num;
SELECT h * 2::SMALLINT AS a FROM num;
SELECT g + 1 AS a FROM num;
SELECT -i AS a FROM num;
SELECT abs(g) AS a FROM num;
SELECT g * 2 AS a FROM num WHERE id > 2;
SELECT d::INTEGER AS a FROM num;
SELECT g::INTEGER AS a FROM num;
SELECT m::DECIMAL(4,2) AS a FROM num;
SELECT i::TINYINT AS a FROM num WHERE id > 6;
SELECT s::INTEGER AS a FROM txt;
SELECT s::DATE AS a FROM txt;
SELECT id, (SELECT salary FROM emp s WHERE s.boss = e.id) AS s FROM emp e;
SELECT (SELECT a FROM l) AS a;
SELECT id FROM emp WHERE salary = (SELECT salary FROM emp);
SELECT id // (id - 3) AS a FROM emp;
SELECT id % (id - 3) AS a FROM emp;
