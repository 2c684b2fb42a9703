-- Sources, names, nesting, types that are only carried.

-- a cte used twice
WITH q AS (SELECT id, g, AI_IF(x) AS p FROM t) SELECT a.id, b.id AS other FROM q a JOIN q b ON a.g = b.g AND a.id < b.id WHERE a.p OR b.p

-- a cte with column names
WITH q(a, b) AS (SELECT id, AI_IF(x) FROM t) SELECT a, b FROM q WHERE b IS NOT FALSE

-- nested subqueries
SELECT n, l FROM (SELECT l, COUNT(*) AS n FROM (SELECT AI_CLASSIFY(x, ['pos', 'neg']) AS l, g FROM (SELECT * FROM t WHERE id > 1) i) j WHERE g IS NOT NULL GROUP BY l) k WHERE n > 0

-- a limit inside
SELECT COUNT(*) AS n, SUM(id) AS ids FROM (SELECT id FROM t WHERE AI_IF(x) ORDER BY id DESC LIMIT 3) q

-- a filter above a limit
SELECT id, p FROM (SELECT id, g, AI_IF(x) AS p FROM t ORDER BY id LIMIT 5) q WHERE g = 1

-- star exclude and replace
SELECT * EXCLUDE (x, d, r) REPLACE (g + 1 AS g, upper(s) AS s), AI_CLASSIFY(x, ['pos', 'neg']) AS l FROM t

-- star of one table
SELECT u.*, t.id, AI_IF(t.x) AS p FROM t JOIN u ON t.id = u.k

-- odd names
SELECT "My Col", "quo""te", upper, "select" AS "As Is", AI_IF("select") AS "Is It?", "dot.ted" FROM "Odd Names" WHERE "UPPER" IS NULL OR "my col" < 3

-- names without aliases
SELECT g + 1, -g, COALESCE(g, 0), g = 1, count(*), sum(m), max(s), CASE WHEN g = 1 THEN 'a' END, g::BIGINT, t.g, bool_or(AI_IF(x)) AS p
FROM t GROUP BY g

-- names of subqueries without aliases
SELECT * FROM (SELECT id + 1, upper(s), t.m, AI_IF(x) AS p FROM t) q

-- duplicate names
SELECT id, id, g AS id, AI_IF(x) AS p, NOT AI_IF(x) AS p FROM t

-- from first, a view
FROM seen SELECT id, twice, AI_IF(x) AS p WHERE twice > 2 OR AI_IF(x)

-- a table in a schema
SELECT side.k, s.name FROM aux.side JOIN aux.side s ON side.k = s.k WHERE AI_IF(side.x)

-- a file
SELECT id, amount * 2 AS two, day, AI_IF(x) AS p FROM read_csv('{csv}') WHERE amount > 1

-- values
SELECT i, AI_IF(v) AS p FROM (VALUES (1, 'good'), (2, 'bad'), (3, NULL)) q(i, v)

-- a table function
SELECT i, AI_IF(i || ' good') AS p FROM range(3) q(i)

-- an empty table
SELECT id, s, AI_IF(x) AS p, AI_CLASSIFY(x, ['pos', 'neg']) AS l, AI_SCORE(x) AS sc FROM empty WHERE id > 0 ORDER BY p

-- carried types
SELECT *, AI_IF(x) AS p FROM kinds ORDER BY id DESC

-- carried types through a join and a filter
SELECT k.*, o.id AS oid FROM kinds k LEFT JOIN (SELECT id, AI_IF(x) AS p FROM one) o ON o.id = k.id WHERE AI_IF(k.x)

-- a choice of a carried type
SELECT id, (bl) AS c3, st.a AS c4, l[1] AS c5, hg + 1 AS c6 FROM kinds WHERE id <> 2 OR AI_IF(x)

-- counts of a carried type
SELECT AI_IF(x) AS p, COUNT(l) AS nl, COUNT(*) AS n, SUM(hg) AS sh FROM kinds GROUP BY p

-- an answer about an answer
SELECT id, AI_IF(AI_CLASSIFY(x, ['pos', 'neg'])) AS p FROM t

-- a parenthesised query
(SELECT id FROM t WHERE AI_IF(x) ORDER BY id LIMIT 2)

-- a table alias with column names
SELECT a, b, AI_IF(c) AS p FROM one q(a, b, d, c)

-- a correlated subquery below
SELECT id FROM t WHERE g = (SELECT MIN(k) FROM u WHERE u.k >= t.g) AND AI_IF(x)

-- nothing is computed where its branch is not taken
SELECT id, CASE WHEN id <> 3 AND AI_IF(x) THEN 10 // (id - 3) END AS v, IF(g > 1, id % (g - 1), g) AS w FROM t WHERE g <> 1

-- guards that read answers
SELECT id, CASE WHEN g > 1 THEN AI_IF(x) WHEN AI_IF(s) THEN AI_IF(x) ELSE AI_SCORE(x) > 0.5 END AS v FROM t

-- full join after a semantic condition
SELECT t.id, o.s FROM t JOIN u ON AI_IF(u.x) AND g = k FULL JOIN one o ON o.id = t.id

-- full join with using
SELECT id, AI_IF(t.x) AS p FROM t FULL JOIN one o USING (id)

-- rollup
SELECT g, COUNT(*) AS n, GROUPING(g) AS x FROM t WHERE AI_IF(x) GROUP BY ROLLUP(g)

-- cube beside a key
SELECT g, s, COUNT(*) AS n FROM t WHERE AI_IF(x) GROUP BY g, CUBE(s)

-- a sum of distinct values
SELECT SUM(DISTINCT g) AS n FROM t WHERE AI_IF(x)

-- a call in a correlated subquery
SELECT id, (SELECT COUNT(*) FROM u WHERE u.k = t.g AND AI_IF(u.x)) AS n FROM t

-- a call that reads a column of the query around it
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.g AND AI_IF(t.x || u.x))

-- the operand of IN is a call
SELECT id FROM t WHERE AI_CLASSIFY(x, ['a', 'b']) IN (SELECT CASE WHEN AI_IF(x) THEN 'a' ELSE 'b' END FROM one)

-- a subquery in a prompt
SELECT id, AI_IF(x || (SELECT MAX(name) FROM u WHERE u.k = t.g)) AS p FROM t

-- set operations
SELECT id FROM t WHERE AI_IF(x) UNION ALL SELECT k FROM u WHERE AI_IF(x)

-- except
SELECT g FROM t WHERE AI_IF(x) EXCEPT SELECT k FROM u WHERE AI_IF(x)

-- the first of each group
SELECT DISTINCT ON (g) g, id FROM t WHERE AI_IF(x) ORDER BY g, id DESC

-- lateral
SELECT t.id, v.n FROM t, LATERAL (SELECT COUNT(*) AS n FROM u WHERE u.k = t.g AND AI_IF(u.x)) v

-- a CTE read twice
WITH a AS (SELECT id, g FROM t WHERE AI_IF(x)) SELECT l.id, r.id AS other FROM a l JOIN a r ON l.g = r.g
