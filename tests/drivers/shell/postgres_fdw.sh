# postgres_fdw: a PostgreSQL 15, which PEER names, is the client.
set -uo pipefail
# shellcheck source=cases.sh
. shell/cases.sh

# ask prints what the peer answers to a script.
ask() {
	psql -X -A -t -q -w "$PEER" <<<"$1"
}

# literal prints a text as a literal of SQL.
literal() {
	printf "'%s'" "${1//\'/\'\'}"
}

about postgres_fdw 15
check 'connect' '' ask "
CREATE EXTENSION postgres_fdw;
CREATE SERVER onto FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'localhost', port '$PGPORT', dbname 'onto',
	sslmode 'verify-full', sslrootcert $(literal "$PGSSLROOTCERT"));
CREATE USER MAPPING FOR CURRENT_USER SERVER onto OPTIONS (user '$PGUSER', password $(literal "$PGPASSWORD"));
CREATE SCHEMA onto;
CREATE SCHEMA history;"
check 'IMPORT FOREIGN SCHEMA' '' ask 'IMPORT FOREIGN SCHEMA public FROM SERVER onto INTO onto;'
check 'IMPORT FOREIGN SCHEMA history' '' ask 'IMPORT FOREIGN SCHEMA history LIMIT TO (customer) FROM SERVER onto INTO history;'
check 'tables' $'customer\nproduct\npurchase\nsample' ask "SELECT foreign_table_name FROM information_schema.foreign_tables WHERE foreign_table_schema = 'onto' ORDER BY 1;"
check 'types, text' 'full|9223372036854775807|1.5|t|2026-02-10 12:00:00.123456+00|2026-02-10|12345678901234567890.123456789|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|\xdeadbeef00|{"k": [1, 2.5, null]}|14
low|-9223372036854775808|-Infinity|f|1969-12-31 23:59:59.999999+00|1900-02-28|-0.5|00000000-0000-0000-0000-000000000000|\x|[]|0
none||||||||||' ask "SET TimeZone = 'UTC'; SELECT id, i, f, b, ts, d, n, u, bt, j, octet_length(s) FROM onto.sample ORDER BY id;"
check 'SELECT, joined' 'Ada|product 1|2' ask "SELECT c.name, p.title, b.qty FROM onto.customer c JOIN onto.purchase b ON b.left_key = c.id JOIN onto.product p ON p.sku = b.right_key WHERE c.balance > 10;"
check 'SELECT, aggregated there' $'*Foreign Scan*Remote SQL: SELECT count(\*), max(sku) FROM public.product WHERE ((sku > 10))*990|1000' ask 'EXPLAIN (VERBOSE, COSTS OFF) SELECT count(*), max(sku) FROM onto.product WHERE sku > 10; SELECT count(*), max(sku) FROM onto.product WHERE sku > 10;'
check 'fetch_size' 1000 ask 'ALTER SERVER onto OPTIONS (ADD fetch_size '"'70'"'); SELECT count(*) FROM (SELECT * FROM onto.product OFFSET 0) p;'
check 'parameters' 'product 7' ask 'PREPARE p (bigint) AS SELECT title FROM onto.product WHERE sku = $1; SET plan_cache_mode = force_generic_plan; EXECUTE p (7);'
check 'insert' $'c9\n1' ask "INSERT INTO onto.customer VALUES ('c9', 'Nine', 9) RETURNING id; SELECT count(*) FROM onto.customer WHERE id = 'c9';"
check 'rollback and savepoint' $'1\n0' ask "BEGIN; INSERT INTO onto.customer VALUES ('gone', 'G'); SAVEPOINT s; INSERT INTO onto.customer VALUES ('inner', 'I'); ROLLBACK TO s;
SELECT count(*) FROM onto.customer WHERE id IN ('gone', 'inner'); ROLLBACK; SELECT count(*) FROM onto.customer WHERE id IN ('gone', 'inner');"
check 'error and recovery' $'*duplicate key value violates unique constraint*\n1' ask "INSERT INTO onto.customer VALUES ('c1', 'Again'); SELECT count(*) FROM onto.customer WHERE id = 'c1';"
check 'update' '25' ask "UPDATE onto.customer SET balance = 25 WHERE id = 'c1' RETURNING balance;"
check 'delete, which is refused' '*DELETE*' ask "DELETE FROM onto.customer WHERE id = 'c2';"
psql -X -q -w -c 'CREATE SCHEMA lab' -c 'CREATE TABLE lab.item (id int PRIMARY KEY, note text, weight numeric(8,2))'
check 'a table of the workspace: insert, batch_size' '1000|500500' ask "CREATE SCHEMA lab; IMPORT FOREIGN SCHEMA lab FROM SERVER onto INTO lab; ALTER FOREIGN TABLE lab.item OPTIONS (ADD batch_size '100');
INSERT INTO lab.item SELECT g, 'note ' || g, g FROM generate_series(1, 1000) g; SELECT count(*), sum(id) FROM lab.item;"
check 'a table of the workspace: COPY' '2|c' ask "COPY lab.item FROM STDIN (FORMAT csv);
2001,a,1.5
2002,c,
\\.
SELECT count(*), max(note COLLATE \"C\") FILTER (WHERE weight IS NULL) FROM lab.item WHERE id > 2000;"
check 'a table of the workspace: update' $'7|note 7!|8.50' ask "UPDATE lab.item SET note = note || '!', weight = weight + 1.5 WHERE id = 7 RETURNING id, note, weight;"
check 'a table of the workspace: update that is not pushed down' '499|500' ask 'UPDATE lab.item SET weight = 0 WHERE id BETWEEN 501 AND 999 AND random() >= 0; SELECT count(*), max(id) - min(id) + 2 FROM lab.item WHERE weight = 0;'
check 'a table of the workspace: delete that is not pushed down' '901|0' ask 'BEGIN; DELETE FROM lab.item WHERE id <= 101 AND random() >= 0; SELECT count(*), count(*) FILTER (WHERE id <= 101) FROM lab.item; ROLLBACK;'
check 'a table of the workspace: delete' $'7\n1001' ask "DELETE FROM lab.item WHERE id = 7 RETURNING id; BEGIN; DELETE FROM lab.item; ROLLBACK; SELECT count(*) FROM lab.item;"
check 'a table of the workspace: truncate' '0' ask 'TRUNCATE lab.item; SELECT count(*) FROM lab.item;'
check 'ANALYZE' '' ask 'ANALYZE onto.product;'
check 'use_remote_estimate' '1000' ask "ALTER SERVER onto OPTIONS (ADD use_remote_estimate 'true'); SELECT count(*) FROM onto.product; ALTER SERVER onto OPTIONS (DROP use_remote_estimate);"
check 'cancel' '*canceling statement due to statement timeout*' ask "SET statement_timeout = '1s'; SELECT count(*) FROM onto.product a, onto.product b, onto.product c, onto.product d WHERE a.sku + b.sku + c.sku + d.sku = 3;"
check 'past: history' '10' ask "SELECT balance FROM history.customer WHERE id = 'c1' AND commit_id = $POINT;"
check 'past: database name' 10 ask "CREATE SERVER old FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'localhost', port '$PGPORT', dbname 'onto@$POINT',
	sslmode 'verify-full', sslrootcert $(literal "$PGSSLROOTCERT"));
CREATE USER MAPPING FOR CURRENT_USER SERVER old OPTIONS (user '$PGUSER', password $(literal "$PGPASSWORD"));
CREATE SCHEMA old; IMPORT FOREIGN SCHEMA public FROM SERVER old INTO old; SELECT balance FROM old.customer WHERE id = 'c1';"
check 'past: options' 10 ask "ALTER SERVER old OPTIONS (SET dbname 'onto', ADD options '-c ontosql.as_of=$POINT'); SELECT balance FROM old.customer WHERE id = 'c1';"
