-- Joins below and above semantic calls.

-- inner, each side judged
SELECT t.id, u.name FROM t JOIN u ON t.g = u.k WHERE AI_IF(t.x) AND AI_IF(u.x)

-- left, nulls on the right
SELECT t.id, u.k, u.name, u.w, AI_IF(u.x) AS p, AI_CLASSIFY(t.x, ['pos', 'neg']) AS l FROM t LEFT JOIN u ON t.g = u.k

-- on a string key
SELECT t.id, u.k, u.w FROM t JOIN u ON t.s = u.name AND t.g + 0 < 9 WHERE AI_IF(t.x)

-- on an integer and a decimal
SELECT t.id, u.w FROM t JOIN u ON t.id = u.w WHERE AI_IF(t.x) IS NOT NULL

-- with a condition beyond the keys
SELECT t.id, u.k, u.w FROM t JOIN u ON t.g = u.k AND t.id > u.w WHERE AI_IF(t.x)

-- a semantic condition in on, from first
FROM t JOIN u ON t.g = u.k AND AI_IF(u.x) JOIN one o ON o.k = u.k SELECT t.id, u.name, o.s

-- above answers of both sides
SELECT a.id, b.name, a.l, b.p FROM (SELECT id, g, AI_CLASSIFY(x, ['pos', 'neg']) AS l FROM t) a JOIN (SELECT k, name, AI_IF(x) AS p FROM u) b ON a.g = b.k

-- left, above answers
SELECT a.id, a.p, b.name, b.l, b.p FROM (SELECT id, g, s, AI_IF(x) AS p FROM t) a
LEFT JOIN (SELECT k, name, AI_CLASSIFY(x, ['pos', 'neg']) AS l, AI_IF(x) AS p FROM u) b ON a.g = b.k AND a.p = b.p

-- on an answer
SELECT a.id, b.k FROM (SELECT id, AI_CLASSIFY(x, ['pos', 'neg']) AS l FROM t) a JOIN (SELECT k, AI_CLASSIFY(x, ['pos', 'neg']) AS l FROM u) b ON a.l = b.l

-- more rows than both sides, kept
SELECT a.id AS i, b.id AS j, a.p FROM (SELECT id, k, AI_IF(x) AS p FROM many) a LEFT JOIN many b ON a.k = b.k

-- using, with a star
SELECT * FROM u LEFT JOIN (SELECT k, id, AI_CLASSIFY(x, ['pos', 'neg']) AS l FROM one) q USING (k)

-- three tables
SELECT t.id, u.name, o.s FROM t JOIN u ON t.g = u.k LEFT JOIN one o ON o.k = u.k WHERE AI_IF(t.x) AND COALESCE(AI_IF(o.x), TRUE)

-- an empty right side
SELECT t.id, e.s, AI_IF(t.x) AS p, AI_IF(e.x) AS q FROM t LEFT JOIN empty e ON e.k = t.g

-- an empty left side
SELECT e.id, t.s, e.p FROM (SELECT id, k, AI_IF(x) AS p FROM empty) e JOIN t ON e.k = t.g

-- a self join
SELECT a.id, b.id AS other FROM t a JOIN t b ON a.s = b.s AND a.id < b.id WHERE AI_IF(a.x) OR AI_IF(b.x)

-- joined and grouped
SELECT u.name, COUNT(*) AS n, COUNT(*) FILTER (WHERE AI_IF(t.x)) AS y, SUM(t.m) AS sm FROM t JOIN u ON t.g = u.k GROUP BY u.name

-- cross
SELECT t.id, o.id AS oid FROM t CROSS JOIN one o WHERE AI_IF(t.x) AND AI_IF(o.x)

-- a full join below
SELECT t.id, u.k, AI_IF(u.x) AS p FROM t FULL JOIN u ON t.g = u.k AND t.s = u.name

-- semi and anti joins below
SELECT t.id, AI_CLASSIFY(t.x, ['pos', 'neg']) AS l FROM t SEMI JOIN u ON t.g = u.k ANTI JOIN one o ON o.id = t.id
