package compat

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestTools asks the gateway and PostgreSQL what tools send when they start, read
// the schema and ask: corpus/bi has a folder for each tool, and its own words are
// written there from what the tools are known, or were seen, to send. Each file is
// one session over the shop with a few rows. Statements that only ask are also
// prepared and executed, and both protocols must answer the same.
//
// An OID of what the shop has is compared by what it names. In a statement {item}
// is the OID of the relation, {database} that of the database. Rows about
// ontosql's own schemas (history, changes, as_of, ontosql) have no equal and are
// left out.
func TestTools(t *testing.T) {
	ctx := t.Context()
	dsn := postgresTools(t)
	ours := serveShop(t)
	fillShop(t, connectClient(t, ours))
	for _, f := range toolCorpus(t) {
		tool := filepath.Base(filepath.Dir(f))
		t.Run(tool+"/"+strings.TrimSuffix(filepath.Base(f), ".sql"), func(t *testing.T) {
			theirs, ours := connectTool(t, dsn), connectTool(t, ours)
			for _, st := range statements(t, f) {
				diff := cmp.Diff(theirs.tells(ctx, st.SQL), ours.tells(ctx, st.SQL))
				switch {
				case st.Differs != "" && diff == "":
					t.Errorf("%s:%d: said to differ and does not:\n%s", f, st.Line, st.SQL)
				case st.Differs == "" && diff != "":
					t.Errorf("%s:%d: %s (-PostgreSQL +ontosql):\n%s", f, st.Line, st.SQL, diff)
				}
			}
		})
	}
}

