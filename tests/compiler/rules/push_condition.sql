-- a condition on the right side of a left join
SELECT a.id, b.name FROM (SELECT *, AI_IF(x) AS p FROM t) a LEFT JOIN u b ON a.g = b.k AND b.name > 'a' WHERE a.p

PROJECT "a.id" AS "id", "b.name" AS "name"
  FILTER "a.p"
    JOIN LEFT ON "a.g" = "b.k"
      PROJECT "id" AS "a.id", "g" AS "a.g", "x" AS "a.x", "w" AS "a.w", "p" AS "a.p"
        PROJECT "t.id" AS "id", "t.g" AS "g", "t.x" AS "x", "t.w" AS "w", "#AI_IF_b0e92c81" AS "p"
          AI_IF {"t.x"} AS #AI_IF_b0e92c81
            SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
      FILTER "b.name" > 'a'
        SCAN SELECT "k" AS "b.k", "name" AS "b.name", "y" AS "b.y" FROM u AS b
--------------------------------------------------------------------------------
-- the left side of a left join keeps its rows
SELECT a.id, b.name FROM (SELECT *, AI_IF(x) AS p FROM t) a LEFT JOIN u b ON a.g = b.k AND a.p

PROJECT "a.id" AS "id", "b.name" AS "name"
  JOIN LEFT ON "a.g" = "b.k" AND "a.p"
    PROJECT "id" AS "a.id", "g" AS "a.g", "x" AS "a.x", "w" AS "a.w", "p" AS "a.p"
      PROJECT "t.id" AS "id", "t.g" AS "g", "t.x" AS "x", "t.w" AS "w", "#AI_IF_b0e92c81" AS "p"
        AI_IF {"t.x"} AS #AI_IF_b0e92c81
          SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
    SCAN SELECT "k" AS "b.k", "name" AS "b.name", "y" AS "b.y" FROM u AS b
--------------------------------------------------------------------------------
-- a mark that is NULL where the subquery's value is
SELECT id, g IN (SELECT k FROM u WHERE AI_IF(y)) AS found FROM t

PROJECT "t.id" AS "id", "#mark1" AS "found"
  JOIN MARK NULL AWARE ON "t.g" = "#sub0"
    SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
    PROJECT "k" AS "#sub0"
      PROJECT "u.k" AS "k"
        FILTER "#AI_IF_188760c3"
          AI_IF {"u.y"} AS #AI_IF_188760c3
            SCAN SELECT "k" AS "u.k", "name" AS "u.name", "y" AS "u.y" FROM u
