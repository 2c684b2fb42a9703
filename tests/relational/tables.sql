-- The tables that every query of this folder reads.

CREATE TABLE emp (
  id INTEGER, name VARCHAR, dept INTEGER, boss INTEGER, salary DECIMAL(10,2), bonus DOUBLE,
  hired DATE, active BOOLEAN
);
INSERT INTO emp VALUES
  (1, 'Ada', 10, NULL, 9000.00, 100.5, '2019-01-15', TRUE),
  (2, 'Bob', 10, 1, 5000.50, NULL, '2020-02-29', TRUE),
  (3, 'Cy', 20, 1, 5000.50, 0.0, '2020-02-29', FALSE),
  (4, 'Dan', 20, 3, 4100.00, 12.25, '2021-12-31', NULL),
  (5, 'Eve', 20, 3, 3900.25, NULL, NULL, TRUE),
  (6, 'Flo', 30, 1, NULL, -3.5, '2018-06-01', FALSE),
  (7, 'Gus', NULL, 6, 4100.00, 7.75, '2022-03-31', TRUE),
  (8, 'Bob', 99, 6, 100.10, 7.75, '2024-01-01', NULL),
  (9, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE dept (id INTEGER, title VARCHAR, budget BIGINT, city VARCHAR);
INSERT INTO dept VALUES
  (10, 'Research', 1000000, 'Bern'), (20, 'Sales', 250000, 'Basel'), (30, 'Legal', NULL, 'Bern'),
  (40, 'Empty', 0, NULL), (NULL, 'Nowhere', 5, 'Basel');

CREATE TABLE l (a INTEGER, b INTEGER, s VARCHAR);
INSERT INTO l VALUES (1, 10, 'x'), (1, 11, 'y'), (2, 20, 'x'), (3, 30, NULL), (NULL, 40, 'z'), (4, NULL, ''), (2, 20, 'x');
CREATE TABLE r (a INTEGER, c INTEGER, s VARCHAR);
INSERT INTO r VALUES (1, 100, 'x'), (1, 101, 'z'), (2, 200, 'y'), (5, 500, NULL), (NULL, 600, 'z'), (NULL, NULL, 'x'), (2, 20, 'x');
CREATE TABLE k3 (a INTEGER, b INTEGER, w DOUBLE);
INSERT INTO k3 VALUES (1, 10, 0.5), (1, 11, 1.5), (2, 20, NULL), (2, 21, 2.5), (NULL, 40, 3.5), (7, 10, 9.0);
CREATE TABLE nothing (a INTEGER, b INTEGER, s VARCHAR);

CREATE TABLE num (
  id INTEGER, y TINYINT, h SMALLINT, i INTEGER, g BIGINT, f FLOAT, d DOUBLE, m DECIMAL(9,2),
  n DECIMAL(18,4)
);
INSERT INTO num VALUES
  (1, 1, 2, 3, 4, 0.5, 1.5, 1.25, 0.0001), (2, -1, -2, -3, -4, -0.5, -1.5, -1.25, -0.0001),
  (3, 127, 32767, 2147483647, 9223372036854775807, 3.5, 1e300, 9999999.99, 99999999999999.9999),
  (4, -128, -32768, -2147483648, -9223372036854775808, -3.5, -1e300, -9999999.99, -99999999999999.9999),
  (5, 0, 0, 0, 0, 0.0, 0.0, 0.00, 0.0000), (6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (7, 7, 7, 7, 7, 'nan', 'nan', 7.00, 7.0000), (8, 7, 70, 700, 7000, 'inf', 'inf', 7.50, 7.5000),
  (9, 5, 50, 500, 5000, '-inf', '-inf', 0.05, 0.0500), (10, 5, 5, 5, 5, 2.5, -0.0, 5.00, 5.0000);

CREATE TABLE txt (id INTEGER, s VARCHAR, u VARCHAR);
INSERT INTO txt VALUES
  (1, 'apple', 'pie'), (2, 'Apple', 'PIE'), (3, '', ' '), (4, NULL, 'x'), (5, 'é', 'É'), (6, '日本語', '本'),
  (7, ' pad ', 'pad'), (8, 'a%b', 'a_b'), (9, '12', '3.5'), (10, 'a,b,,c', ','), (11, 'apple', NULL),
  (12, '-7', 'seven'), (13, 'Straße', 'STRASSE'), (14, 'zz''z', '\'), (15, 'banana', 'an'), (16, '🦆', 'duck');

CREATE TABLE day (id INTEGER, d DATE, e DATE, t TIMESTAMP);
INSERT INTO day VALUES
  (1, '2024-02-29', '2024-03-31', '2024-02-29 12:30:45.123456'), (2, '2023-12-31', '2024-01-01', '2023-12-31 23:59:59'),
  (3, '1969-12-31', '1970-01-01', '1969-12-31 23:59:59.999999'), (4, NULL, '2000-02-29', NULL),
  (5, '2000-01-01', NULL, '2000-01-01 00:00:00'), (6, '1900-03-01', '1900-02-28', '1900-03-01 06:07:08'),
  (7, '2024-02-29', '2024-02-29', '2024-02-29 00:00:00'), (8, '0044-03-15', '9999-12-31', '2016-12-31 11:22:33.5'),
  (9, '2021-01-03', '2021-01-04', '2021-01-03 13:14:15');

CREATE TABLE truth AS SELECT p, q FROM (VALUES (TRUE), (FALSE), (NULL)) a(p), (VALUES (TRUE), (FALSE), (NULL)) b(q);

CREATE TABLE sale (id INTEGER, region VARCHAR, product VARCHAR, day DATE, qty INTEGER, price DECIMAL(8,2));
INSERT INTO sale
  SELECT i, ['north', 'south', 'east', NULL][i % 4 + 1], 'p' || (i * 7 % 5), DATE '2024-01-01' + (i * 11 % 60)::INTEGER,
    CASE WHEN i % 9 = 0 THEN NULL ELSE i * 5 % 13 END, (i * 37 % 1000)::DECIMAL(8,2) / 4
  FROM range(1, 61) g(i);

CREATE TABLE edge AS SELECT i::INTEGER AS id, (i % 16)::INTEGER AS k, (i * 31 % 257)::BIGINT AS v FROM range(257) g(i);
CREATE TABLE full_bucket AS FROM edge WHERE id < 256;
CREATE VIEW staff AS SELECT id, name, salary FROM emp WHERE active;
