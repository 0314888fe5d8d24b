# psql of another version than the server's: what it asks of the catalog. $PSQL is it.
set -uo pipefail
# shellcheck source=cases.sh
. shell/cases.sh

# ask prints what psql prints for a script.
ask() {
	"$PSQL" -X -A -t -q -w <<<"$1"
}

# shellcheck source=describe.sh
. shell/describe.sh

about psql "$("$PSQL" --version | grep -oE '[0-9]+\.[0-9]+')"
check 'connect' 'ada' ask 'SELECT current_user;'
check '\\conninfo' '*ada*localhost*' ask '\conninfo'
check 'tables' $'public|customer|table|ontosql\npublic|product|table|ontosql\npublic|purchase|table|ontosql\npublic|sample|table|ontosql' ask '\dt'
check 'metadata' '*left_key|text||not null|*Indexes:*"purchase_pkey" PRIMARY KEY, btree (left_key, right_key, order_no)*Foreign-key constraints:*REFERENCES customer(id)*' "$PSQL" -X -A -w -c '\d purchase'
describe_all
check '\\l' '*onto|ontosql|UTF8*' ask '\l'
check '\\encoding' 'LATIN1' ask $'\\encoding latin1\n\\encoding'
check '\\copy' '5001,é' ask "BEGIN;
\\copy product FROM stdin
5001	é
\\.
\\copy (SELECT * FROM product WHERE sku > 5000 ORDER BY sku) TO stdout (FORMAT csv)
ROLLBACK;"
check '\\gdesc' $'id|text\nn|numeric' ask 'SELECT id, n FROM sample \gdesc'
check 'FETCH_COUNT' '1000' bash -c "$PSQL -X -A -t -q -w -v FETCH_COUNT=70 -c 'SELECT sku FROM product' | wc -l"
