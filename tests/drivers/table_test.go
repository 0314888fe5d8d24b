package drivers

// python is the start of a command of the environment with the Python libraries.
const python = `exec "$TOOLS"/python/bin/python python/`

// clients are all clients, in the order of the page.
var clients = []client{
	{
		name:    "psql",
		present: `command -v psql`,
		run:     `exec bash shell/psql.sh`,
		distro:  true,
	},
	{
		name:    "psql 16",
		present: psqlPresent + `psql-16 --version`,
		run:     psqlRun + `psql-16 bash shell/psql_versions.sh`,
	},
	{
		name:    "psql 18",
		present: psqlPresent + `psql-18 --version`,
		run:     psqlRun + `psql-18 bash shell/psql_versions.sh`,
	},
	{
		name:    "pgx",
		present: goPresent,
		run:     goRun + `pgx`,
	},
	{
		name:    "lib/pq",
		present: goPresent,
		run:     goRun + `pq`,
	},
	{
		name:    "psycopg2",
		present: pythonHas("psycopg2"),
		run:     python + `psycopg2_cases.py`,
		known: map[string]known{
			"two-phase commit": {`55000`, `prepared transactions are disabled, as by PostgreSQL's own default`},
		},
	},
	{
		name:    "psycopg",
		present: pythonHas("psycopg"),
		run:     python + `psycopg_cases.py`,
	},
	{
		name:    "asyncpg",
		present: pythonHas("asyncpg"),
		run:     python + `asyncpg_cases.py`,
		known: map[string]known{
			"past: $1 bound as a number": {`expected str, got int`, `a bare $1 as a point is text: bind a text, or write $1::bigint`},
		},
	},
	{
		name:    "SQLAlchemy",
		present: pythonHas("sqlalchemy"),
		run:     python + `sqlalchemy_cases.py`,
		known: map[string]known{
			"create_all with a generated key, psycopg2": {`type serial is not supported`, `a type has no sequence: give each row its key, or use uuid with gen_random_uuid(); tables of the workspace have sequences`},
			"create_all with a generated key, psycopg":  {`type serial is not supported`, `a type has no sequence: give each row its key, or use uuid with gen_random_uuid(); tables of the workspace have sequences`},
		},
	},
	{
		name:    "pandas",
		present: pythonHas("pandas"),
		run:     python + `pandas_cases.py`,
		known: map[string]known{
			"to_sql, a new table in public": {`a table without a primary key`, `a type has a primary key; to_sql makes none: CREATE TABLE first, then append`},
		},
	},
	{
		name:    "Django",
		present: pythonHas("django, psycopg"),
		run:     python + `django_cases.py`,
	},
	{
		name:    "node-postgres",
		present: `node -e 'require("pg")'`,
		run:     `exec node node/node_postgres.js`,
	},
	{
		name:    "postgres.js",
		present: `node -e 'require("postgres")'`,
		run:     `exec node node/postgres_js.js`,
	},
	{
		name:    "TypeORM",
		present: `node -e 'require("typeorm")'`,
		run:     `exec node node/typeorm.js`,
	},
	{
		name:    "pgjdbc",
		present: `command -v javac && ls "$TOOLS"/postgresql-*.jar`,
		run:     `exec java -XX:TieredStopAtLevel=1 -cp "$TOOLS"/postgresql-*.jar java/Cases.java`,
	},
	{
		name:    "Hibernate",
		present: `command -v java javac && ls "$TOOLS"/hibernate/hibernate-core-*.jar`,
		run: `made=$(mktemp -d); trap 'rm -r "$made"' EXIT
			javac -proc:none -d "$made" -cp "$TOOLS/hibernate/*" java/hibernate/Hibernate.java &&
			java -XX:TieredStopAtLevel=1 -cp "$made:$TOOLS/hibernate/*" Hibernate`,
	},
	{
		name:    "psqlODBC",
		present: `odbcinst -q -d -n "PostgreSQL Unicode" && ` + pythonHas("pyodbc"),
		run:     python + `odbc_cases.py`,
		distro:  true,
	},
	{
		name:    "DBD::Pg",
		present: `/usr/bin/perl -MDBD::Pg -e 1`,
		run:     `exec /usr/bin/perl perl/cases.pl`,
		distro:  true,
	},
	{
		name:    "postgres_fdw",
		present: `command -v psql && ls /usr/share/postgresql/15/extension/postgres_fdw.control`,
		run:     `exec bash shell/postgres_fdw.sh`,
		peer:    true,
		known: map[string]known{
			"use_remote_estimate": {`could not interpret EXPLAIN output`, `EXPLAIN shows sources and files, not costs`},
		},
	},
	{
		name:    "pg_dump",
		present: `command -v pg_dump pg_restore`,
		run:     `exec bash shell/pg_dump.sh`,
		peer:    true,
		distro:  true,
	},
	{
		name:    "pgbench",
		present: `command -v pgbench`,
		run:     `exec bash shell/pgbench.sh`,
		distro:  true,
	},
	{
		name:    "pgcli",
		present: pythonHas("pgcli"),
		run:     python + `pgcli_cases.py`,
	},
	{
		name:    "DuckDB",
		present: pythonHas("duckdb, duckdb_extension_postgres_scanner"),
		run:     python + `duckdb_cases.py`,
	},
	{
		name:    "tokio-postgres",
		present: `test -x "$TOOLS"/rust/debug/drivers`,
		run:     `CARGO_TARGET_DIR="$TOOLS"/rust exec cargo run --quiet --offline --manifest-path rust/Cargo.toml`,
		known: map[string]known{
			"types of the catalog": {`no binary output function available for type regproc`, `regproc has no binary form: cast it to text`},
		},
	},
}

// The Go clients are a module of their own: the product needs no other driver.
const (
	goPresent = `cd golang && GOPROXY=off go list -deps .`
	goRun     = `cd golang && exec go run . `
)

// The other versions of psql were built without TLS.
const (
	psqlPresent = `"$TOOLS"/psql/bin/`
	psqlRun     = `export PGSSLMODE=disable; PSQL="$TOOLS"/psql/bin/`
)

func pythonHas(modules string) string {
	return `"$TOOLS"/python/bin/python -c 'import ` + modules + `'`
}
