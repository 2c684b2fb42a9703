-- UNNEST in FROM, of lists that a model has a part in; DuckDB answers as `macros.sql` says.

-- behind a comma
SELECT id, u.v FROM t, UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS u(v) ORDER BY id, v NULLS LAST

-- in a cross join
SELECT t.id, u.* FROM t CROSS JOIN UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS u(v) ORDER BY id, v NULLS LAST

-- without a name for the column
SELECT id, u FROM t, UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS u ORDER BY id, u NULLS LAST

-- without any name
SELECT id, "unnest" AS v FROM t CROSS JOIN UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) ORDER BY id, v NULLS LAST

-- rows without elements kept
SELECT id, v FROM t LEFT JOIN UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS u(v) ON TRUE ORDER BY id, v NULLS LAST

-- under a condition
SELECT id, v FROM t JOIN UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS u(v) ON v <> 'all' ORDER BY id, v

-- under a condition that asks a model
SELECT id, v FROM t JOIN UNNEST([x, 'good ' || id]) AS u(v) ON AI_IF(v) ORDER BY id, v

-- lateral
SELECT id, v FROM t, LATERAL UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS u(v) ORDER BY id, v NULLS LAST

-- conditions over rows and elements
SELECT id, v FROM t, UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS u(v) WHERE g <> 3 AND v > 'b' AND id < 9 ORDER BY id, v

-- grouped
SELECT v, COUNT(*) AS n, MIN(id) AS i FROM t, UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS u(v) GROUP BY v ORDER BY v NULLS LAST

-- joined on
SELECT t.id, w.k FROM t CROSS JOIN UNNEST([AI_CLASSIFY(x, ['b', 'z'])]) AS e(v) JOIN u AS w ON w.name = e.v ORDER BY t.id, w.k

-- of a subquery's list
SELECT q.id, e.v FROM (SELECT id, CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END AS l FROM t) q, UNNEST(q.l) AS e(v) ORDER BY q.id, e.v NULLS LAST

-- of the elements of another one
SELECT id, a.v, b.w FROM t, UNNEST(CASE g WHEN 1 THEN [AI_CLASSIFY(x, ['p', 'q']), 'all', NULL] WHEN 2 THEN [] WHEN 3 THEN [AI_CLASSIFY(x, ['p', 'q'])] END) AS a(v), UNNEST([a.v, id::VARCHAR]) AS b(w) WHERE v IS NOT NULL ORDER BY id, v, w

-- of structs
SELECT id, e.v.p AS p, e.v.n AS n FROM t, UNNEST([{'p': AI_IF(x), 'n': id}, {'p': f, 'n': g}]) AS e(v) ORDER BY id, n NULLS LAST, p NULLS LAST

-- of a constant text's answer
SELECT v FROM UNNEST([AI_CLASSIFY('good', ['p', 'q']), 'r']) AS e(v) ORDER BY v

-- asked about
SELECT id, v, AI_IF(v) AS p FROM t, UNNEST([x, AI_CLASSIFY(x, ['good p', 'q'])]) AS e(v) ORDER BY id, v NULLS LAST

-- in a correlated subquery
SELECT id, (SELECT COUNT(v) FROM UNNEST([t.s, AI_CLASSIFY(t.x, ['p', 'q'])]) AS e(v)) AS n FROM t ORDER BY id

-- in a lateral subquery
SELECT id, e.v FROM t, LATERAL (SELECT UNNEST([t.s, AI_CLASSIFY(t.x, ['p', 'q'])]) AS v) e ORDER BY id, v NULLS LAST
