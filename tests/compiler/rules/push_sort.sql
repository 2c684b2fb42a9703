-- an order over rows goes below the model
SELECT id, p FROM (SELECT id, w, AI_IF(x) AS p FROM t) ORDER BY w DESC NULLS FIRST, id LIMIT 3

PROJECT "#source0.id" AS "id", "#source0.p" AS "p"
  LIMIT 3 OFFSET 0
    PROJECT "id" AS "#source0.id", "w" AS "#source0.w", "p" AS "#source0.p"
      PROJECT "t.id" AS "id", "t.w" AS "w", "#AI_IF_b0e92c81" AS "p"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          SORT "t.w" DESC NULLS FIRST, "t.id"
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
--------------------------------------------------------------------------------
-- an order over an answer stays
SELECT id, p FROM (SELECT id, AI_IF(x) AS p FROM t) ORDER BY p NULLS FIRST, id

PROJECT "#source0.id" AS "id", "#source0.p" AS "p"
  PROJECT "id" AS "#source0.id", "p" AS "#source0.p"
    PROJECT "t.id" AS "id", "#AI_IF_b0e92c81" AS "p"
      SORT "#AI_IF_b0e92c81" NULLS FIRST, "t.id"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
--------------------------------------------------------------------------------
-- an order over a computed column stays above its projection
SELECT id, p FROM (SELECT id, w * 2 AS v, AI_IF(x) AS p FROM t) ORDER BY v, id

PROJECT "#source0.id" AS "id", "#source0.p" AS "p"
  PROJECT "id" AS "#source0.id", "v" AS "#source0.v", "p" AS "#source0.p"
    SORT "v", "id"
      PROJECT "t.id" AS "id", "t.w" * 2 AS "v", "#AI_IF_b0e92c81" AS "p"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
--------------------------------------------------------------------------------
-- an order over rows goes below a semantic condition, so that a limit can stop early
SELECT id FROM t WHERE AI_IF(x) AND g > 0 ORDER BY w DESC, id LIMIT 2

PROJECT "t.id" AS "id"
  LIMIT 2 OFFSET 0
    FILTER "#AI_IF_b0e92c81"
      AI_IF {"t.x"} AS #AI_IF_b0e92c81
        SORT "t.w" DESC, "t.id"
          FILTER "t.g" > 0
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
