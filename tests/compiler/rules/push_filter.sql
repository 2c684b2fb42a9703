-- a condition over rows goes below the model
SELECT id FROM (SELECT id, g, AI_IF(x) AS p FROM t) WHERE g > 1 AND p

PROJECT "#source0.id" AS "id"
  PROJECT "id" AS "#source0.id", "g" AS "#source0.g", "p" AS "#source0.p"
    PROJECT "t.id" AS "id", "t.g" AS "g", "#AI_IF_b0e92c81" AS "p"
      FILTER "#AI_IF_b0e92c81"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          FILTER "t.g" > 1
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
--------------------------------------------------------------------------------
-- a condition over an answer stays above it
SELECT id FROM (SELECT id, AI_SCORE(x) AS s FROM t) WHERE s > 0.5 OR id = 2

PROJECT "#source0.id" AS "id"
  PROJECT "id" AS "#source0.id", "s" AS "#source0.s"
    PROJECT "t.id" AS "id", "#AI_SCORE_f23ac9fa" AS "s"
      FILTER "#AI_SCORE_f23ac9fa" > 0.5 OR "t.id" = 2
        AI_SCORE {"t.x"} AS #AI_SCORE_f23ac9fa
          SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
--------------------------------------------------------------------------------
-- an inner join: each side takes its own conditions
SELECT a.id, b.name FROM (SELECT id, g, AI_IF(x) AS p FROM t) a JOIN (SELECT k, name, AI_IF(y) AS q FROM u) b ON a.g = b.k WHERE a.p AND b.q AND a.id < b.k + 3

PROJECT "a.id" AS "id", "b.name" AS "name"
  FILTER "a.id" < "b.k" + 3
    JOIN INNER ON "a.g" = "b.k"
      PROJECT "id" AS "a.id", "g" AS "a.g", "p" AS "a.p"
        PROJECT "t.id" AS "id", "t.g" AS "g", "#AI_IF_b0e92c81" AS "p"
          FILTER "#AI_IF_b0e92c81"
            AI_IF {"t.x"} AS #AI_IF_b0e92c81
              SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
      PROJECT "k" AS "b.k", "name" AS "b.name", "q" AS "b.q"
        PROJECT "u.k" AS "k", "u.name" AS "name", "#AI_IF_188760c3" AS "q"
          FILTER "#AI_IF_188760c3"
            AI_IF {"u.y"} AS #AI_IF_188760c3
              SCAN SELECT "k" AS "u.k", "name" AS "u.name", "y" AS "u.y" FROM u
--------------------------------------------------------------------------------
-- a left join: conditions on the right side stay above
SELECT a.id, b.name FROM (SELECT id, g, AI_IF(x) AS p FROM t) a LEFT JOIN u b ON a.g = b.k WHERE a.p AND b.name IS NULL

PROJECT "a.id" AS "id", "b.name" AS "name"
  FILTER "b.name" IS NULL
    JOIN LEFT ON "a.g" = "b.k"
      PROJECT "id" AS "a.id", "g" AS "a.g", "p" AS "a.p"
        PROJECT "t.id" AS "id", "t.g" AS "g", "#AI_IF_b0e92c81" AS "p"
          FILTER "#AI_IF_b0e92c81"
            AI_IF {"t.x"} AS #AI_IF_b0e92c81
              SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
      SCAN SELECT "k" AS "b.k", "name" AS "b.name", "y" AS "b.y" FROM u AS b
--------------------------------------------------------------------------------
-- a computed column is not computed twice
SELECT id FROM (SELECT id, g + 1 AS h, AI_IF(x) AS p FROM t) WHERE h > 2 AND p

PROJECT "#source0.id" AS "id"
  PROJECT "id" AS "#source0.id", "h" AS "#source0.h", "p" AS "#source0.p"
    FILTER "h" > 2
      PROJECT "t.id" AS "id", "t.g" + 1 AS "h", "#AI_IF_b0e92c81" AS "p"
        FILTER "#AI_IF_b0e92c81"
          AI_IF {"t.x"} AS #AI_IF_b0e92c81
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
