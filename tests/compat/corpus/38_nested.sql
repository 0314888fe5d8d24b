# Nested paths: a step that is missing, NULL or into a value that is no object gives NULL
SELECT id, attrs #> '{deep,x}', attrs #>> '{deep,x}', attrs -> 'deep' -> 'x', attrs -> 'city' -> 'x', attrs #>> '{nosuch,x}' FROM customer ORDER BY id;
SELECT id, (attrs #>> '{deep,x}')::int > 5 FROM customer ORDER BY id;

# Nested paths: whether an item of a list matches (any_path); what is no list, an empty list and NULL match nothing
SELECT id, EXISTS (SELECT FROM jsonb_array_elements_text(CASE jsonb_typeof(attrs -> 'tags') WHEN 'array' THEN attrs -> 'tags' END) AS item WHERE item > 'a') AS any FROM customer ORDER BY id;
SELECT id FROM customer WHERE EXISTS (SELECT FROM jsonb_array_elements(CASE jsonb_typeof(attrs -> 'city') WHEN 'array' THEN attrs -> 'city' END) AS item WHERE item = '"London"') ORDER BY id;
SELECT id FROM customer WHERE attrs @? 'strict $.tags[*] ? (@ == "b")' ORDER BY id;
SELECT o.id FROM (VALUES (1, '{"events":[{"kind":"click","n":2},{"kind":"view"}]}'::jsonb), (2, '{"events":[]}'), (3, '{"events":null}'), (4, '{"events":{"kind":"click"}}'), (5, '{}'), (6, NULL)) AS o(id, doc) WHERE EXISTS (SELECT FROM jsonb_array_elements(CASE jsonb_typeof(doc -> 'events') WHEN 'array' THEN doc -> 'events' END) AS event WHERE event ->> 'kind' = 'click') ORDER BY id;
SELECT o.id FROM (VALUES (1, '{"events":[{"kind":"click","n":2},{"kind":"view"}]}'::jsonb), (2, '{"events":[]}'), (3, '{"events":null}'), (4, '{"events":{"kind":"click"}}'), (5, '{}'), (6, NULL)) AS o(id, doc) WHERE doc @? 'strict $.events[*] ? (@.kind == "click")' ORDER BY id;
SELECT o.id FROM (VALUES (1, '{"events":[{"kind":"click","n":2},{"kind":"view"}]}'::jsonb), (2, '{"events":[{"n":"x"}]}'), (3, '{"events":[1]}')) AS o(id, doc) WHERE doc @? 'strict $.events[*] ? (@.n > 1)' ORDER BY id;

# Nested paths: how many rows match (count_where), and how long lists are on average (avg_len)
SELECT count(*) FILTER (WHERE attrs @? 'strict $.tags[*] ? (@ == "b")') AS count_where, count(*) FROM customer;
SELECT count(*) FROM customer WHERE attrs #>> '{deep,x}' = '10';
SELECT avg(jsonb_array_length(attrs -> 'tags')) FILTER (WHERE jsonb_typeof(attrs -> 'tags') = 'array')::float8 AS avg_len FROM customer;
SELECT tier, avg(CASE jsonb_typeof(attrs -> 'tags') WHEN 'array' THEN jsonb_array_length(attrs -> 'tags') END) AS avg_len FROM customer GROUP BY tier ORDER BY tier;
