-- Scalar expressions beside a semantic call: the graph computes them.

-- arithmetic of integers
SELECT id, AI_IF(x) AS p, id + g AS a, id - b / 2 AS c, h * g AS e, -h AS n, abs(h) AS ab, b // 3 AS q,
  b % 3 AS m1, -7 // h + 1 AS neg_div, b / 4 AS half, id * 2 + g * 3 AS two, h + 1::TINYINT AS small,
  (id + g) * h AS nested, +id AS plus
FROM t WHERE h <> 0

-- arithmetic of decimals and doubles
SELECT id, AI_IF(x) AS p, m + n AS dec_sum, m - 1 AS dec_int, m * n AS dec_product, m * 2 AS doubled, -m AS neg,
  abs(m) AS ab, m + 0.005 AS literal, m * 1.5 AS scaled, n * n AS square, m / n AS ratio, m / 3 AS third,
  d + 1 AS plus, d * 2.5 AS times, d - d AS same, d / 2 AS half, -d AS opposite, m + d AS mixed, r + r AS floats,
  r * 2 AS float_int, r + d AS float_double, id + m AS int_dec, id / m AS int_by_dec
FROM t WHERE m <> 0 AND n <> 0

-- comparison across types
SELECT id, AI_IF(x) AS p, id = m AS a, id < m AS b1, g >= d AS c, m = n AS e, m > d AS dd, n <= 1.25 AS lit,
  d = 1.5 AS dl, d > 1e300 AS big, d <> d AS nan_self, d = 'nan'::DOUBLE AS is_nan, h = id AS hs, b > 2.5 AS b2,
  r = 0.1 AS r_dec, r = 0.1::DOUBLE AS r_double, r = 0.1::FLOAT AS r_float, r < m AS r_m, f = TRUE AS ft, f < TRUE AS fl,
  f = (g = 1) AS bools, m < 100000000000 AS wide, h < 3000000000 AS h_wide, b = 4611686018427387904.0 AS big_dec
FROM t

-- comparison of strings
SELECT id, AI_CLASSIFY(x, ['pos', 'neg']) AS l, s = 'b' AS a, s < 'b' AS lt, s >= 'é' AS ge, s <> '' AS ne, s = x AS sx, s > x AS gx,
  AI_CLASSIFY(x, ['pos', 'neg']) = 'pos' AS lp, AI_CLASSIFY(x, ['pos', 'neg']) < s AS ls, s BETWEEN 'a' AND 'z' AS bt, s NOT BETWEEN 'a' AND 'z' AS nbt,
  s IN ('b', 'é', 'absent') AS i1, s NOT IN ('b', NULL) AS i2, s IN (x, 'B') AS i3, s IS DISTINCT FROM 'b' AS df,
  s IS NOT DISTINCT FROM NULL AS ndf, AI_CLASSIFY(x, ['pos', 'neg']) IN ('neg', s) AS li
FROM t

-- three-valued logic
SELECT id, AI_IF(x) AS p, NOT AI_IF(x) AS np, f AND AI_IF(x) AS a1, AI_IF(x) AND f AS a2, f OR AI_IF(x) AS o1, AI_IF(x) OR f AS o2,
  AI_IF(x) IS NULL AS isn, AI_IF(x) IS NOT NULL AS isnn, AI_IF(x) IS TRUE AS ist, AI_IF(x) IS NOT TRUE AS isnt,
  AI_IF(x) IS FALSE AS isf, AI_IF(x) IS NOT FALSE AS isnf, AI_IF(x) = f AS eq, AI_IF(x) <> f AS ne, AI_IF(x) IS DISTINCT FROM f AS df,
  AI_IF(x) IS NOT DISTINCT FROM f AS ndf, g IS DISTINCT FROM h AS gd, d IS NOT DISTINCT FROM d AS dd,
  m IS DISTINCT FROM n AS mn, g IN (1, NULL) AS i1, g NOT IN (1, NULL) AS i2, g IN (2, 3) AS i3, g NOT IN (2, 3) AS i4,
  m IN (7.5, 0, NULL) AS i5, id IN (g, h, 5) AS i6, AI_IF(x) IN (TRUE, f) AS i7, NULL AND AI_IF(x) AS na, NULL OR AI_IF(x) AS no,
  g BETWEEN h AND 3 AS bt, g NOT BETWEEN 1 AND h AS nbt, d BETWEEN 0 AND 3 AS db, NOT (f AND g = 1) AS nfg
FROM t

