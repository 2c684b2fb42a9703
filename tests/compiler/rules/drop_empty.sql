-- below a condition that is constantly false no model is asked, and a join with it has no rows
SELECT a.id, b.y FROM (SELECT * FROM t WHERE 'B' < '12') a JOIN u b ON a.g = b.k AND AI_IF(b.y)

SCAN SELECT * FROM (SELECT CAST(NULL AS INTEGER) AS "id", CAST(NULL AS VARCHAR) AS "y") AS t WHERE FALSE
--------------------------------------------------------------------------------
-- an outer join keeps its rows, and a total has one row of nothing
SELECT t.id, s.n FROM t LEFT JOIN (SELECT k, COUNT(*) AS n FROM u WHERE NULL GROUP BY k) s ON t.g = s.k, (SELECT COUNT(*) AS c FROM u WHERE 1 > 2) c WHERE AI_IF(t.x)

PROJECT "t.id" AS "id", "s.n" AS "n"
  FILTER "#AI_IF_b0e92c81"
    AI_IF {"t.x"} AS #AI_IF_b0e92c81
      JOIN INNER
        JOIN LEFT ON "t.g" = "s.k"
          SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
          SCAN SELECT * FROM (SELECT CAST(NULL AS INTEGER) AS "s.k", CAST(NULL AS BIGINT) AS "s.n") AS t WHERE FALSE
        PROJECT "c" AS "c.c"
          PROJECT "#agg2" AS "c"
            AGGREGATE BY  COMPUTE COUNT(*)
              SCAN SELECT * FROM (SELECT CAST(NULL AS INTEGER) AS "u#2.k", CAST(NULL AS VARCHAR) AS "u#2.name", CAST(NULL AS VARCHAR) AS "u#2.y") AS t WHERE FALSE
