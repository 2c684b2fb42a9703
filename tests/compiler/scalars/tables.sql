-- Edge values of every type: n has numbers, k smaller ones, d dates, e texts.
CREATE TABLE n AS SELECT * FROM (VALUES
    (1::TINYINT, 2::SMALLINT, 3::INTEGER, 4::BIGINT, 5::HUGEINT, 1.5::DECIMAL(4,2),
     12345678901234.56::DECIMAL(18,2), 1.25::FLOAT, 2.5::DOUBLE, TRUE, 7::UTINYINT,
     70000::UINTEGER, 9::UBIGINT),
    (-128, -32768, -2147483648, -9223372036854775808, -3, -2.25, -0.01, -0.1, -0.0, FALSE, 0, 0, 0),
    (127, 32767, 2147483647, 9223372036854775807, 9223372036854775806, 99.99, 9999999999999999.99,
     3e38, 1e308, NULL, 255, 4294967295, 9223372036854775807),
    (0, 0, 0, 0, 0, 0, 0, 0, 'nan', TRUE, 3, 3, 3),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (5, -7, 10, -100, 4, 0.05, 2.55, 'inf', '-inf', FALSE, 8, 8, 8),
    (3, 4, -5, 6, -7, 12.34, -56.78, 2.5, -3.5, TRUE, 1, 2, 3)
) t(t, s, i, b, h, m, w, f, d, o, ut, ui, ub);
CREATE TABLE k AS
    SELECT t, s, i, b // 1000 AS b, h // 1000 AS h, m, w, least(f, 1000::FLOAT) AS f, d, o, ut, ui,
        ub // 1000 AS ub FROM n;
CREATE TABLE d AS SELECT *, (d + i)::DATE AS d2 FROM (VALUES
    (DATE '2020-02-29', TIMESTAMP '2020-02-29 12:34:56.789012', TIMESTAMP '2019-02-27 13:00:00',
     TIME '12:34:56.789', INTERVAL '1 month', 5, [1, 2], 'ab'::BLOB,
     TIMESTAMPTZ '2020-05-05 10:00:00+00'),
    (DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMP '1970-01-02 00:00:00',
     TIME '00:00:00', INTERVAL '-400 days 90 hours 3 seconds', -13, [], 'x'::BLOB, NULL),
    (DATE '0001-01-01', TIMESTAMP '0001-01-01 00:00:00', TIMESTAMP '2000-01-01',
     TIME '23:59:59.999999', INTERVAL '14 months', 400, NULL, NULL,
     TIMESTAMPTZ '2019-05-05 10:00:00+00'),
    (DATE '2021-01-03', TIMESTAMP '2021-01-03 00:00:00.5', TIMESTAMP '2021-01-01',
     TIME '06:00:00', INTERVAL '30 days', 0, [3], '', TIMESTAMPTZ '2020-01-01 00:00:00+00'),
    (DATE '1900-12-31', TIMESTAMP '1600-03-01 01:02:03.5', TIMESTAMP '1500-02-28',
     TIME '06:00:00', INTERVAL '25 hours', 1, [3], '', TIMESTAMPTZ '2020-01-01 00:00:00+00'),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
) t(d, ts, ts2, t, iv, i, l, bl, tz);
CREATE TABLE endless AS SELECT * FROM (VALUES
    (DATE 'infinity', TIMESTAMP '-infinity'), (DATE '-infinity', TIMESTAMP 'infinity'),
    (DATE '2020-01-01', TIMESTAMP '2020-01-01')
) t(d, ts);
CREATE TYPE en AS ENUM ('c', 'b', 'a');
CREATE TABLE e AS SELECT *, e::VARCHAR::ENUM('a', 'b', 'c') AS f FROM (VALUES
    ('a'::en, 'b'::en, 'abc', 'Abx', 1, '1', '2020-01-01'),
    ('b', 'b', 'ABC', 'é', 2, '-12', '1999-12-31'),
    ('c', 'a', '', '', 3, '12.75', NULL),
    (NULL, 'a', NULL, 'x', 4, NULL, '0001-01-01'),
    ('a', NULL, ' é b ', NULL, NULL, '300', '2020-02-29'),
    ('b', 'c', 'xabcx', 'z', 0, '7', '2020-02-29')
) t(e, e2, s, s2, n, num, dt);
