-- a cross product gets the key that comes later
SELECT a.id, c.name FROM u b, u c, (SELECT *, AI_IF(x) AS p FROM t) a WHERE a.g = b.k AND b.k = c.k AND a.p

PROJECT "a.id" AS "id", "c.name" AS "name"
  PROJECT "b.k", "b.name", "b.y", "c.k", "c.name", "c.y", "a.id", "a.g", "a.x", "a.w", "a.p"
    JOIN INNER ON "b.k" = "c.k"
      JOIN INNER ON "a.g" = "b.k"
        FILTER "a.p"
          PROJECT "id" AS "a.id", "g" AS "a.g", "x" AS "a.x", "w" AS "a.w", "p" AS "a.p"
            PROJECT "t.id" AS "id", "t.g" AS "g", "t.x" AS "x", "t.w" AS "w", "#AI_IF_b0e92c81" AS "p"
              AI_IF {"t.x"} AS #AI_IF_b0e92c81
                SCAN SELECT "id" AS "t.id", "g" AS "t.g", "x" AS "t.x", "w" AS "t.w" FROM t
        SCAN SELECT "k" AS "b.k", "name" AS "b.name", "y" AS "b.y" FROM u AS b
      SCAN SELECT "k" AS "c.k", "name" AS "c.name", "y" AS "c.y" FROM u AS c
--------------------------------------------------------------------------------
-- the largest table comes first
SELECT a.id, b.name FROM (SELECT *, AI_IF(y) AS q FROM u) b JOIN t a ON a.g = b.k

PROJECT "a.id" AS "id", "b.name" AS "name"
  PROJECT "b.k", "b.name", "b.y", "b.q", "a.id", "a.g", "a.x", "a.w"
    JOIN INNER ON "a.g" = "b.k"
      SCAN SELECT "id" AS "a.id", "g" AS "a.g", "x" AS "a.x", "w" AS "a.w" FROM t AS a
      PROJECT "k" AS "b.k", "name" AS "b.name", "y" AS "b.y", "q" AS "b.q"
        PROJECT "u.k" AS "k", "u.name" AS "name", "u.y" AS "y", "#AI_IF_188760c3" AS "q"
          AI_IF {"u.y"} AS #AI_IF_188760c3
            SCAN SELECT "k" AS "u.k", "name" AS "u.name", "y" AS "u.y" FROM u
