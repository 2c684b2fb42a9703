-- rows are taken before the model is asked about them
SELECT id, AI_SCORE(x) AS s FROM (SELECT *, AI_IF(x) AS p FROM t) LIMIT 3 OFFSET 1

PROJECT "#source0.id" AS "id", "#AI_SCORE_e926c02e" AS "s"
  AI_SCORE {"#source0.x"} AS #AI_SCORE_e926c02e
    PROJECT "id" AS "#source0.id", "g" AS "#source0.g", "x" AS "#source0.x", "w" AS "#source0.w", "p" AS "#source0.p"
      PROJECT "t.id" AS "id", "t.g" AS "g", "t.x" AS "x", "t.w" AS "w", "#AI_IF_b0e92c81" AS "p"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          LIMIT 3 OFFSET 1
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
--------------------------------------------------------------------------------
-- not below a condition
SELECT id FROM (SELECT id, x FROM t WHERE AI_IF(x)) LIMIT 2

PROJECT "#source0.id" AS "id"
  PROJECT "id" AS "#source0.id", "x" AS "#source0.x"
    PROJECT "t.id" AS "id", "t.x" AS "x"
      LIMIT 2 OFFSET 0
        FILTER "#AI_IF_b0e92c81"
          AI_IF {"t.x"} AS #AI_IF_b0e92c81
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
--------------------------------------------------------------------------------
-- not below an order that reads the answer
SELECT id, s FROM (SELECT id, AI_SCORE(x) AS s FROM t) ORDER BY s DESC NULLS LAST, id LIMIT 3

PROJECT "#source0.id" AS "id", "#source0.s" AS "s"
  LIMIT 3 OFFSET 0
    SORT "#source0.s" DESC, "#source0.id"
      PROJECT "id" AS "#source0.id", "s" AS "#source0.s"
        PROJECT "t.id" AS "id", "#AI_SCORE_f23ac9fa" AS "s"
          AI_SCORE {"t.x"} AS #AI_SCORE_f23ac9fa
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
