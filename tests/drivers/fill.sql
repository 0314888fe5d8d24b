-- What every client meets: an ontology of a few types and some rows. One commit.
CREATE TABLE customer (id text PRIMARY KEY, name text NOT NULL, balance double precision);
CREATE TABLE product (sku bigint PRIMARY KEY, title text NOT NULL);
CREATE TABLE purchase (left_key text REFERENCES customer, right_key bigint REFERENCES product, order_no text, qty bigint NOT NULL,
	PRIMARY KEY (left_key, right_key, order_no));
CREATE TABLE sample (id text PRIMARY KEY, i bigint, f double precision, b boolean, ts timestamptz, d date, n numeric, u uuid, bt bytea, j jsonb, s text);
INSERT INTO customer VALUES ('c1', 'Ada', 10), ('c2', 'Bob', NULL);
INSERT INTO product SELECT g, 'product ' || g FROM generate_series(1, 1000) g;
INSERT INTO purchase VALUES ('c1', 1, 'o1', 2), ('c2', 2, 'o2', 1);
INSERT INTO sample VALUES
	('full', 9223372036854775807, 1.5, true, '2026-02-10 12:00:00.123456+00', '2026-02-10', 12345678901234567890.123456789,
		'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '\xdeadbeef00', '{"k": [1, 2.5, null]}', E'é€😀 "\\''\n'),
	('low', -9223372036854775808, '-Infinity', false, '1969-12-31 23:59:59.999999+00', '1900-02-28', -0.5,
		'00000000-0000-0000-0000-000000000000', '', '[]', ''),
	('none', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
