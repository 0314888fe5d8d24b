# What sqlx sends of locks and settings: it tells the types of its parameters.
PREPARE lock(bigint) AS SELECT pg_advisory_lock($1);
EXECUTE lock(8675309);
PREPARE try(bigint) AS SELECT pg_try_advisory_lock($1);
EXECUTE try(8675309);
PREPARE try2(integer, integer) AS SELECT pg_try_advisory_xact_lock($1, $2);
EXECUTE try2(1, 2);
PREPARE narrow(smallint) AS SELECT pg_try_advisory_lock_shared($1::int);
EXECUTE narrow(7);
PREPARE unlock(bigint) AS SELECT pg_advisory_unlock($1);
EXECUTE unlock(8675309);
PREPARE wait(double precision) AS SELECT pg_sleep($1);
EXECUTE wait(0);
PREPARE wait_for(interval) AS SELECT pg_sleep_for($1);
EXECUTE wait_for('0');
PREPARE paths(boolean) AS SELECT current_schemas($1);
EXECUTE paths(false);
PREPARE set(text, text, boolean) AS SELECT set_config($1, $2, $3);
EXECUTE set('app.tenant', 'x', false);
PREPARE asked(text, boolean) AS SELECT current_setting($1, $2);
EXECUTE asked('app.none', true);

# Of those that it does not tell, each has the type of the argument.
PREPARE all_untold AS SELECT pg_try_advisory_lock($1), pg_try_advisory_lock($2, $3), pg_sleep($4), pg_sleep_for($5), current_schemas($6), set_config($7, $8, $9), current_setting($10, $11), pg_cancel_backend($12) WHERE false;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'all_untold';
PREPARE wrong(text) AS SELECT pg_advisory_lock($1);
PREPARE wrong(numeric) AS SELECT pg_try_advisory_lock($1);
PREPARE wrong AS SELECT pg_advisory_lock($1::text);
PREPARE wrong AS SELECT pg_advisory_lock($1, $2, $3);
