# pg_dump and pg_restore: an ontology is moved into the PostgreSQL 15 that PEER names.
set -uo pipefail
# shellcheck source=cases.sh
. shell/cases.sh

here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

# peer prints what the peer answers to a script.
peer() {
	psql -X -A -t -q -w "$PEER" <<<"$1"
}

# dump is pg_dump of the ontology's own tables, without what another server knows not.
dump() {
	pg_dump -w -O -x -t public.customer -t public.product -t public.purchase -t public.sample "$@"
}

# moved prints what queries about the tables answer, to a command that asks them.
moved() {
	"$1" 'SELECT id, i, f, b, ts, d, n, u, bt, j FROM sample ORDER BY id;
SELECT count(*), sum(sku), min(title) FROM product;
SELECT name, title, qty FROM purchase b JOIN customer c ON c.id = b.left_key JOIN product p ON p.sku = b.right_key ORDER BY 1;'
}

ours() {
	psql -X -A -t -q -w <<<"$1"
}

# restored dumps with pg_dump's options, restores with a command, and compares.
restored() {
	local restore=$1
	shift
	peer 'DROP TABLE IF EXISTS customer, product, purchase, sample;' 2>/dev/null
	rm -rf "$here/dump"
	dump -f "$here/dump" "$@" && "$restore" && diff <(moved ours) <(moved peer) && echo same
}

by_psql() {
	psql -X -q -w -o /dev/null -v ON_ERROR_STOP=1 -f "$here/dump" "$PEER"
}

by_pg_restore() {
	pg_restore -w -O -x --exit-on-error -d "$PEER" "$here/dump"
}

past() {
	PGDATABASE=onto@$POINT dump -a -t customer | sed -n '/^COPY public.customer/,/^\\\./p'
}

everything() {
	pg_dump -w | grep -cE '^(CREATE (TABLE|VIEW|FUNCTION|SCHEMA)|COPY) (public|history|changes|as_of)'
}

keys() {
	restored by_psql >/dev/null
	peer "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1;"
}

about pg_dump "$(pg_dump --version | grep -oE '[0-9]+' | head -n 1)"
check 'restored by psql' same restored by_psql
check '--inserts' same restored by_psql --inserts
check '--column-inserts --rows-per-insert' same restored by_psql --column-inserts --rows-per-insert=100
check 'custom format' same restored by_pg_restore -Fc
check 'tar' same restored by_pg_restore -Ft
check 'directory, -j 2' same restored by_pg_restore -Fd -j 2
check 'keys' 'customer_pkey|PRIMARY KEY (id)
product_pkey|PRIMARY KEY (sku)
purchase_left_key_fkey|FOREIGN KEY (left_key) REFERENCES customer(id) NOT VALID
purchase_pkey|PRIMARY KEY (left_key, right_key, order_no)
purchase_right_key_fkey|FOREIGN KEY (right_key) REFERENCES product(sku) NOT VALID
sample_pkey|PRIMARY KEY (id)' keys
check 'past: database name' $'COPY public.customer*\nc1\tAda\t10\n*' past
check 'everything' 23 everything
