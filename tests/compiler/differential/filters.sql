-- WHERE, ORDER BY, LIMIT and DISTINCT around a semantic call.

-- a plain and a semantic condition
SELECT id, s FROM t WHERE AI_IF(x) AND g > 0 AND m BETWEEN 0 AND 8

-- a condition on both
SELECT id FROM t WHERE AI_IF(x) = f OR (NOT AI_IF(x) AND d > 0) OR s IS NULL

-- ordered by several keys
SELECT id, g, s, AI_IF(x) AS p FROM t ORDER BY p DESC NULLS LAST, g ASC NULLS FIRST, s DESC, id

-- ordered by doubles
SELECT id, d, m FROM t WHERE AI_IF(x) IS NOT FALSE ORDER BY d NULLS FIRST, id DESC

-- ordered by doubles backwards, limited
SELECT id, d FROM t WHERE COALESCE(AI_IF(x), TRUE) ORDER BY d DESC, m DESC NULLS FIRST, id LIMIT 5 OFFSET 1

-- limit without order
SELECT id, AI_IF(x) AS p FROM t LIMIT 4 OFFSET 3

-- offset and fetch
SELECT id FROM t WHERE AI_IF(x) ORDER BY id OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY

-- distinct answers
SELECT DISTINCT AI_CLASSIFY(x, ['pos', 'neg']) AS l, g FROM t ORDER BY l, g DESC

-- distinct doubles
SELECT DISTINCT d, f FROM t WHERE AI_IF(x) IS NOT FALSE

-- ranks
SELECT id, g, AI_CLASSIFY(x, ['pos', 'neg']) AS l, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC) AS rn,
  RANK() OVER (ORDER BY AI_CLASSIFY(x, ['pos', 'neg']) DESC NULLS LAST) AS rk, DENSE_RANK() OVER (ORDER BY g NULLS FIRST) AS dr,
  RANK() OVER (PARTITION BY AI_CLASSIFY(x, ['pos', 'neg']) ORDER BY d DESC, m) AS nan_rank, ROW_NUMBER() OVER (ORDER BY id) AS whole
FROM t

-- qualify
SELECT id, g FROM t WHERE AI_IF(x) IS NOT NULL QUALIFY ROW_NUMBER() OVER (PARTITION BY g ORDER BY AI_SCORE(x) DESC, id) = 1

-- qualify with an alias
SELECT g, id, DENSE_RANK() OVER (ORDER BY AI_IF(x), g) AS place FROM t QUALIFY place <= 3 AND AI_IF(x) ORDER BY place, id
