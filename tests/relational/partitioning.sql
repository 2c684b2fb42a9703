-- Predicates over `t`: each divides its rows into those where it is true, false and unknown.

a = 2
a <> b
a < b
a >= 2
a IS NULL
a IS NOT NULL
a IS DISTINCT FROM b
a IS NOT DISTINCT FROM b
a BETWEEN 1 AND b
a NOT BETWEEN b AND 3
a IN (1, 3)
a IN (1, NULL)
a NOT IN (1, b)
a NOT IN (1, NULL)
d > 0
d = 'nan'::DOUBLE
d < m
m = 1.5
m IN (1.5, 2)
s = 'x'
s > 'a'
s LIKE 'a%'
s NOT LIKE '%b'
s ILIKE 'A_'
s SIMILAR TO '[a-b]+'
regexp_matches(s, 'b$')
starts_with(s, 'a')
contains(s, x)
s IN ('x', x)
length(s) > 1
upper(s) = 'AB'
day > DATE '2000-01-01'
day + INTERVAL 1 MONTH > '2024-01-31'
year(day) = 2024
f
NOT f
f IS TRUE
f IS NOT FALSE
f = (a > 1)
f AND a > 1
f OR a > 1
NOT (f AND a > 1)
(f OR s = 'x') AND (a < 3 OR d > 1)
CASE WHEN f THEN a > 1 WHEN a = 2 THEN d > 0 END
COALESCE(f, a > 1)
NULLIF(f, TRUE)
a + b > 3
a % 2 = 1
a / NULLIF(b, 0) > 0.5
NULL
TRUE
a > NULL
isnan(d)
a::BOOLEAN
TRY_CAST(s AS INTEGER) = 12
EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b > t.b)
a IN (SELECT a FROM u)
a NOT IN (SELECT a FROM u)
a IN (SELECT a FROM u WHERE u.b = t.b)
a NOT IN (SELECT a FROM u WHERE u.b = t.b)
a NOT IN (SELECT a FROM u WHERE FALSE)
a > ANY (SELECT a FROM u)
a <= ALL (SELECT a FROM u WHERE a IS NOT NULL)
a <> ALL (SELECT a FROM u WHERE u.b < t.b)
a = (SELECT MAX(a) FROM u WHERE u.b = t.b)
(SELECT COUNT(*) FROM u WHERE u.a = t.a) > 1
(SELECT BOOL_AND(u.a > t.a) FROM u)
(a, b) IN (SELECT a, b FROM u)
a > (SELECT AVG(a) FROM u)