func toolCorpus(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("corpus/bi/*/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	return files
}

// shopRows are what the tools find.
var shopRows = []string{
	`INSERT INTO item (sku, title, price, weight, sold, added, day, code, raw, tags, stock) VALUES
		(1, 'Anvil', 12.5, 40.5, true, '2024-02-29 10:00:00.123456+00', '2024-02-29', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '\xdeadbeef', '{"a": 1, "b": [true, null, "x"]}', 3),
		(2, 'Bolt', 0.25, 0.01, false, '2024-03-01 00:00:00+00', '2024-03-01', NULL, '\x', '{"a": "z"}', 1000),
		(3, 'Bolt', 7, NULL, true, '2023-12-31 23:59:59+00', '2023-12-31', NULL, NULL, NULL, NULL),
		(4, '', NULL, 1e20, NULL, NULL, NULL, NULL, NULL, '[]', 7),
		(5, 'Groß "東"', 99.99, -0.5, false, '2024-02-29 22:30:00+00', '2024-06-01', NULL, NULL, NULL, 0)`,
	`INSERT INTO shelf (name, height, note) VALUES ('s1', 1, 'low'), ('s2', 2, NULL), ('s3', 30, 'x')`,
	`INSERT INTO stands (left_key, right_key, slot, places, since) VALUES (1, 's1', 'a', 2, '2024-02-29'), (1, 's1', 'b', 1, NULL), (2, 's3', 'a', 100, '2024-03-05')`,
	`INSERT INTO owns (left_key, right_key, share) VALUES ('s1', 1, 0.5), ('s3', 2, 1)`,
}

func fillShop(t *testing.T, c *client) {
	t.Helper()
	for _, sql := range shopRows {
		must(t, t.Context(), c.PgConn, sql)
	}
}

// postgresTools is a server with one database as ontosql shows the shop: the same
// owner, user and privileges, keys between the tables, and comments.
func postgresTools(t *testing.T) (dsn string) {
	t.Helper()
	server, err := testenv.StartPostgres(context.WithoutCancel(t.Context()))
	testenv.Require(t, "postgres", err)
	t.Cleanup(server.Stop)
	all := "SUPERUSER CREATEROLE CREATEDB LOGIN REPLICATION BYPASSRLS"
	must(t, t.Context(), connect(t, server.DSN), "CREATE ROLE tester "+all)
	dsn = strings.Replace(server.DSN, "postgres://postgres@", "postgres://tester@", 1)
	must(t, t.Context(), connect(t, dsn), "ALTER ROLE postgres RENAME TO ontosql; ALTER ROLE ontosql NOLOGIN")
	must(t, t.Context(), connect(t, dsn), "CREATE DATABASE onto OWNER ontosql")
	dsn = strings.Replace(dsn, "/postgres?", "/onto?", 1)
	c := connect(t, dsn)
	run := append([]string{"SET ROLE ontosql", "ALTER SCHEMA public OWNER TO ontosql"}, shopInPostgres...)
	for _, name := range []string{"Item", "Shelf", "Stands", "Owns"} {
		run = append(run, fmt.Sprintf("COMMENT ON TABLE %s IS '%s'", name, name),
			"REVOKE ALL ON "+name+" FROM ontosql", "GRANT SELECT, INSERT, UPDATE ON "+name+" TO ontosql, PUBLIC")
	}
	run = append(run,
		"ALTER TABLE stands ADD FOREIGN KEY (left_key) REFERENCES item NOT VALID", "ALTER TABLE stands ADD FOREIGN KEY (right_key) REFERENCES shelf NOT VALID",
		"ALTER TABLE owns ADD FOREIGN KEY (left_key) REFERENCES shelf NOT VALID", "ALTER TABLE owns ADD FOREIGN KEY (right_key) REFERENCES item NOT VALID",
		"COMMENT ON SCHEMA public IS 'The ontology''s types: the latest version of every row.'",
	)
	for _, sql := range append(run, shopRows...) {
		must(t, t.Context(), c, sql)
	}
	return dsn
}

// tool is a session of a tool, with the names of OIDs.
type tool struct {
	*client
	names map[string]string // of an OID that is no built-in one
	oids  map[string]string // of a relation's name, and of "database"
}

func connectTool(t *testing.T, dsn string) *tool {
	t.Helper()
	c := &tool{client: connectClient(t, dsn), names: map[string]string{}, oids: map[string]string{}}
	for _, q := range []string{
		"SELECT oid, 'class ' || relnamespace::regnamespace || '.' || relname FROM pg_class",
		"SELECT oid, 'type ' || typnamespace::regnamespace || '.' || typname FROM pg_type",
		"SELECT oid, 'constraint ' || conrelid::regclass || '.' || conname FROM pg_constraint",
		"SELECT oid, 'schema ' || nspname FROM pg_namespace",
		"SELECT oid, 'role ' || rolname FROM pg_roles",
		"SELECT oid, 'database ' || datname FROM pg_database",
	} {
		results, err := c.Exec(t.Context(), q).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		for _, cells := range results[0].Rows {
			row := []string{string(cells[0]), string(cells[1])}
			if n, err := strconv.Atoi(row[0]); err != nil || n >= firstUserOID {
				c.names[row[0]] = row[1]
			}
			if name, ok := strings.CutPrefix(row[1], "class public."); ok {
				c.oids[name] = row[0]
			}
			if row[1] == "database onto" {
				c.oids["database"] = row[0]
			}
		}
	}
	return c
}

// firstUserOID is PostgreSQL's FirstNormalObjectId (transam.h).
const firstUserOID = 16384

var placeholder = regexp.MustCompile(`\{([\w.]*[a-z]\w*)\}`)

// tells is all that the server says to a statement, with OIDs as names and rows
// that have no order sorted.
func (c *tool) tells(ctx context.Context, sql string) []string {
	sql = placeholder.ReplaceAllStringFunc(sql, func(p string) string {
		if oid, ok := c.oids[strings.Trim(p, "{}")]; ok {
			return oid
		}
		return p
	})
	c.notices = nil
	results, err := c.Exec(ctx, sql).ReadAll()
	told := c.results(results, inOrder(sql))
	notices := c.notices
	if err == nil && len(results) == 1 && len(results[0].FieldDescriptions) > 0 && c.TxStatus() == 'I' {
		if diff := cmp.Diff(told, c.results([]*pgconn.Result{c.ExecParams(ctx, sql, nil, nil, nil, nil).Read()}, inOrder(sql))); diff != "" {
			told = append(told, "prepared, it answers otherwise: "+diff)
		}
	}
	return append(append(append(notices, told...), failure(err)...), fmt.Sprintf("state %c", c.TxStatus()))
}

func (c *tool) results(results []*pgconn.Result, inOrder bool) (lines []string) {
	for _, r := range results {
		rows := []string{}
		for _, row := range r.Rows {
			if line, ours := c.row(r.FieldDescriptions, row); !ours {
				rows = append(rows, line)
			}
		}
		if !inOrder {
			slices.Sort(rows)
		}
		tag := r.CommandTag.String()
		if r.CommandTag.Select() {
			tag = fmt.Sprintf("SELECT %d", len(rows))
		}
		lines = append(append(lines, tag+": "+columnsOf(r.FieldDescriptions)), rows...)
		lines = append(lines, failure(r.Err)...)
	}
	return lines
}

var nameOfSchema = regexp.MustCompile(`(?i)schem|nspname|^name$|^relname$`)

// ofStorage are columns that tell how and when PostgreSQL wrote what they are about.
var ofStorage = []string{
	"xmin", "state_number", "relfilenode", "relfrozenxid", "relminmxid", "datfrozenxid", "datminmxid", "reltoastrelid", "relpages", "reltuples", "relallvisible",
	"total_rel_size", "rel_size", "index_rel_size", "index_num_scans", "typdefaultbin", "CARDINALITY", "PAGES",
	"current_txid", "seq_scan", "idx_scan", "n_tup_ins", "n_live_tup", "estimated_row_count",
}

// build is the text behind the number in version().
var build = regexp.MustCompile(`^(PostgreSQL \d+\.\d+) .*`)

// row is a row as a line, and whether it is about what only ontosql has.
func (c *tool) row(fields []pgconn.FieldDescription, row [][]byte) (line string, ours bool) {
	var cells []string
	for i, v := range row {
		cell := shown(v, fields[i].DataTypeOID)
		if slices.Contains(ofStorage, fields[i].Name) {
			cell = "-"
		}
		cell = build.ReplaceAllString(cell, "$1")
		if name, ok := c.names[cell]; ok {
			cell = name
		}
		switch _, object, _ := strings.Cut(cell, " "); {
		case slices.Contains(ownSchemas[1:], cell), cell == ownSchemas[0] && nameOfSchema.MatchString(fields[i].Name),
			slices.ContainsFunc(ownSchemas, func(s string) bool {
				return cell == "schema "+s || strings.HasPrefix(cell, s+".") || c.names[string(v)] == cell && strings.HasPrefix(object, s+".")
			}):
			ours = true
		}
		cells = append(cells, cell)
	}
	return "  " + strings.Join(cells, " | "), ours
}

// inOrder says whether a statement sorts its rows, and not only those of a
// subquery.
func inOrder(sql string) bool {
	depth, outside := 0, strings.Builder{}
	for _, r := range strings.ToLower(sql) {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0:
			outside.WriteRune(r)
		}
	}
	return strings.Contains(outside.String(), "order by") || strings.Contains(outside.String(), "order  by")
}
