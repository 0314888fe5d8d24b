# postgres-meta asks for a privilege of newer servers behind what decides.
SELECT relname FROM pg_class c WHERE c.oid IN ('item'::regclass, 'pg_class'::regclass) AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER, MAINTAIN')) ORDER BY 1;
SELECT has_table_privilege('item', 'SELECT, MAINTAIN');
SELECT has_schema_privilege('public', 'select');
SELECT row_to_json(columns.*)->>'column_name' FROM information_schema.columns WHERE table_name = 'item' AND table_schema = 'public' ORDER BY ordinal_position LIMIT 2;
