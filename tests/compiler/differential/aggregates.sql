-- GROUP BY and aggregates below, above and over semantic calls.

-- everything by an answer
SELECT AI_CLASSIFY(x, ['pos', 'neg']) AS l, COUNT(*) AS n, COUNT(g) AS ng, COUNT(DISTINCT g) AS dg, COUNT(DISTINCT s) AS ds, COUNT(DISTINCT d) AS dd,
  SUM(g) AS sg, SUM(h) AS sh, SUM(m) AS sm, SUM(n) AS sn, SUM(r) AS sr, AVG(g) AS ag, AVG(m) AS am, AVG(h) AS ah, MIN(b) AS mb,
  MAX(b) AS xb, MIN(d) AS md, MAX(d) AS xd, MIN(m) AS mm, MAX(n) AS xn, MIN(day) AS mday, MAX(day) AS xday, MIN(ts) AS mat,
  MAX(ts) AS xat, MIN(s) AS ms, MAX(s) AS xs, MIN(f) AS mf, MAX(f) AS xf, BOOL_AND(f) AS ba, BOOL_OR(f) AS bo, COUNT_IF(f) AS ci
FROM t GROUP BY l

-- filtered aggregates of answers
SELECT g, COUNT(*) FILTER (WHERE AI_IF(x)) AS yes, COUNT(*) FILTER (WHERE NOT AI_IF(x)) AS no, COUNT(AI_IF(x)) AS known,
  SUM(m) FILTER (WHERE AI_IF(x)) AS sm, AVG(AI_SCORE(x)) AS mean, MIN(AI_CLASSIFY(x, ['pos', 'neg'])) AS low, MAX(AI_CLASSIFY(x, ['pos', 'neg'])) AS high,
  COUNT(DISTINCT AI_CLASSIFY(x, ['pos', 'neg'])) AS kinds, COUNT(DISTINCT s) FILTER (WHERE AI_IF(x)) AS fs, SUM(CASE WHEN AI_IF(x) THEN 1 ELSE 0 END) AS c,
  SUM(AI_IF(x)::INTEGER) AS yi, AVG(d) FILTER (WHERE d < 100) AS ad, MAX(AI_SCORE(x)) - MIN(AI_SCORE(x)) AS spread, BOOL_OR(AI_IF(x)) AS bo
FROM t GROUP BY g

-- one group of no rows
SELECT COUNT(*) AS n, SUM(g) AS s, AVG(m) AS a, MIN(s) AS lo, COUNT(DISTINCT s) AS ds FROM t WHERE AI_IF(x) AND id > 99

-- having
SELECT g, COUNT(*) AS n FROM t WHERE AI_IF(x) IS NOT FALSE GROUP BY g HAVING COUNT(*) > 1 AND MAX(id) < 100 ORDER BY n DESC, g NULLS FIRST

-- having an answer about a group
SELECT s, COUNT(*) AS n, AI_IF(MAX(x)) AS p FROM t GROUP BY s HAVING AI_IF(MAX(x)) OR COUNT(*) > 1 ORDER BY s

-- several keys and expressions of keys
SELECT g, AI_IF(x) AS p, year(day) AS y, COUNT(*) AS n, g * 10 + COUNT(*) AS e FROM t GROUP BY g, p, year(day)

-- keys of doubles, decimals and dates
SELECT d, m > 1 AS big, COUNT(*) AS n, SUM(id) AS ids FROM t WHERE AI_IF(x) IS NOT FALSE GROUP BY d, m > 1

-- positions
SELECT AI_CLASSIFY(x, ['pos', 'neg']) AS l, g, COUNT(*) AS n FROM t GROUP BY 1, 2 ORDER BY ALL

-- grouped before the model is asked
SELECT x, COUNT(*) AS n, SUM(m) AS sm, AI_IF(x) AS p FROM t GROUP BY x ORDER BY x

-- an aggregate of an aggregate
SELECT l, SUM(n) AS total, COUNT(*) AS groups FROM (SELECT AI_CLASSIFY(x, ['pos', 'neg']) AS l, g, COUNT(*) AS n FROM t GROUP BY ALL) q GROUP BY l

-- ranks of groups
SELECT AI_CLASSIFY(x, ['pos', 'neg']) AS l, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS rk FROM t GROUP BY l
