-- store: a copy, and PostgreSQL's
-- Zeros at the end of what is computed from columns of numeric(p,s).
CREATE TABLE line (id bigint PRIMARY KEY, price numeric(10,2), rate numeric(6,4), pieces bigint);
INSERT INTO line VALUES (1, 1.5, 0.07, 3), (2, 20, 0, 1), (3, NULL, 0.19, 2);
SELECT id, price, price * pieces AS total, price * (1 - rate) * (1 + rate) AS product, price::text FROM line ORDER BY id;
SELECT sum(price), avg(price), sum(price * pieces), max(price - rate) FROM line;
SELECT id, coalesce(price, 0), CASE WHEN pieces > 1 THEN price ELSE 0 END, greatest(price, rate) FROM line ORDER BY 2, 1;
SELECT coalesce(price, 0.00) AS price, count(*) FROM line GROUP BY 1 ORDER BY 1;
SELECT DISTINCT coalesce(price, 0.00) FROM line ORDER BY 1;
UPDATE line SET price = price * 1.1 WHERE id = 1 RETURNING price, price * 2, coalesce(price, 0);
-- Powers, as results, sorted, in arithmetic and kept.
SELECT id, power(price, 2), sqrt(price) AS root, ln(price) + 1 AS more FROM line ORDER BY root DESC;
SELECT power(price, 0.5) FROM line ORDER BY 1;
SELECT round(power(price, 1.5), 3), power(price, 2) * 2 FROM line ORDER BY id;
CREATE TABLE powers AS SELECT id, coalesce(price, 0) AS price, round(power(price, 2), 3) AS squared FROM line;
SELECT id, price + 0.000, squared + 0.000 FROM powers ORDER BY id;
COPY (SELECT id, coalesce(price, 0), power(price, 2) FROM line ORDER BY id) TO STDOUT;
BEGIN;
DECLARE c CURSOR FOR SELECT power(price, 0.5), coalesce(price, 0) FROM line ORDER BY id;
FETCH ALL FROM c;
COMMIT;
PREPARE p(numeric) AS SELECT power(price, $1), coalesce(price, 0) FROM line WHERE id = 1;
EXECUTE p(2.5);
