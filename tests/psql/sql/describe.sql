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
