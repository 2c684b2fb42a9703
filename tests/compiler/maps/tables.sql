CREATE TABLE a AS
    SELECT i AS id, ['apple', 'Banana', 'cherry', NULL, 'äpfel', ' pad '][1 + i % 6] AS s,
        i % 3 AS g, (i * 1.5)::DECIMAL(8,2) AS m, DATE '2020-01-01' + i::INTEGER AS d,
        CASE i % 8 WHEN 0 THEN NULL WHEN 1 THEN 'one' ELSE i::VARCHAR END AS num,
        [i, i + 1] AS l, (['x', 'y', 'z'][1 + i % 3])::ENUM('z', 'x', 'y') AS e,
        CASE WHEN i % 4 > 0 THEN to_days((i % 5)::INTEGER) END AS iv
    FROM range(40) t(i);
CREATE TABLE b AS
    SELECT i AS k, ['APPLE', 'banana', 'PLUM', NULL][1 + i % 4] AS s, i * 2 AS v
    FROM range(12) t(i);
CREATE TABLE none AS FROM a WHERE id < 0;
