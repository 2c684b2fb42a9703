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
