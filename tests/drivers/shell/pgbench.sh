# pgbench: its own tables, in a schema of the workspace that search_path names.
set -uo pipefail
# shellcheck source=cases.sh
. shell/cases.sh

export PGOPTIONS='-c search_path=bench'

# ask prints what psql prints for a script.
ask() {
	psql -X -A -t -q -w <<<"$1"
}

# fill makes the tables by the steps of -I and tells how many rows they have.
fill() {
	pgbench -q -i -I "$@" >/dev/null 2>&1 || return
	ask 'SELECT (SELECT count(*) FROM pgbench_branches), (SELECT count(*) FROM pgbench_tellers), (SELECT count(*) FROM pgbench_accounts);'
}

# transactions runs a script of pgbench with several clients and tells how many transactions
# came to their end.
transactions() {
	pgbench -n -c 4 -j 2 "$@" 2>&1 | sed -n 's/^number of \(transactions actually processed\|failed transactions\): //p'
}

# balanced tells whether the sums of the balances are those of the history.
balanced() {
	ask 'SELECT count(*), sum(delta) = (SELECT sum(abalance) FROM pgbench_accounts),
	sum(delta) = (SELECT sum(tbalance) FROM pgbench_tellers), sum(delta) = (SELECT sum(bbalance) FROM pgbench_branches) FROM pgbench_history;'
}

all=$'40/40\n0 (0.000%)'

about pgbench "$(pgbench --version | grep -oE '[0-9]+' | head -n 1)"
ask 'CREATE SCHEMA bench;'
check '-i -I dtgvp' '1|10|100000' fill dtgvp
check '-i -I dtGvp, generated there' '1|10|100000' fill dtGvp
check '-i --fillfactor=70' '{fillfactor=70}' bash -c "pgbench -q -i -I dt --fillfactor=70 >/dev/null 2>&1; psql -X -A -t -q -w -c \"SELECT reloptions FROM pg_class WHERE oid = 'pgbench_accounts'::regclass\""
check '-i -I dtgvpf, foreign keys' '1|10|100000' fill dtgvpf
check 'foreign keys' '5' ask "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'bench'::regnamespace;"
check 'TPC-B, foreign keys' $'8/8\n0 (0.000%)' transactions -t 2
check '-i -I dt, again' '' bash -c 'pgbench -q -i -I dt >/dev/null 2>&1'
check '-i -I g, into tables that are there' '1|10|100000' fill gp
check 'TPC-B' "$all" transactions -t 10
check 'TPC-B, the balances' '40|t|t|t' balanced
check 'TPC-B, prepared' "$all" transactions -t 10 -M prepared
check 'TPC-B, extended' "$all" transactions -t 10 -M extended
check 'TPC-B, the balances after it' '120|t|t|t' balanced
check '-N' "$all" transactions -t 10 -N
check '-S' $'400/400\n0 (0.000%)' transactions -t 100 -S
check '-S, prepared' $'400/400\n0 (0.000%)' transactions -t 100 -S -M prepared
check '-i -I d' '0' bash -c "pgbench -q -i -I d >/dev/null 2>&1; psql -X -A -t -q -w -c \"SELECT count(*) FROM pg_tables WHERE schemaname = 'bench'\""
