-- GROUPING SETS, ROLLUP, CUBE.

SELECT region, product, SUM(qty) AS q FROM sale GROUP BY ROLLUP (region, product);
SELECT region, product, COUNT(*) AS n FROM sale GROUP BY CUBE (region, product);
SELECT region, product, COUNT(*) AS n FROM sale GROUP BY GROUPING SETS ((region), (product));
SELECT region, product, COUNT(*) AS n FROM sale GROUP BY GROUPING SETS ((region, product), (region), ());
SELECT region, COUNT(*) AS n, GROUPING(region) AS g FROM sale GROUP BY ROLLUP (region);
SELECT region, product, GROUPING(region, product) AS g, SUM(price) AS p FROM sale GROUP BY CUBE (region, product);
SELECT COUNT(*) AS n FROM sale GROUP BY GROUPING SETS ((), ());
SELECT COUNT(*) AS n, MAX(a) AS m FROM nothing GROUP BY GROUPING SETS ((a), ());
SELECT a, COUNT(*) AS n FROM nothing GROUP BY ROLLUP (a);
SELECT dept, active, COUNT(*) AS n FROM emp GROUP BY dept, ROLLUP (active);
SELECT dept, active, boss, SUM(salary) AS s FROM emp GROUP BY dept, CUBE (active, boss);
SELECT dept, SUM(salary) AS s FROM emp GROUP BY ROLLUP (dept) HAVING SUM(salary) > 5000;
SELECT dept, active, COUNT(*) AS n FROM emp GROUP BY ROLLUP (dept, active) HAVING GROUPING(active) = 1;
SELECT COALESCE(region, 'none') AS r, COUNT(*) AS n FROM sale GROUP BY ROLLUP (region);
SELECT month(day) AS m, region, SUM(qty) AS q FROM sale GROUP BY ROLLUP (month(day), region);
SELECT region, COUNT(DISTINCT product) AS p, AVG(price) AS a FROM sale GROUP BY CUBE (region);
SELECT region, product, SUM(qty) AS q FROM sale WHERE qty > 3 GROUP BY ROLLUP (region, product) ORDER BY region NULLS LAST, product NULLS FIRST, q;
SELECT region, q FROM (SELECT region, SUM(qty) AS q FROM sale GROUP BY ROLLUP (region)) s WHERE q > 60;
SELECT region, SUM(qty) AS q, RANK() OVER (ORDER BY SUM(qty) DESC) AS place FROM sale GROUP BY ROLLUP (region);
SELECT a, b, COUNT(*) AS n FROM l GROUP BY CUBE (a, b);
SELECT a, s, COUNT(*) FILTER (WHERE b > 10) AS n FROM l GROUP BY GROUPING SETS ((a, s), (s), ());
