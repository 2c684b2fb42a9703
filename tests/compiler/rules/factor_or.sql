-- the key that both branches demand becomes the key of the join
SELECT a.id FROM (SELECT *, AI_IF(x) AS p FROM t) a, u WHERE (a.g = u.k AND a.p) OR (a.g = u.k AND u.name = 'b')

PROJECT "a.id" AS "id"
  FILTER "a.g" = "u.k" AND ("a.p" OR "u.name" = 'b')
    JOIN INNER
      PROJECT "id" AS "a.id", "g" AS "a.g", "x" AS "a.x", "w" AS "a.w", "p" AS "a.p"
        PROJECT "t.id" AS "id", "t.g" AS "g", "t.x" AS "x", "t.w" AS "w", "#AI_IF_b0e92c81" AS "p"
          AI_IF {"t.x"} AS #AI_IF_b0e92c81
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
      SCAN SELECT "k" AS "u.k", "name" AS "u.name", "y" AS "u.y" FROM u
--------------------------------------------------------------------------------
-- a branch that demands nothing else
SELECT id FROM t WHERE (AI_IF(x) AND g > 1) OR AI_IF(x)

PROJECT "t.id" AS "id"
  FILTER "#AI_IF_b0e92c81"
    AI_IF {"t.x"} AS #AI_IF_b0e92c81
      SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
--------------------------------------------------------------------------------
-- nothing in common
SELECT id FROM t WHERE AI_IF(x) OR g > 1

PROJECT "t.id" AS "id"
  FILTER "#AI_IF_b0e92c81" OR "t.g" > 1
    AI_IF {"t.x"} AS #AI_IF_b0e92c81 WHERE NOT COALESCE("t.g" > 1, FALSE)
      SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
