package traps

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	stdsync "sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// catalogTraps are those of introspection, and what tools do next.
var catalogTraps = []trap{
	{65, "psql's \\d asks for 15 columns and gets 15", func(t *testing.T, g *gate) {
		got := g.open(t).talk(t, simple(`SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, pg_catalog.array_to_string(c.reloptions || array(select 'toast.' || x from pg_catalog.unnest(tc.reloptions) x), ', '), c.reltablespace,
			CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
			FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid) LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid) WHERE c.oid = 'item'::regclass`))
		if n := strings.Count(got[0], ",") + 1; n != 15 {
			t.Errorf("%d columns: %s", n, got[0])
		}
		expect(t, "its row", got[1:2], "Row 0|r|t|f|t|f|f|f|f||0||p|d|heap")
	}},
	{66, "columns and relations of the catalog that only some versions of psql ask for", func(t *testing.T, g *gate) {
		g.connect(t).runs(t, "SELECT datlocprovider, daticulocale, datcollversion FROM pg_database", "SELECT indimmediate, indisreplident, indnullsnotdistinct FROM pg_index", "SELECT relforcerowsecurity, relrewrite FROM pg_class",
			"SELECT polname, polpermissive FROM pg_policy", "SELECT stxname, stxkind FROM pg_statistic_ext", "SELECT pubname, puballtables FROM pg_publication", "SELECT prqual, prattrs FROM pg_publication_rel",
			"SELECT pnnspid FROM pg_publication_namespace", "SELECT inhdetachpending FROM pg_inherits", "SELECT subname FROM pg_subscription", "SELECT attcompression FROM pg_attribute", "SELECT stxdndistinct FROM pg_statistic_ext_data")
	}},
	{67, "DataGrip's introspection", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT count(*) FROM pg_namespace N WHERE N.xmin IS NULL OR age(N.xmin) < 0", "0")
		c.want(t, "SELECT pg_is_in_recovery(), (txid_current() % 4294967296)::varchar::bigint > 2, pg_postmaster_start_time() <= now()", "f|t|t")
		c.want(t, "SELECT max(xmin::text::bigint) < txid_current() FROM item", "t")
		c.runs(t, "SELECT L.transactionid::varchar::bigint FROM pg_locks L WHERE L.transactionid IS NOT NULL ORDER BY age(L.transactionid) DESC LIMIT 1", "SELECT T.oid, T.xmin, pg_tablespace_location(T.oid) FROM pg_tablespace T",
			"SELECT oid, xmin, tgrelid FROM pg_trigger", "SELECT oid, xmin, ev_class FROM pg_rewrite", "SELECT aggfnoid::oid, xmin FROM pg_aggregate")
		c.want(t, "SELECT (information_schema._pg_expandarray(indkey)).n FROM pg_index WHERE indrelid = 'stands'::regclass", "1\n2")
	}},
	{68, "DBeaver's introspection: one name twice, regclass of a catalog, definitions", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT n.oid, n.* FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass WHERE nspname = 'pg_catalog'", "11|11|pg_catalog|10|{ontosql=UC/ontosql,=U/ontosql}")
		c.want(t, "SELECT count(*) > 400 FROM pg_get_keywords()", "t")
		c.want(t, "SELECT pg_get_partkeydef('item'::regclass), pg_stat_get_numscans('item_pkey'::regclass), pg_get_expr(NULL, 'item'::regclass)", "NULL|0|NULL")
		if got := c.asked(t, "SELECT pg_get_viewdef('history.item'::regclass, true)"); !strings.Contains(got, "SELECT") {
			t.Errorf("the view is %q", got)
		}
		c.want(t, "SELECT datname FROM pg_database WHERE NOT datistemplate AND datallowconn", "onto")
	}},
	{69, "Metabase's privileges of each table", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, `with table_privileges as (select NULL as role, t.schemaname as schema, t.objectname as table,
			pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"', 'update') as update,
			pg_catalog.has_table_privilege(current_user, '"' || t.schemaname || '"."' || t.objectname || '"', 'delete') as delete
			from (select schemaname, tablename as objectname from pg_catalog.pg_tables union select schemaname, viewname as objectname from pg_catalog.pg_views union select schemaname, matviewname as objectname from pg_catalog.pg_matviews) t
			where t.schemaname !~ '^pg_' and t.schemaname <> 'information_schema' and pg_catalog.has_schema_privilege(current_user, t.schemaname, 'usage')) select t.* from table_privileges t where t.table = 'item' and t.schema = 'public'`, "NULL|public|item|t|t")
		c.want(t, "SELECT CAST(CAST(FORMAT('%I.%I', 'public'::text, 'item'::text) AS REGCLASS) AS OID) = 'item'::regclass::oid", "t")
	}},
	{70, "the empty look at every table and view", func(t *testing.T, g *gate) {
		c := g.connect(t)
		for _, name := range strings.Split(c.asked(t, "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables WHERE table_schema IN ('public', 'history', 'changes', 'ontosql')"), "\n") {
			c.want(t, "SELECT TRUE FROM "+name+" WHERE 1 <> 1 LIMIT 0", "")
			c.want(t, "SELECT has_table_privilege('"+strings.ReplaceAll(name, "'", "''")+"', 'SELECT')", "t")
		}
	}},
	{71, "pgjdbc's columns, keys and indexes", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT a.attname, a.atttypid, pg_get_expr(def.adbin, def.adrelid) AS adsrc FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef def ON (a.attrelid = def.adrelid AND a.attnum = def.adnum) WHERE c.relname = 'shelf' AND a.attnum > 0 AND c.relkind = 'r' ORDER BY a.attnum", "name|25|NULL\nheight|20|NULL")
		c.want(t, "SELECT result.c, result.k FROM (SELECT a.attname AS c, (information_schema._pg_expandarray(i.indkey)).n AS k, information_schema._pg_expandarray(i.indkey) AS keys, a.attnum AS n FROM pg_class ct JOIN pg_attribute a ON (ct.oid = a.attrelid) JOIN pg_index i ON (a.attrelid = i.indrelid) WHERE ct.relname = 'stands' AND i.indisprimary) result WHERE result.n = (result.keys).x ORDER BY 2", "left_key|1\nright_key|2")
		c.want(t, "SELECT a.attname FROM pg_constraint con JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = ANY(con.conkey) WHERE con.contype = 'f' AND con.conrelid = 'stands'::regclass ORDER BY 1", "left_key\nright_key")
		c.want(t, "SELECT trim(both '\"' from pg_get_indexdef('stands_pkey'::regclass, 2, false)), pg_get_indexdef('stands_pkey'::regclass)", "right_key|CREATE UNIQUE INDEX stands_pkey ON public.stands USING btree (left_key, right_key)")
	}},
	{72, "regclass of a name that two schemas have follows the search_path", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'item'::regclass", "public")
		c.want(t, "SET search_path = history, public; SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'item'::regclass", "history")
		c.want(t, "SELECT 'public.item'::regclass, 'item'::regclass, to_regclass('nothing'), pg_table_is_visible('public.item'::regclass)", "public.item|item|NULL|f")
	}},
	{73, "virtual tables are tables and views, never materialized ones", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT n.nspname, string_agg(DISTINCT relkind::text, '' ORDER BY relkind::text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('public', 'history', 'changes', 'blame', 'ontosql') AND relkind <> 'i' GROUP BY 1 ORDER BY 1", "blame|v\nchanges|v\nhistory|v\nontosql|v\npublic|r")
		c.want(t, "SELECT table_type FROM information_schema.tables WHERE table_name = 'item' ORDER BY table_schema", "VIEW\nVIEW\nVIEW\nBASE TABLE")
	}},
	{74, "Looker finds and ends its own query; md5 is there, and a number of its bits", func(t *testing.T, g *gate) {
		c, other := g.connect(t), g.connect(t)
		c.want(t, "SELECT state, query LIKE '%looker_kill%' FROM pg_stat_activity WHERE pid = pg_backend_pid() /* looker_kill */", "active|t")
		rows := c.Exec(t.Context(), "SELECT a.id FROM big a, big b, big c /* looker_long */")
		if !rows.NextResult() || !rows.ResultReader().NextRow() {
			t.Fatal("no row")
		}
		pid := other.asked(t, "SELECT pid FROM pg_stat_activity WHERE query LIKE '%looker_long%' AND pid <> pg_backend_pid()")
		if got := other.asked(t, "SELECT pg_cancel_backend("+pid+")"); got != "t" {
			t.Fatalf("cancel %s: %s", pid, got) // the rows would not end
		}
		var e *pgconn.PgError
		if err := rows.Close(); !errors.As(err, &e) || e.Code != "57014" {
			t.Errorf("got %v", err)
		}
		other.want(t, fmt.Sprintf("SELECT pg_terminate_backend(%d)", c.PID()), "t")
		other.waitFor(t, fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE pid = %d", c.PID()), "0")
		other.want(t, "SELECT md5('a')", "0cc175b9c0f1b6a831c399e269772661")
		other.want(t, "SELECT ('x' || md5('a'))::bit(64)::bigint", "919145239626757800")
		other.want(t, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%looker_long%' AND pid <> pg_backend_pid()", "")
	}},
	{75, "Tableau's check for temporary tables succeeds, and its GROUP BY 2 is answered", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, `CREATE LOCAL TEMPORARY TABLE "#Tableau_1_Connect_Check" ("COL" INTEGER) ON COMMIT PRESERVE ROWS`, "")
		c.want(t, `SELECT SUM(1) AS "COL1", "t"."title" AS "none:title" FROM "public"."item" "t" GROUP BY 2 ORDER BY 2`, "1|Anvil\n1|Bolt")
		c.want(t, `DROP TABLE IF EXISTS "#Tableau_1_Connect_Check"`, "")
		c.wantCode(t, `DROP TABLE "#Tableau_1_Connect_Check"`, "42P01")
	}},
	{76, "names qualified by the database", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, `SELECT count(*) FROM "onto"."information_schema"."columns" WHERE table_name = 'shelf' AND table_schema = 'public'`, "2")
		c.want(t, "SELECT onto.public.shelf.height FROM onto.public.shelf WHERE name = 's2'", "2")
		c.wantCode(t, "SELECT * FROM other.public.shelf", "0A000")
		c.want(t, "SELECT dattablespace, spcname FROM pg_database d JOIN pg_tablespace t ON t.oid = d.dattablespace WHERE datname = current_database()", "1663|pg_default")
	}},
	{77, "where a setting comes from, and the schema of temporary tables", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SET work_mem = '8MB'; SELECT name, setting, source FROM pg_settings WHERE name IN ('work_mem', 'bytea_output') ORDER BY 1", "bytea_output|hex|default\nwork_mem|8192|session")
		c.want(t, "SELECT oid = pg_my_temp_schema(), pg_is_other_temp_schema(oid), nspname = ANY (current_schemas(true)) FROM pg_namespace WHERE nspname = 'public'", "f|f|t")
	}},
	{78, "dbt's dependencies, and what it does with views and temporary tables", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, `select distinct dependent_namespace.nspname, dependent_class.relname, referenced_class.relname from pg_class as dependent_class join pg_namespace as dependent_namespace on dependent_namespace.oid = dependent_class.relnamespace
			join pg_rewrite as rewrite on dependent_class.oid = rewrite.ev_class join pg_depend as depend on rewrite.oid = depend.objid join pg_class as referenced_class on depend.refobjid = referenced_class.oid and dependent_class.oid <> referenced_class.oid
			where referenced_class.relname = 'shelf' order by 1`, "blame|shelf|shelf\nchanges|shelf|shelf\nhistory|shelf|shelf")
		c.wantCode(t, "ALTER TABLE history.shelf RENAME TO shelf2", "42809")
		c.wantCode(t, "CREATE VIEW v AS SELECT 1", "0A000")
		c.do(t, "CREATE SCHEMA IF NOT EXISTS dbt_out")
		c.do(t, "CREATE TABLE dbt_out.trap78__dbt_tmp AS SELECT name, height FROM shelf")
		c.do(t, "ALTER TABLE dbt_out.trap78__dbt_tmp RENAME TO trap78")
		c.want(t, "SELECT count(*) > 0 FROM dbt_out.trap78", "t")
		c.want(t, "DROP SCHEMA IF EXISTS dbt_out CASCADE", "")
		c.want(t, "CREATE TEMPORARY TABLE trap78__dbt_tmp AS SELECT 1 AS id, 'a'::text AS v", "")
		c.want(t, "select column_name, data_type, character_maximum_length, numeric_precision, numeric_scale from information_schema.columns where table_name = 'trap78__dbt_tmp' order by ordinal_position", "id|integer|NULL|32|0\nv|text|NULL|NULL|NULL")
		c.want(t, "DROP TABLE trap78__dbt_tmp CASCADE", "")
		c.want(t, "DROP TABLE IF EXISTS nothing CASCADE", "")
		c.want(t, "DROP VIEW IF EXISTS nothing CASCADE", "")
	}},
	{79, "SQLMesh: arrows into JSON bind closer than AND; ATTACH is no statement", func(t *testing.T, g *gate) {
		c := g.connect(t)
		const asked = "SELECT sku, tags ->> 'a' = 'x' AND sold AS agree, (tags -> 'b' ->> 1) || '!' AS s FROM item"
		c.want(t, asked+" ORDER BY 1", "1|t|y!\n2|f|NULL")
		c.do(t, "CREATE TABLE trap79 AS "+asked)
		c.want(t, "SELECT sku, agree, s FROM trap79 ORDER BY 1", "1|t|y!\n2|f|NULL")
		c.wantCode(t, "ATTACH 'x.db'", "42601")
		c.wantCode(t, "DETACH onto", "42601")
	}},
	{80, "DuckDB's extension: five queries in one string, a binary COPY, a table in parts by ctid", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT oid FROM pg_namespace WHERE nspname = 'public';\nSELECT relpages >= 0 FROM pg_class WHERE oid = 'item'::regclass;\nSELECT conkey FROM pg_constraint WHERE conname = 'stands_pkey';\nSELECT count(*) FROM pg_enum;\nSELECT indkey FROM pg_index WHERE indrelid = 'stands'::regclass", "2200\nt\n{1,2}\n0\n1 2")
		var w writes
		if _, err := c.CopyTo(t.Context(), &w, `COPY (SELECT sku FROM item ORDER BY sku) TO STDOUT (FORMAT "binary")`); err != nil {
			t.Fatal(err)
		}
		if all := bytes.Join(w, nil); len(w) == 0 || !bytes.HasPrefix(w[0], []byte("PGCOPY\n\xff\r\n\x00")) || !bytes.HasSuffix(all, []byte{0xff, 0xff}) {
			t.Errorf("%q", w)
		}
		c.want(t, "SELECT count(*) > 0 AND count(*) = (SELECT count(*) FROM item) FROM item WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid", "t")
		c.want(t, "SELECT count(*) FROM item i WHERE i.ctid BETWEEN '(1000,0)'::tid AND '(4294967295,0)'::tid AND sku > 0", "0")
		c.wantCode(t, "SELECT sku FROM item WHERE ctid = '(0,1)'", "0A000")
		c.wantCode(t, "SELECT ctid FROM item", "0A000")
	}},
	{81, "Fivetran: many columns at once, comments, ON CONFLICT, NULL as another text", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.do(t, "/* fivetran */ CREATE TABLE trap81 (id int8 PRIMARY KEY, a text)")
		c.do(t, "/* fivetran */ ALTER TABLE trap81 ADD COLUMN b int8, ADD COLUMN c text, ADD COLUMN d boolean")
		if _, err := c.CopyFrom(t.Context(), strings.NewReader("1,fivetran_null,5,fivetran_null,t\n2,x,6,,f\n"), "COPY trap81 (id, a, b, c, d) FROM STDIN WITH (FORMAT csv, NULL 'fivetran_null')"); err != nil {
			t.Fatal(err)
		}
		c.want(t, "INSERT INTO trap81 (id, a) SELECT * FROM (VALUES (1, 'new'), (3, 'y')) v(id, a) ON CONFLICT (id) DO UPDATE SET a = excluded.a; SELECT * FROM trap81 ORDER BY id", "1|new|5|NULL|t\n2|x|6||f\n3|y|NULL|NULL|NULL")
		c.wantCode(t, "INSERT INTO trap81 (id, a) VALUES (4, 'a'), (4, 'b') ON CONFLICT (id) DO UPDATE SET a = excluded.a", "21000")
	}},
	{82, "CSV as it comes: lines within quotes, doubled quotes, lines of megabytes, bytea", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.do(t, "CREATE TABLE trap82 (id int8 PRIMARY KEY, t text, b bytea)")
		long := strings.Repeat("x,y\n", 700_000)
		csv := "1,\"two\nlines\",\\xdead\n2,\"a \"\"quoted\"\", thing\",\\x\n3,\"\",\n4,\"" + long + "\",\n5,,\n"
		if _, err := c.CopyFrom(t.Context(), strings.NewReader(csv), "COPY trap82 FROM STDIN (FORMAT csv)"); err != nil {
			t.Fatal(err)
		}
		c.want(t, `SELECT id, CASE WHEN length(t) < 100 THEN t ELSE length(t)::text END, b FROM trap82 ORDER BY id`, "1|two\nlines|\\xdead\n2|a \"quoted\", thing|\\x\n3||NULL\n4|2800000|NULL\n5|NULL|NULL")
		var out bytes.Buffer
		if _, err := c.CopyTo(t.Context(), &out, "COPY (SELECT * FROM trap82 ORDER BY id) TO STDOUT (FORMAT csv)"); err != nil {
			t.Fatal(err)
		}
		if out.String() != csv {
			t.Errorf("%d bytes came back of %d", out.Len(), len(csv))
		}
	}},
	{83, "Rails: locks, keys in their order, types", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "SELECT pg_try_advisory_lock(2053462845)", "t")
		g.connect(t).want(t, "SELECT pg_try_advisory_lock(2053462845)", "f")
		c.want(t, "SELECT pg_advisory_unlock(2053462845)", "t")
		c.want(t, `SELECT a.attname FROM (SELECT indrelid, indkey, generate_subscripts(indkey, 1) idx FROM pg_index WHERE indrelid = '"stands"'::regclass AND indisprimary) i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[i.idx] ORDER BY i.idx`, "left_key\nright_key")
		c.want(t, "SELECT t.oid, t.typname, t.typelem, t.typdelim, t.typinput, r.rngsubtype, t.typtype, t.typbasetype FROM pg_type as t LEFT JOIN pg_range as r ON oid = rngtypid WHERE t.typname IN ('int8', 'jsonb', 'bool') ORDER BY 1", "16|bool|0|,|boolin|NULL|b|0\n20|int8|0|,|int8in|NULL|b|0\n3802|jsonb|0|,|jsonb_in|NULL|b|0")
		c.want(t, "SELECT type.typname AS name, type.OID AS oid, n.nspname AS schema, string_agg(enum.enumlabel, ',' ORDER BY enum.enumsortorder) AS value FROM pg_enum AS enum JOIN pg_type AS type ON (type.oid = enum.enumtypid) JOIN pg_namespace n ON type.typnamespace = n.oid GROUP BY type.OID, n.nspname, type.typname", "")
		c.want(t, "SELECT 'character varying'::regtype::oid, 'bigint[]'::regtype::oid, 1043::regtype", "1043|1016|character varying")
	}},
	{84, "RETURNING * behind any INSERT", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.want(t, "INSERT INTO shelf (name, height) VALUES ('trap 84', 1), ('trap 84b', 2) RETURNING *", "trap 84|1\ntrap 84b|2")
		c.want(t, "INSERT INTO shelf SELECT 'trap 84', 3 ON CONFLICT DO NOTHING RETURNING *", "")
		c.want(t, "INSERT INTO stands VALUES (2, 'trap 84', 1) RETURNING *", "2|trap 84|1")
	}},
	{85, "savepoints", func(t *testing.T, g *gate) {
		c := g.connect(t)
		c.do(t, "BEGIN; INSERT INTO shelf VALUES ('trap 85', 1); SAVEPOINT _EXEC_SVP_0x1")
		c.wantCode(t, "INSERT INTO shelf VALUES ('trap 85', 1)", "23505")
		c.do(t, "ROLLBACK TO _EXEC_SVP_0x1; RELEASE _EXEC_SVP_0x1; SAVEPOINT s; UPDATE shelf SET height = 5 WHERE name = 'trap 85'; ROLLBACK TO SAVEPOINT s; COMMIT")
		c.want(t, "SELECT height FROM shelf WHERE name = 'trap 85'", "1")
	}},
	{86, "the columns of every relation of the catalog have the types that pg_attribute says", func(t *testing.T, g *gate) {
		c := g.connect(t)
		said := strings.Split(c.asked(t, `SELECT format('%I.%I', n.nspname, c.relname), string_agg(a.attname || ' ' || CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END, ', ' ORDER BY a.attnum)
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 JOIN pg_type t ON t.oid = a.atttypid WHERE c.relkind IN ('r', 'v') AND n.nspname <> 'pg_toast' GROUP BY 1`), "\n")
		if len(said) < 200 {
			t.Errorf("only %d relations", len(said))
		}
		for _, line := range said {
			name, want, _ := strings.Cut(line, "|")
			r, err := c.Prepare(t.Context(), "", "SELECT * FROM "+name, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var got []string
			for _, f := range r.Fields {
				got = append(got, fmt.Sprintf("%s %d", f.Name, f.DataTypeOID))
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s\n  described:    %s\n  pg_attribute: %s", name, got, want)
			}
		}
	}},
	{87, "many sessions ask the same at once, and each gets its own answer", func(t *testing.T, g *gate) {
		var all stdsync.WaitGroup
		for n := range 8 {
			c := g.connect(t)
			all.Go(func() {
				for i := range 25 {
					id := n*600 + i + 1
					if got := c.query(t, "SELECT id, t FROM big WHERE id = $1", []uint32{20}, id); got != fmt.Sprintf("%d|row %d", id, id) {
						t.Errorf("%d: %q", id, got)
					}
					if got := c.asked(t, "SELECT count(*), min(id), max(id) FROM big"); got != "5000|1|5000" {
						t.Errorf("count: %q", got)
					}
				}
			})
		}
		all.Wait()
	}},
}

// writes are what was written, each write by itself.
type writes [][]byte

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, bytes.Clone(p))
	return len(p), nil
}
