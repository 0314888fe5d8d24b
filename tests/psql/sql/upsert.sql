-- store: a copy, and PostgreSQL's
\set QUIET off
\set SHOW_CONTEXT never
-- ON CONFLICT DO NOTHING leaves what is there; the tag counts what is new.
INSERT INTO store VALUES ('s1', 'Bergen', false), ('s9', 'Ghent', true) ON CONFLICT DO NOTHING;
INSERT INTO store VALUES ('s1', 'Bergen', false) ON CONFLICT (code) DO NOTHING RETURNING *;
INSERT INTO store VALUES ('s8', 'Turku', true), ('s8', 'Tampere', false) ON CONFLICT ON CONSTRAINT store_pkey DO NOTHING RETURNING code, city;
SELECT * FROM store ORDER BY code;
-- DO UPDATE sees the row that is there and the row that was to be new.
INSERT INTO store VALUES ('s1', 'Bergen', false), ('s7', 'Aarhus', true)
ON CONFLICT (code) DO UPDATE SET city = store.city || '/' || excluded.city, open = excluded.open RETURNING *;
INSERT INTO store AS s VALUES ('s1', 'Molde', true), ('s2', 'Molde', true)
ON CONFLICT (code) DO UPDATE SET city = excluded.city WHERE NOT s.open AND s.code <> 's1' RETURNING code, city;
INSERT INTO product (sku, title, price) SELECT sku, upper(title), 1 FROM product WHERE sku < 103
ON CONFLICT (sku) DO UPDATE SET (title, price) = (excluded.title, product.price + excluded.price) RETURNING sku, title, price \g | sort
INSERT INTO product (sku, title, price) VALUES (101, 'x', 1)
ON CONFLICT (sku) DO UPDATE SET title = (SELECT max(city) FROM store) RETURNING title;
-- A key of several columns, in any order; a relation's instance key.
INSERT INTO subscription (left_key, right_key, seats) SELECT left_key, right_key, 1 FROM subscription WHERE left_key = 'c5'
ON CONFLICT (right_key, left_key) DO UPDATE SET seats = subscription.seats + 100, note = 'more' RETURNING * \g | sort
INSERT INTO purchase VALUES ('c2', 108, 'o0004', 5, 's1'), ('c2', 108, 'o9004', 6, 's1')
ON CONFLICT (left_key, right_key, order_no) DO UPDATE SET qty = excluded.qty RETURNING *;
-- A row that becomes what it was counts, and RETURNING shows it.
INSERT INTO store VALUES ('s9', 'Ghent', true) ON CONFLICT (code) DO UPDATE SET city = excluded.city RETURNING code, city;
-- jsonb, bytea and the rest.
INSERT INTO document (id, attrs, raw, price, at, day, ref) VALUES
('d1', '{"a": {"b": [1, 2]}, "c": null}', '\x00ff5c27', 12.5, '2026-01-02 03:04:05.678901+00', '2026-02-03', '8D8AC610-566D-4EF0-9C22-186B2A5ED793');
INSERT INTO document (id, attrs) VALUES ('d1', '{"d": 1}')
ON CONFLICT (id) DO UPDATE SET body = excluded.attrs ->> 'd', price = document.price * 1.5 RETURNING id, body, price, raw, day, ref, attrs #> '{a,b}' AS path;
-- Refused: the same key twice, a key that is none, a blank cheque.
INSERT INTO store VALUES ('s6', 'a', true), ('s6', 'b', true) ON CONFLICT (code) DO UPDATE SET city = excluded.city;
\echo :SQLSTATE
INSERT INTO store VALUES ('s6', 'a', true) ON CONFLICT (city) DO NOTHING;
\echo :SQLSTATE
INSERT INTO store VALUES ('s6', 'a', true) ON CONFLICT DO UPDATE SET city = 'b';
\echo :SQLSTATE
INSERT INTO store VALUES ('s6', 'a', true) ON CONFLICT ON CONSTRAINT nosuch DO NOTHING;
\echo :SQLSTATE
INSERT INTO store VALUES ('s6', 'a', true) ON CONFLICT (code) DO UPDATE SET city = NULL;
INSERT INTO store VALUES ('s1', 'a', true) ON CONFLICT (code) DO UPDATE SET city = NULL;
\echo :SQLSTATE
INSERT INTO store VALUES ('s1', NULL, true) ON CONFLICT (code) DO NOTHING;
INSERT INTO store VALUES ('s1', NULL, true) ON CONFLICT (code) DO UPDATE SET city = 'b';
INSERT INTO store VALUES ('s1', 'a', true) ON CONFLICT (code) DO UPDATE SET nosuch = 1;
INSERT INTO store VALUES ('s1', 'a', true) ON CONFLICT (code) DO UPDATE SET open = excluded.city;
INSERT INTO store VALUES ('s1', 'a', true);
\echo :SQLSTATE
SELECT * FROM store ORDER BY code;
