-- psql's ways of looking around.
\d subscription
\d customer
\d+ history.store
\d+ ontosql.write_lock
\df as_of.*
\l
\du
\di
\dv changes.*
\dp customer
\dt+
\dT
SELECT table_schema, table_name, constraint_name, constraint_type FROM information_schema.table_constraints WHERE constraint_type <> 'CHECK' ORDER BY 2, 3;
-- What is PostgreSQL's own.
\dd
\dL
\dD+
\dc+
\dew+
\des+
\deu+
\dP+
\dx
\dconfig application_name
\dAo hash int4_ops
\do pg_catalog.~~
\dF simple
\sf as_of.store
\sf pg_catalog.format_type