-- choices
SELECT id, CASE WHEN AI_IF(x) THEN g WHEN f THEN 100 END AS c1, CASE AI_CLASSIFY(x, ['pos', 'neg']) WHEN 'pos' THEN 1 WHEN 'neg' THEN 2.5 ELSE m END AS c2,
  CASE WHEN AI_IF(x) THEN s ELSE 'other' END AS c3, CASE WHEN AI_IF(x) THEN AI_CLASSIFY(x, ['pos', 'neg']) ELSE s END AS c4, CASE g WHEN 1 THEN day END AS c5,
  COALESCE(g, h, 0) AS co1, COALESCE(s, x, 'none') AS co2, COALESCE(AI_IF(x), f, FALSE) AS co3, COALESCE(m, d) AS co4,
  COALESCE(NULL, g) AS co5, NULLIF(g, 1) AS nu1, NULLIF(s, 'b') AS nu2, NULLIF(AI_CLASSIFY(x, ['pos', 'neg']), 'pos') AS nu3, NULLIF(g, h) AS nu4,
  NULLIF(m, 7.5) AS nu5, IF(AI_IF(x), 1, 0) AS if1, IFNULL(g, -1) AS ifn, CASE WHEN g IS NULL THEN NULL ELSE AI_SCORE(x) END AS c6,
  CASE WHEN AI_IF(x) THEN 1 ELSE NULL END AS c7, CASE WHEN FALSE THEN 1 ELSE g END AS c8, CASE WHEN NULL THEN 1 END AS c9,
  CASE WHEN id = 3 THEN 1 // (id - 3) ELSE 0 END IS NULL AS lazy
FROM t WHERE id <> 3

-- casts
SELECT id, AI_IF(x) AS p, CAST(d AS INTEGER) AS di, m::INTEGER AS mi, n::DECIMAL(9,2) AS nn, id::DOUBLE AS idd, m::DOUBLE AS md,
  f::INTEGER AS fi, g::BOOLEAN AS gb, AI_IF(x)::INTEGER AS pi, d::FLOAT AS df, d::FLOAT = d AS still, id::DECIMAL(10,3) AS idm,
  day::TIMESTAMP AS dts, b::HUGEINT AS bh, h::BIGINT AS hb, d::DECIMAL(10,1) AS dd, AI_SCORE(x)::DECIMAL(5,2) AS sd,
  n::INTEGER AS ni, (m * 10)::BIGINT AS m10, d::BOOLEAN AS db, m::BOOLEAN AS mb, CAST(r AS DOUBLE) AS rd, r::INTEGER AS ri,
  CAST(id AS VARCHAR) AS text, TRY_CAST(s AS INTEGER) AS tried, CAST('5' AS INTEGER) + id AS const
FROM t WHERE (isfinite(d) OR d IS NULL) AND id <> 10

-- dates
SELECT id, AI_IF(x) AS p, EXTRACT(year FROM day) AS y, EXTRACT(month FROM ts) AS mo, EXTRACT(day FROM day) AS da, year(ts) AS ya,
  month(day) AS md, day(ts) AS dat, day > DATE '2000-01-01' AS after, day = '2024-02-29' AS lit, ts >= '2000-01-01' AS at_lit,
  ts < TIMESTAMP '2024-01-01 00:00:00' AS before, day - DATE '2000-01-01' AS days, day + 30 AS later, day - 1 AS earlier,
  5 + day AS int_first, ts = day AS at_day, ts > day AS at_after, day BETWEEN '1900-01-01' AND '2000-01-01' AS bt,
  day IN (DATE '2024-02-29', NULL) AS i1, CASE WHEN AI_IF(x) THEN day ELSE DATE '1970-01-01' END AS c, COALESCE(day, ts) AS co,
  day + INTERVAL 1 MONTH AS month_later, date_trunc('month', ts) AS trunc, EXTRACT(hour FROM ts) AS hh, ts - ts AS zero,
  strftime(day, '%Y') AS text, quarter(day) AS qu, day IS DISTINCT FROM ts AS df
FROM t

-- what only DuckDB computes
SELECT id, AI_IF(x) AS p, upper(s) AS up, length(s) AS len, s LIKE '%b%' AS lk, s || '!' AS cat, round(d, 1) AS rd, sqrt(abs(m)) AS sq,
  g & 1 AS band, id IN (SELECT k FROM u) AS sub, (SELECT MAX(w) FROM u) AS scalar, (SELECT COUNT(*) FROM u WHERE u.k = t.g) AS corr,
  EXISTS (SELECT 1 FROM u WHERE u.k = t.id) AS ex, greatest(g, h) AS gr, [g, h] AS li, {a: g} AS st, md5(s) AS md
FROM t

-- constants
SELECT AI_IF(x) AS p, 1 AS i, 1.5 AS m, 1e3 AS d, 'text' AS s, NULL AS nul, TRUE AS tr, DATE '2024-01-01' AS da, INTERVAL 1 DAY AS iv,
  [1, 2] AS li, 1 + 1 AS sum, 'a' || 'b' AS ab, 5000000000 AS big, -1 AS neg, 10 / 4 AS q, CAST(NULL AS VARCHAR) AS nv,
  CAST(NULL AS INTEGER[]) AS nl, 'ünï' AS uni, '' AS blank, TIMESTAMP '2024-01-01 01:02:03.5' AS ts, {a: 1} AS st
FROM t

-- the score in arithmetic
SELECT id, AI_SCORE(x) AS sc, AI_SCORE(x) * 2 AS two, AI_SCORE(x) > 0.5 AS hi, 1 - AI_SCORE(x) AS inv, AI_SCORE(x) + id AS si, AI_SCORE(x) * m AS sm,
  AI_SCORE(x) BETWEEN 0.5 AND 1 AS bt, AI_SCORE(x) / 0 AS inf, COALESCE(AI_SCORE(x), -1) AS co
FROM t
