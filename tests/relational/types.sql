-- Types that are carried through: nested ones, ENUM, BLOB, UUID, wide numbers.

SELECT id, [id, id + 1] AS xs, {a: id, b: name} AS st, MAP {'k': id} AS mp FROM emp;
SELECT xs FROM (VALUES ([1, 2]), ([]), (NULL), ([NULL])) v(xs);
SELECT xs, len(xs) AS n, xs[1] AS first, list_contains(xs, 2) AS two FROM (VALUES ([1, 2]), ([]), (NULL)) v(xs);
SELECT st.a, st FROM (VALUES ({a: 1, b: 'x'}), ({a: NULL, b: 'y'}), (NULL)) v(st);
SELECT UNNEST([1, 2, NULL]) AS x;
SELECT a, UNNEST([b, a]) AS x FROM l;
SELECT e, e = 'low' AS is_low FROM (SELECT x::ENUM('low', 'high') AS e FROM (VALUES ('low'), ('high'), (NULL)) v(x)) s ORDER BY e;
SELECT e, COUNT(*) AS n FROM (SELECT x::ENUM('low', 'high') AS e FROM (VALUES ('low'), ('high'), ('low')) v(x)) s GROUP BY e;
SELECT b FROM (VALUES ('\x00\xFF'::BLOB), (''::BLOB), (NULL)) v(b);
SELECT b, COUNT(*) AS n FROM (VALUES ('a'::BLOB), ('a'::BLOB), ('b'::BLOB)) v(b) GROUP BY b;
SELECT u FROM (VALUES ('00000000-0000-0000-0000-000000000001'::UUID), (NULL)) v(u);
SELECT h, h + 1 AS p, h = 5 AS e FROM (VALUES (170141183460469231731687303715884105726::HUGEINT), (5), (NULL)) v(h);
SELECT w, w * 2 AS t, -w AS n FROM (VALUES (12345678901234567890.12345::DECIMAL(38,5)), (0.5), (NULL)) v(w);
SELECT SUM(w) AS s, MAX(w) AS m FROM (VALUES (12345678901234567890.12345::DECIMAL(38,5)), (0.5), (NULL)) v(w);
SELECT u, u + 1::UTINYINT AS p FROM (VALUES (1::UTINYINT), (254::UTINYINT)) v(u);
SELECT u FROM (VALUES (18446744073709551615::UBIGINT), (0::UBIGINT)) v(u) WHERE u > 9223372036854775807;
SELECT t, t < TIME '12:00:00' AS early FROM (VALUES (TIME '10:11:12'), (TIME '23:59:59'), (NULL)) v(t);
SELECT z FROM (VALUES (TIMESTAMPTZ '2024-01-01 00:00:00+00'), (NULL)) v(z);
SELECT i, i > INTERVAL 2 DAY AS long FROM (VALUES (INTERVAL 3 DAY), (INTERVAL 1 HOUR), (NULL)) v(i) ORDER BY i;
SELECT typeof(a) AS x, typeof(s) AS y, typeof(a / 2) AS z FROM l WHERE b = 10;
SELECT id, (id, name) AS pair FROM emp WHERE id < 3;
SELECT '101'::BIT AS b, 1::BOOLEAN AS t, 'x'::VARCHAR AS v, '1'::INTEGER + 1 AS i;
SELECT xs, COUNT(*) AS n FROM (VALUES ([1]), ([1]), ([2])) v(xs) GROUP BY xs;
SELECT l.a, m.xs FROM l LEFT JOIN (VALUES (1, [1, 2]), (3, [])) m(a, xs) USING (a);
SELECT list_sum([1, 2, 3]) AS s, list_sort([3, 1, 2]) AS o, [x + 1 FOR x IN [1, 2]] AS c;
SELECT current_setting('threads') IS NOT NULL AS has_threads, version() <> '' AS has_version, pi() AS pi;
