-- an answer that nobody reads is not asked for
SELECT id FROM (SELECT id, AI_IF(x) AS p, AI_SCORE(x) AS s FROM t) WHERE p

PROJECT "#source0.id" AS "id"
  FILTER "#source0.p"
    PROJECT "id" AS "#source0.id", "p" AS "#source0.p"
      PROJECT "t.id" AS "id", "#AI_IF_b0e92c81" AS "p"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          SCAN SELECT "t.id" AS "t.id", "t.x" AS "t.x" FROM (SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t) AS t
--------------------------------------------------------------------------------
-- what an aggregate does not read
SELECT p, COUNT(*) AS n FROM (SELECT *, AI_IF(x) AS p, g * 2 AS h FROM t) GROUP BY p

PROJECT "#key1" AS "p", "#agg2" AS "n"
  AGGREGATE BY "#source0.p" COMPUTE COUNT(*)
    PROJECT "p" AS "#source0.p"
      PROJECT "#AI_IF_b0e92c81" AS "p"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          SCAN SELECT "t.x" AS "t.x" FROM (SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t) AS t
--------------------------------------------------------------------------------
-- only keys and outputs pass a join
SELECT a.id, b.name FROM (SELECT *, AI_IF(x) AS p FROM t) a LEFT JOIN (SELECT *, AI_IF(y) AS q FROM u) b ON a.g = b.k WHERE a.p

PROJECT "a.id" AS "id", "b.name" AS "name"
  FILTER "a.p"
    JOIN LEFT ON "a.g" = "b.k"
      PROJECT "id" AS "a.id", "g" AS "a.g", "p" AS "a.p"
        PROJECT "t.id" AS "id", "t.g" AS "g", "#AI_IF_b0e92c81" AS "p"
          AI_IF {"t.x"} AS #AI_IF_b0e92c81
            SCAN SELECT "t.id" AS "t.id", "t.g" AS "t.g", "t.x" AS "t.x" FROM (SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t) AS t
      PROJECT "k" AS "b.k", "name" AS "b.name"
        PROJECT "u.k" AS "k", "u.name" AS "name"
          SCAN SELECT "u.k" AS "u.k", "u.name" AS "u.name" FROM (SELECT "k" AS "u.k", "name" AS "u.name", "y" AS "u.y" FROM u) AS t
--------------------------------------------------------------------------------
-- a window that nobody reads
SELECT id, p FROM (SELECT id, AI_IF(x) AS p, ROW_NUMBER() OVER (ORDER BY w) AS n FROM t)

PROJECT "#source1.id" AS "id", "#source1.p" AS "p"
  PROJECT "id" AS "#source1.id", "p" AS "#source1.p"
    PROJECT "t.id" AS "id", "#AI_IF_b0e92c81" AS "p"
      AI_IF {"t.x"} AS #AI_IF_b0e92c81
        SCAN SELECT "t.id" AS "t.id", "t.x" AS "t.x" FROM (SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t) AS t
--------------------------------------------------------------------------------
-- distinct reads all its columns
SELECT p FROM (SELECT DISTINCT AI_IF(x) AS p, g FROM t)

PROJECT "#source0.p" AS "p"
  PROJECT "p" AS "#source0.p"
    DISTINCT
      PROJECT "#AI_IF_b0e92c81" AS "p", "t.g" AS "g"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          SCAN SELECT "t.g" AS "t.g", "t.x" AS "t.x" FROM (SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t) AS t
