-- The tables that every query of this folder reads. `x` is what the model judges: a text with
-- 'good' is a yes, one with 'odd' has no answer, any other is a no.

CREATE TABLE t (
  id INTEGER, g INTEGER, b BIGINT, h SMALLINT, d DOUBLE, r FLOAT, m DECIMAL(9,2), n DECIMAL(18,4),
  day DATE, ts TIMESTAMP, s VARCHAR, f BOOLEAN, x VARCHAR
);
INSERT INTO t VALUES
  (1, 1, 10, 3, 1.5, 0.1, 1.25, 0.0001, '2024-02-29', '2024-02-29 12:30:45.123456', 'b', TRUE, 'good 1'),
  (2, 1, -7, -2, -0.0, 1.5, -1.25, 2.5000, '2023-12-31', '2023-12-31 23:59:59', 'B', FALSE, 'bad 1'),
  (3, 2, NULL, 0, 0.0, NULL, 0.00, NULL, '1969-12-31', '1969-12-31 23:59:59.999999', '', NULL, 'odd 1'),
  (4, 2, 4611686018427387904, 7, 'nan', -2.25, 99.99, 1.2500, NULL, NULL, NULL, TRUE, NULL),
  (5, NULL, 3, NULL, 'inf', 3.5, NULL, -1.2500, '2000-01-01', '2000-01-01 00:00:00', 'é', FALSE, 'good 1'),
  (6, NULL, 10, 3, '-inf', 0.1, 7.50, 10.0000, '1900-03-01', '1900-03-01 06:00:00', 'z', TRUE, 'good 2'),
  (7, 3, 10, 4, 2.5, 2.5, 7.50, 0.0001, '2024-02-29', '2024-02-29 12:30:45.123456', 'é', FALSE, ''),
  (8, 3, 0, 1, 3.5, 0.0, -0.01, 7.0000, '2024-03-01', '2024-03-01 00:00:00.000001', 'a', NULL, 'bad 2'),
  (9, 3, -7, 2, 'nan', 1.0, 0.50, 0.5000, '0044-03-15', '0044-03-15 00:00:00', '日本', TRUE, 'good 3'),
  (10, 1, 5, 9, NULL, 'nan', 1.50, 1.5000, '2023-12-31', NULL, 'b', TRUE, 'good 2');

CREATE TABLE u (k INTEGER, name VARCHAR, w DECIMAL(5,1), x VARCHAR);
INSERT INTO u VALUES
  (1, 'b', 1.0, 'good u1'), (1, 'z', 2.0, 'bad u2'), (2, 'é', 2.0, 'good u3'), (2, NULL, 10.0, 'odd u4'),
  (NULL, 'a', NULL, 'good u5'), (4, 'B', 0.5, NULL), (5, 'b', 3.0, 'good u6'), (5, '', 5.0, 'bad u7');

CREATE TABLE empty (id INTEGER, k INTEGER, s VARCHAR, x VARCHAR);
CREATE TABLE one (id INTEGER, k INTEGER, s VARCHAR, x VARCHAR);
INSERT INTO one VALUES (1, 1, 'b', 'good one');
CREATE TABLE many AS SELECT i AS id, i % 2 AS k, CASE i % 3 WHEN 0 THEN 'good' ELSE 'bad' END AS x
  FROM range(40) r(i);

CREATE TABLE kinds (
  id INTEGER, l INTEGER[], st STRUCT(a INTEGER, b VARCHAR), mp MAP(VARCHAR, INTEGER), bl BLOB,
  uu UUID, iv INTERVAL, ti TIME, ub UBIGINT, en ENUM('low', 'high'), tz TIMESTAMPTZ, hg HUGEINT, x VARCHAR
);
INSERT INTO kinds VALUES
  (1, [1, NULL], {a: 1, b: 'q'}, MAP {'k': 1}, '\x00\xFF'::BLOB, '00000000-0000-0000-0000-000000000001',
   INTERVAL 3 DAY, '10:11:12', 18446744073709551615, 'high', '2024-01-01 00:00:00+00', 5, 'good 1'),
  (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'bad'),
  (3, [], {a: NULL, b: ''}, MAP {}, ''::BLOB, '00000000-0000-0000-0000-000000000001',
   INTERVAL 1 MONTH, '00:00:00', 0, 'low', '1970-01-01 00:00:00+00', -5, 'good 2');

CREATE TABLE "Odd Names" ("My Col" INTEGER, "quo""te" VARCHAR, "UPPER" INTEGER, "select" VARCHAR, "dot.ted" INTEGER);
INSERT INTO "Odd Names" VALUES (1, 'q1', 10, 'good 1', 5), (2, 'q2', 20, 'bad 1', 6), (3, NULL, NULL, 'odd', NULL);

CREATE VIEW seen AS SELECT id, g * 2 AS twice, x FROM t WHERE id > 2;
CREATE SCHEMA aux;
CREATE TABLE aux.side AS SELECT * FROM u;
