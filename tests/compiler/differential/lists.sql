-- STRING_AGG and LIST below, above and over semantic calls.

-- texts of which the model says yes
SELECT g, STRING_AGG(s, '|' ORDER BY id) FILTER (WHERE AI_IF(x)) AS yes, LIST(id ORDER BY id) FILTER (WHERE NOT AI_IF(x)) AS no, COUNT(*) AS n FROM t GROUP BY g

-- answers as texts
SELECT g, STRING_AGG(AI_CLASSIFY(x, ['pos', 'neg']), '+' ORDER BY id) AS labels, LIST(AI_IF(x) ORDER BY id) AS flags, LIST(AI_SCORE(x) ORDER BY id) AS scores,
  STRING_AGG(DISTINCT AI_CLASSIFY(x, ['pos', 'neg']), '' ORDER BY AI_CLASSIFY(x, ['pos', 'neg'])) AS kinds FROM t GROUP BY g

-- all values by an answer
SELECT AI_CLASSIFY(x, ['pos', 'neg']) AS l, LIST(g ORDER BY id) AS gs, LIST(d ORDER BY id) AS ds, LIST(m ORDER BY id) AS ms, LIST(day ORDER BY id) AS days,
  LIST(ts ORDER BY id) AS tss, LIST(f ORDER BY id) AS fs, LIST(x ORDER BY id DESC) AS xs FROM t GROUP BY l ORDER BY l

-- in the order of answers
SELECT STRING_AGG(s, ',' ORDER BY AI_SCORE(x) DESC NULLS LAST, id) AS best, LIST(upper(s) ORDER BY AI_IF(x) NULLS FIRST, id) AS l FROM t

-- no rows
SELECT STRING_AGG(s) AS a, LIST(id) AS b FROM t WHERE AI_IF(x) AND id > 99

-- lists below a model call
SELECT s, ids, n, AI_IF(top) AS p FROM (SELECT s, LIST(id ORDER BY id) AS ids, COUNT(*) AS n, MAX(x) AS top FROM t GROUP BY s) q WHERE n > 0 ORDER BY s

-- lists between model calls
SELECT s, names, AI_IF(top) AS p FROM (SELECT s, STRING_AGG(g, ',' ORDER BY id) AS names, MAX(x) AS top FROM t WHERE AI_IF(x) IS NOT FALSE GROUP BY s) q ORDER BY s LIMIT 3

-- joined to other rows
SELECT t.id, q.names FROM t LEFT JOIN (SELECT g, STRING_AGG(s, ',' ORDER BY id) AS names FROM t WHERE AI_IF(x) GROUP BY g) q ON t.g = q.g AND t.id > 1 ORDER BY t.id

-- read twice
WITH q AS (SELECT g, STRING_AGG(s, ',' ORDER BY id) AS names FROM t WHERE AI_IF(x) GROUP BY g) SELECT a.names AS one, b.names AS two FROM q a JOIN q b ON a.g <= b.g

-- a union of lists
WITH q AS (SELECT g, LIST(s ORDER BY id) AS names, BOOL_OR(AI_IF(x)) AS p FROM t GROUP BY g) SELECT names, 1 AS n FROM q WHERE p UNION ALL SELECT names, 2 FROM q

-- a prompt over the text
SELECT g, AI_IF(names) AS p FROM (SELECT g, STRING_AGG(x, ' ' ORDER BY id) AS names FROM t WHERE AI_IF(x) IS NOT NULL GROUP BY g) q ORDER BY g

-- functions, orders and groups of the text
SELECT length(names) AS n, COUNT(*) AS c FROM (SELECT g, STRING_AGG(s, ',' ORDER BY id) AS names FROM t WHERE AI_IF(x) GROUP BY g) q WHERE names LIKE '%a%' OR names > 'b' GROUP BY n ORDER BY n

-- each set of keys
SELECT g, f, STRING_AGG(s, ',' ORDER BY id) AS names FROM t WHERE AI_IF(x) IS NOT NULL GROUP BY ROLLUP (g, f)
