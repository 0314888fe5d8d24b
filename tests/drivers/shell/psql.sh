# psql: the simple protocol, text.
# shellcheck disable=SC2016 # the $1 are SQL's
set -uo pipefail
# shellcheck source=cases.sh
. shell/cases.sh

# ask prints what psql prints for a script; more arguments are psql's.
ask() {
	psql -X -A -t -q -w "${@:2}" <<<"$1"
}

balance="SELECT balance FROM customer WHERE id = 'c1';"
endless='SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 10000000) b WHERE a + b = 3;'

full='full|9223372036854775807|1.5|t|2026-02-10 12:00:00.123456+00|2026-02-10|12345678901234567890.123456789|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|\xdeadbeef00|{"k": [1, 2.5, null]}|é€😀 "\'"'"'

low|-9223372036854775808|-Infinity|f|1969-12-31 23:59:59.999999+00|1900-02-28|-0.5|00000000-0000-0000-0000-000000000000|\x|[]|
none||||||||||'

# shellcheck source=describe.sh
. shell/describe.sh

wrong_password() {
	PGPASSWORD=wrong ask 'SELECT 1;'
}

# interrupt sends psql the signal of Ctrl-C until it has given up.
interrupt() {
	set -m
	ask "$endless" &
	local psql=$!
	sleep 2 # before it has connected the signal ends it without a word
	while sleep 0.3 && kill -INT -- "-$psql" 2>/dev/null; do :; done
	wait "$psql"
}

about psql "$(psql --version | grep -oE '[0-9]+' | head -1)"
check 'connect' 'ada' ask 'SELECT current_user;'
check 'connect with a wrong password' '*password authentication failed for user "ada"*' wrong_password
check 'channel_binding=require' 'ada' ask 'SELECT current_user;' 'dbname=onto channel_binding=require'
check '\\conninfo' '*as user "ada" on host "localhost"*SSL connection*' ask '\conninfo'
check 'pg_stat_ssl' 't|TLSv1.3' ask 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid();'
check 'tables' $'public|customer|table|ontosql\npublic|product|table|ontosql\npublic|purchase|table|ontosql\npublic|sample|table|ontosql' ask '\dt'
check 'types, text' "$full" ask 'SELECT * FROM sample ORDER BY id;'
check 'parameters' '7|x y' ask 'PREPARE p (bigint, text) AS SELECT $1 + 2, $2; EXECUTE p (5, '"'x y'"');'
check 'insert' 'new' ask "INSERT INTO sample (id, n) VALUES ('new', 1.50) RETURNING id;"
check 'rollback' '0' ask "BEGIN; INSERT INTO customer VALUES ('gone', 'G'); ROLLBACK; SELECT count(*) FROM customer WHERE id = 'gone';"
check 'temporary table' $'1|one|1.50\n2|two!|\n2\n3|copied|2.25\n*relation "picked" does not exist*' ask "BEGIN;
CREATE TEMP TABLE picked (id int PRIMARY KEY, note text DEFAULT 'none', weight numeric(6,2)) ON COMMIT DROP;
INSERT INTO picked VALUES (1, 'one', 1.5), (2, 'two', NULL);
UPDATE picked SET note = note || '!' WHERE id = 2;
SELECT * FROM picked ORDER BY id;
DELETE FROM picked WHERE id = 2 RETURNING id;
\\copy picked FROM stdin
3	copied	2.25
\\.
\\copy (SELECT * FROM picked WHERE id = 3) TO stdout (DELIMITER '|')
COMMIT;
SELECT * FROM picked;"
check 'views' $'Ada|2\n*qty|bigint||||plain|*View definition:*JOIN*drop cascades to view shown.orders' psql -X -A -w -q -c 'CREATE SCHEMA shown' -c 'CREATE VIEW shown.orders AS SELECT c.id, c.name, b.qty FROM customer c JOIN purchase b ON b.left_key = c.id' -c '\t on' -c "SELECT name, qty FROM shown.orders WHERE id = 'c1'" -c '\t off' -c '\d+ shown.orders' -c 'DROP SCHEMA shown CASCADE'
check 'with' $'c2|Bea|4000\nBob' ask "BEGIN;
WITH changed AS (UPDATE customer SET name = 'Bea' WHERE id = 'c2' RETURNING id, name), made AS (INSERT INTO product VALUES (4000, 'made') RETURNING sku)
SELECT changed.id, changed.name, made.sku FROM changed, made;
ROLLBACK;
SELECT name FROM customer WHERE id = 'c2';"
check 'error and recovery' $'*division by zero\n*current transaction is aborted*\n1' ask 'BEGIN;
SELECT 1 / 0;
SELECT 1;
ROLLBACK;
SELECT 1;'
check '\\errverbose' '*ERROR:  42703: column "nope" does not exist*LINE 1: SELECT nope FROM customer;*' ask 'SELECT nope FROM customer;
\errverbose'
check 'ON_ERROR_ROLLBACK' '*division by zero*kept' ask "\set ON_ERROR_ROLLBACK on
BEGIN;
INSERT INTO customer VALUES ('kept', 'K');
SELECT 1 / 0;
SELECT id FROM customer WHERE id = 'kept';
ROLLBACK;"
check 'metadata' '*left_key|text||not null|*Indexes:*"purchase_pkey" PRIMARY KEY, btree (left_key, right_key, order_no)*Foreign-key constraints:*REFERENCES customer(id)*' psql -X -A -w -c '\d purchase'
describe_all
check 'cancel' '*canceling statement due to user request*' interrupt
check 'past: as_of.customer(p)' 10 ask "SELECT balance FROM as_of.customer($POINT) WHERE id = 'c1';"
check 'past: SET' 10 ask "SET ontosql.as_of = '$POINT'; $balance"
check 'past: options' 10 env PGOPTIONS="-c ontosql.as_of=$POINT" psql -X -A -t -q -w -c "$balance"
check 'past: FOR SYSTEM_TIME AS OF' 10 ask "SELECT balance FROM customer FOR SYSTEM_TIME AS OF $POINT WHERE id = 'c1';"
check 'past: database name' 10 ask "$balance" "onto@$POINT"
check 'cursor' $'1\n2\n3' ask 'BEGIN; DECLARE c CURSOR FOR SELECT sku FROM product ORDER BY sku; FETCH 3 FROM c; COMMIT;'
check 'FETCH_COUNT' '1000' bash -c "psql -X -A -t -q -w -v FETCH_COUNT=70 -c 'SELECT sku FROM product' | wc -l"
check 'LISTEN and NOTIFY' 'Asynchronous notification "news" with payload "hello" received*' ask "LISTEN news; NOTIFY news, 'hello';"
check '\\copy' $'5001,copied\n5002,x' ask "BEGIN;
\\copy product FROM stdin
5001	copied
5002	x
\\.
\\copy (SELECT * FROM product WHERE sku > 5000 ORDER BY sku) TO stdout (FORMAT csv)
ROLLBACK;"
check '\\gdesc' $'id|text\nn|numeric' ask 'SELECT id, n FROM sample \gdesc'
check '\\gexec' $'1\n2' ask "SELECT 'SELECT ' || g FROM generate_series(1, 2) g \\gexec"
check '\\crosstabview' 'c1|20' ask "SELECT id, name, balance FROM customer WHERE id = 'c1' \\crosstabview"
