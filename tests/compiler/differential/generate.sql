-- Texts that a model writes, everywhere in a query; the model answers as `generate_macros.sql` says.

-- in the SELECT list
SELECT id, AI_GENERATE(x) AS a, AI_GENERATE('q ' || x) AS b, s FROM t ORDER BY id

-- as a condition
SELECT id FROM t WHERE AI_GENERATE(x) = 'fine' ORDER BY id

-- compared with a column, with another text, with NULL
SELECT id, AI_GENERATE(x) = s AS a, AI_GENERATE(x) < AI_GENERATE(s) AS b, AI_GENERATE(x) IS NULL AS c, AI_GENERATE(x) IN ('fine', s) AS d FROM t ORDER BY id

-- in a CASE
SELECT id, CASE WHEN g > 1 THEN AI_GENERATE(x) WHEN g = 1 THEN s ELSE 'none' END AS a, COALESCE(AI_GENERATE(x), s, '?') AS b FROM t ORDER BY id

-- ordered by
SELECT id FROM t ORDER BY AI_GENERATE(x) DESC NULLS LAST, id

-- grouped by
SELECT AI_GENERATE(x) AS a, COUNT(*) AS n, SUM(id) AS i FROM t GROUP BY a ORDER BY a NULLS FIRST

-- grouped with texts of a table
SELECT a, COUNT(*) AS n FROM (SELECT AI_GENERATE(x) AS a FROM t UNION ALL SELECT s FROM t) q GROUP BY a ORDER BY n, a

-- distinct
SELECT DISTINCT AI_GENERATE(x) AS a FROM t ORDER BY a

-- aggregated
SELECT MIN(AI_GENERATE(x)) AS a, MAX(AI_GENERATE(x)) AS b, COUNT(AI_GENERATE(x)) AS c, COUNT(DISTINCT AI_GENERATE(x)) AS d FROM t

-- collected
SELECT g, STRING_AGG(AI_GENERATE(x), ',' ORDER BY id) AS a FROM t GROUP BY g ORDER BY g

-- joined on
SELECT t.id, u.k FROM t JOIN u ON AI_GENERATE(t.x) = AI_GENERATE(u.x) ORDER BY t.id, u.k, u.name

-- joined with a column
SELECT a.id, u.k FROM (SELECT id, AI_GENERATE(x) AS y FROM t) a LEFT JOIN u ON a.y = u.name ORDER BY a.id, u.k

-- over a common table expression read twice
WITH q AS (SELECT id, AI_GENERATE(x) AS y FROM t) SELECT a.id, b.id AS other FROM q a JOIN q b ON a.y = b.y AND a.id < b.id ORDER BY a.id, other

-- in a subquery
SELECT id FROM t WHERE s IN (SELECT AI_GENERATE(x) FROM u) OR EXISTS (SELECT 1 FROM u WHERE u.k = t.g AND AI_GENERATE(u.x) = 'fine') ORDER BY id

-- a scalar subquery
SELECT k, (SELECT MAX(AI_GENERATE(x)) FROM t WHERE t.g = u.k) AS a FROM u ORDER BY k, name

-- chained
SELECT id, AI_GENERATE(AI_GENERATE(x)) AS a, AI_GENERATE('and ' || AI_GENERATE(AI_GENERATE(x))) AS b FROM t ORDER BY id

-- judged
SELECT id, AI_IF(AI_GENERATE(x)) AS a FROM t ORDER BY id

-- a condition over a judged text
SELECT id, AI_GENERATE(x) AS a FROM t WHERE AI_IF(AI_GENERATE(x)) ORDER BY id

-- one prompt of two texts
SELECT id, AI_GENERATE(AI_GENERATE(x) || ' ' || s) AS a FROM t ORDER BY id

-- over a group
SELECT g, AI_GENERATE(MIN(x)) AS a FROM t GROUP BY g HAVING AI_GENERATE(MAX(x)) <> 'poor' ORDER BY g

-- over a window
SELECT id, ROW_NUMBER() OVER (PARTITION BY AI_GENERATE(x) ORDER BY id) AS n, FIRST_VALUE(AI_GENERATE(x)) OVER (ORDER BY id) AS f FROM t ORDER BY id

-- patterns
SELECT id, AI_GENERATE(x) LIKE '%n%' AS a, AI_GENERATE(x) ILIKE 'FI%' AS b, regexp_matches(AI_GENERATE(x), '^[a-m]') AS c FROM t ORDER BY id

-- functions of the text
SELECT id, length(AI_GENERATE(x)) AS a, upper(AI_GENERATE(x)) AS b, AI_GENERATE(x) || '!' AS c FROM t ORDER BY id

-- set operations
SELECT AI_GENERATE(x) AS a FROM t UNION SELECT s FROM t EXCEPT SELECT name FROM u ORDER BY a

-- a limit below
SELECT id, AI_GENERATE(x) AS a FROM t ORDER BY id LIMIT 3 OFFSET 1

-- no rows
SELECT id, AI_GENERATE(x) AS a FROM empty

-- rows without a group
SELECT AI_GENERATE(MIN(x)) AS a FROM t WHERE id > 99

-- values of any type in a prompt
SELECT id, AI_GENERATE(id || ' good ' || day || ' ' || m) AS a FROM t ORDER BY id

-- distinct on
SELECT DISTINCT ON (AI_GENERATE(x)) id, AI_GENERATE(x) AS a FROM t ORDER BY AI_GENERATE(x), id

-- qualify
SELECT id FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY AI_GENERATE(x) ORDER BY id) = 1 ORDER BY id
