// Package archtest holds the floor plan: which room may open a door to which.
// It parses the import clauses itself, because a test that asks the go command
// is served from the test cache after an import has changed.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ontosql/ontosql"

// doors lists, for each room, the rooms it imports. "." is the dictionary. A
// change here is a change of the architecture: the commit says why.
var doors = map[string][]string{
	".":                           {},
	"pgerr":                       {},
	"acl":                         {},
	"charset":                     {"pgerr"},
	"pgfunc/chars":                {},
	"pgfunc/fmgr":                 {"pgerr"},
	"pgfunc/numeric":              {"column", "pgerr", "pgfunc/chars", "pgfunc/fmgr"},
	"pgfunc/regex":                {"pgerr", "pgfunc/chars", "pgfunc/fmgr"},
	"pgfunc/str":                  {"charset", "pgerr", "pgfunc/chars", "pgfunc/fmgr"},
	"pgfunc/jsonb":                {"format", "pgerr", "pgfunc/chars", "pgfunc/fmgr"},
	"pgfunc/jsonpath":             {"pgerr", "pgfunc/chars", "pgfunc/datetime", "pgfunc/fmgr", "pgfunc/formatting", "pgfunc/jsonb", "pgfunc/regex"},
	"pgfunc/datetime":             {"column", "pgerr", "pgfunc/chars", "pgfunc/fmgr"},
	"pgfunc/formatting":           {"pgerr", "pgfunc/chars", "pgfunc/datetime", "pgfunc/fmgr", "pgfunc/numeric"},
	"pgfunc/textout":              {"column", "pgfunc/datetime", "pgfunc/fmgr", "pgfunc/numeric"},
	"pgfunc":                      {"pgfunc/datetime", "pgfunc/fmgr", "pgfunc/formatting", "pgfunc/jsonb", "pgfunc/jsonpath", "pgfunc/numeric", "pgfunc/regex", "pgfunc/str", "pgfunc/textout"},
	"objstore":                    {},
	"column":                      {},
	"objstore/mem":                {"objstore"},
	"objstore/dir":                {"objstore"},
	"internal/awserror":           {},
	"objstore/s3":                 {"internal/awserror", "objstore"},
	"objstore/metered":            {"objstore"},
	"objstore/faulty":             {"objstore"},
	"objstore/spool":              {".", "objstore"}, // a damaged object is named as everywhere
	"objstore/objstoretest":       {"objstore"},
	"objstore/diskcache":          {".", "objstore"},
	"format":                      {".", "acl"},
	"nameservice":                 {".", "format", "objstore"},                           // the error of a context that ended
	"nameservice/dynamodb":        {".", "internal/awserror", "nameservice", "objstore"}, // errors that all stores have
	"nameservice/memory":          {"nameservice", "objstore"},
	"nameservice/publish":         {".", "nameservice"},
	"nameservice/objects":         {".", "nameservice", "objstore"},
	"nameservice/replica":         {"nameservice"},
	"nameservice/nameservicetest": {"nameservice"},
	"eventbus":                    {".", "format"},
	"eventbus/cron":               {},
	// A worker is the same over every store: it knows the contract of the bus only.
	"eventbus/worker":         {".", "eventbus", "eventbus/cron", "format"},
	"eventbus/worker/process": {"eventbus", "eventbus/worker"},
	"eventbus/worker/webhook": {"eventbus", "eventbus/worker"},
	"eventbus/objects":        {".", "eventbus", "format", "objstore"},
	"eventbus/outbox":         {".", "chain", "eventbus", "eventbus/objects", "format", "objstore"},
	"eventbus/eventbustest":   {"eventbus", "format"},
	"auth":                    {"auth/roles"},
	"auth/roles":              {},
	"auth/hba":                {},
	"catalog":                 {".", "acl", "catalog/migration", "column", "format"},
	"catalog/migration":       {".", "acl", "format"},
	"catalog/pgcatalog":       {".", "acl", "auth/roles", "catalog", "column", "pgerr", "pgfunc"},
	"chain":                   {".", "format", "objstore"},
	"resolver":                {".", "catalog", "catalog/migration", "chain", "format", "objstore"}, // the schema at an earlier commit
	// The rooms of rewrite, leaves first. None of them imports rewrite itself, which only tests them together.
	"rewrite":             {},
	"rewrite/types":       {"column"},
	"rewrite/enginesql":   {"pgerr", "rewrite/types"},
	"rewrite/input":       {"column", "pgerr", "pgfunc/datetime", "pgfunc/jsonb", "pgfunc/numeric", "pgfunc/str", "rewrite/enginesql", "rewrite/types"}, // literals are read as the functions read texts
	"rewrite/casts":       {"pgerr", "pgfunc/datetime", "rewrite/enginesql", "rewrite/input", "rewrite/types"},
	"rewrite/syntax":      {"pgerr", "pgfunc/chars", "pgfunc/datetime", "pgfunc/str", "rewrite/enginesql", "rewrite/input", "rewrite/types"},
	"rewrite/macros":      {"rewrite/enginesql", "rewrite/input", "rewrite/syntax"},
	"rewrite/functions":   {"rewrite/enginesql", "rewrite/types"},
	"rewrite/rowexpr":     {"column", "pgfunc/jsonb"}, // a json as a jsonb
	"rewrite/scope":       {"column", "pgerr", "pgfunc/datetime", "rewrite/casts", "rewrite/enginesql", "rewrite/functions", "rewrite/macros", "rewrite/rowexpr", "rewrite/syntax", "rewrite/types"},
	"rewrite/coercion":    {"column", "pgerr", "pgfunc/datetime", "rewrite/casts", "rewrite/enginesql", "rewrite/functions", "rewrite/input", "rewrite/rowexpr", "rewrite/scope", "rewrite/types"},
	"rewrite/jsontext":    {"rewrite/casts", "rewrite/coercion", "rewrite/enginesql", "rewrite/scope", "rewrite/types"},
	"rewrite/expression":  {"column", "pgerr", "pgfunc/datetime", "pgfunc/jsonpath", "pgfunc/regex", "pgfunc/str", "rewrite/casts", "rewrite/coercion", "rewrite/enginesql", "rewrite/functions", "rewrite/input", "rewrite/jsontext", "rewrite/macros", "rewrite/rowexpr", "rewrite/scope", "rewrite/syntax", "rewrite/types"},
	"rewrite/defaults":    {"column", "pgerr", "rewrite/coercion", "rewrite/enginesql", "rewrite/expression", "rewrite/functions", "rewrite/input", "rewrite/rowexpr", "rewrite/scope", "rewrite/syntax", "rewrite/types"}, // which functions may generate a column
	"rewrite/query":       {"column", "pgerr", "pgfunc/datetime", "rewrite/casts", "rewrite/coercion", "rewrite/enginesql", "rewrite/expression", "rewrite/functions", "rewrite/input", "rewrite/rowexpr", "rewrite/scope", "rewrite/syntax", "rewrite/types"},
	"rewrite/dml":         {"column", "pgerr", "rewrite/casts", "rewrite/coercion", "rewrite/defaults", "rewrite/enginesql", "rewrite/expression", "rewrite/functions", "rewrite/query", "rewrite/rowexpr", "rewrite/scope", "rewrite/syntax", "rewrite/types"}, // which functions make a view not updatable
	"rewrite/ddlstmt":     {"column", "pgerr", "rewrite/coercion", "rewrite/defaults", "rewrite/enginesql", "rewrite/expression", "rewrite/functions", "rewrite/input", "rewrite/query", "rewrite/scope", "rewrite/syntax", "rewrite/types"},
	"rewrite/rewritetest": {"column", "pgerr", "pgfunc/datetime", "rewrite/dml", "rewrite/query", "rewrite/scope", "rewrite/syntax", "rewrite/types"},
	"duckdb":              {"column", "pgerr", "pgfunc"},
	"duckdb/scan":         {".", "catalog", "column", "duckdb", "format"},
	"mirror":              {".", "catalog", "column", "duckdb", "duckdb/scan"},
	"rowstore":            {".", "catalog", "column", "duckdb", "duckdb/scan", "mirror"}, // rows come as the mirror gets them
	"writepath":           {".", "catalog/migration", "chain", "eventbus", "eventbus/objects", "eventbus/outbox", "format", "objstore"},
	"wire":                {"auth", "auth/hba", "auth/roles", "charset", "column", "pgerr", "pgfunc/datetime", "pgfunc/jsonb", "pgfunc/numeric", "pgfunc/str", "pgfunc/textout"}, // jsonb and tid are printed as the functions print them
	"sqlite":              {".", "catalog", "chain", "column", "format", "resolver", "sqlite/codec", "sqlite/dbschema", "sqlite/pages", "sqlite/sqlconn", "sqlite/writelock", "writepath"},
	"sqlite/sqlconn":      {"."},
	"sqlite/dbschema":     {".", "format", "sqlite/sqlconn"},
	"sqlite/codec":        {".", "format", "writepath"},
	"sqlite/pages":        {"sqlite/sqlconn"},
	"sqlite/writelock":    {"format", "sqlite/dbschema", "sqlite/sqlconn", "writepath"},
	// These stand above sqlite: they find out by a DB what is in the file.
	"sqlite/initdb":         {".", "format", "sqlite", "sqlite/dbschema", "sqlite/sqlconn", "sqlite/writelock", "writepath"},
	"sqlite/commit":         {".", "catalog/migration", "chain", "eventbus", "format", "sqlite", "sqlite/codec", "sqlite/dbschema", "sqlite/events", "sqlite/initdb", "sqlite/sqlconn", "sqlite/writelock", "writepath"},
	"sqlite/check":          {".", "catalog/migration", "format", "sqlite", "sqlite/dbschema", "sqlite/sqlconn", "sqlite/writelock"},
	"sqlite/events":         {".", "eventbus", "format", "sqlite", "sqlite/dbschema", "sqlite/sqlconn"},
	"sqlite/bulk":           {".", "format", "sqlite", "sqlite/codec", "sqlite/dbschema", "sqlite/initdb", "sqlite/sqlconn", "sqlite/writelock"},
	"sqlite/sqlitetest":     {"internal/fixtures", "sqlite/check", "sqlite/initdb"},
	"workspace":             {"acl", "column", "duckdb", "rewrite/types"}, // ordinary tables have SQL types
	"maintain":              {".", "catalog", "catalog/migration", "chain", "format", "objstore", "resolver"},
	"maintain/compaction":   {".", "catalog", "chain", "format", "objstore", "objstore/spool", "resolver", "writepath"}, // writes snapshots, and publishes indexes
	"maintain/gc":           {".", "chain", "format", "objstore", "writepath"},                                          // removes below the write lock
	"maintain/maintaintest": {"maintain", "objstore"},
	"gateway/ingest":        {".", "catalog", "column", "duckdb", "duckdb/scan", "format", "gateway/textvalue", "mirror", "resolver"}, // numbers from texts
	"gateway/storage":       {".", "catalog", "chain", "column", "duckdb", "duckdb/scan", "format", "gateway/ingest", "gateway/temptable", "mirror", "objstore", "objstore/diskcache", "pgerr", "resolver", "writepath"},
	"gateway/introspect":    {".", "catalog", "catalog/pgcatalog", "chain", "column", "duckdb", "eventbus", "format", "gateway/sqlstate", "gateway/storage", "maintain/compaction", "mirror", "nameservice", "objstore/metered", "pgerr", "resolver", "rewrite/syntax", "wire"}, // the arguments of actions
	"gateway/database":      {".", "auth/roles", "branch", "catalog", "catalog/pgcatalog", "chain", "column", "duckdb", "duckdb/scan", "eventbus", "gateway/introspect", "gateway/sqlstate", "gateway/storage", "gateway/temptable", "maintain/compaction", "mirror", "nameservice", "pgerr", "pgfunc", "resolver", "rewrite/macros", "rowstore", "workspace", "writepath", "format"},
	"gateway/settings":      {".", "catalog/pgcatalog", "charset", "format", "pgerr", "pgfunc", "pgfunc/datetime", "pgfunc/str", "pgfunc/textout", "rewrite"},
	"gateway/relation":      {".", "catalog", "catalog/pgcatalog", "column", "duckdb", "duckdb/scan", "format", "gateway/introspect", "gateway/sqlstate", "pgerr", "pgfunc/str", "resolver", "rewrite", "rewrite/enginesql", "rewrite/syntax", "workspace", "pgfunc/datetime"},
	"gateway/sqlstate":      {".", "branch", "catalog/migration", "duckdb", "eventbus", "format", "gateway/settings", "nameservice", "objstore", "objstore/diskcache", "pgerr", "resolver", "rewrite", "sqlite", "wire", "writepath"},
	"gateway/textvalue":     {".", "column", "pgfunc/datetime"},
	"gateway/copydata":      {"catalog", "catalog/pgcatalog", "charset", "column", "gateway/textvalue", "pgerr", "pgfunc/datetime", "rewrite", "wire"},
	"gateway/rowjson":       {".", "catalog", "catalog/pgcatalog", "column", "format", "gateway/settings", "gateway/textvalue", "pgerr", "pgfunc/textout", "wire", "writepath"},
	"gateway/temptable":     {"column", "duckdb"},
	"gateway/staging":       {".", "catalog", "catalog/pgcatalog", "column", "duckdb", "duckdb/scan", "format", "gateway/rowjson", "gateway/temptable", "pgerr", "writepath"},
	"gateway/typeddl":       {".", "acl", "auth/roles", "catalog", "catalog/migration", "catalog/pgcatalog", "column", "format", "gateway/access", "gateway/introspect", "gateway/rowjson", "gateway/settings", "gateway/sqlstate", "pgerr", "resolver", "rewrite"},
	"gateway/keyquery":      {".", "catalog", "chain", "column", "duckdb/scan", "format", "rewrite/enginesql", "rewrite/input", "rewrite/rowexpr", "rewrite/scope", "rewrite/types", "rowstore"}, // arguments are read as the session has read them
	"gateway/access":        {"acl", "auth/roles", "catalog", "gateway/introspect", "gateway/planner", "gateway/relation", "gateway/sqlstate", "pgerr", "workspace"},                             // a role against what a plan demands
	"gateway/planner":       {".", "acl", "catalog", "catalog/pgcatalog", "column", "duckdb", "duckdb/scan", "format", "gateway/database", "gateway/ingest", "gateway/keyquery", "gateway/relation", "gateway/rowjson", "gateway/settings", "gateway/sqlstate", "pgerr", "resolver", "rewrite/coercion", "rewrite/dml", "rewrite/query", "rewrite/rowexpr", "rewrite/scope", "rewrite/syntax", "rewrite/types", "wire", "workspace"},
	"gateway/session":       {".", "acl", "auth", "auth/roles", "catalog", "catalog/pgcatalog", "charset", "column", "duckdb", "eventbus", "format", "gateway/access", "gateway/database", "gateway/introspect", "gateway/planner", "gateway/relation", "gateway/settings", "gateway/sqlstate", "gateway/staging", "gateway/temptable", "gateway/textvalue", "gateway/typeddl", "pgerr", "pgfunc/datetime", "pgfunc/str", "pgfunc/textout", "resolver", "rewrite/ddlstmt", "rewrite/input", "rewrite/scope", "rewrite/syntax", "wire", "workspace", "writepath"}, // the roles that a statement names; nextval reads the name of its sequence
	"gateway/rowlock":       {"gateway/database", "gateway/planner", "gateway/session", "gateway/sqlstate", "pgerr", "rewrite/scope", "rewrite/syntax", "workspace"},                                                                                                                                                                                                                                                                                                                                                                                             // a query that reads locks rows, and a write waits for them
	"gateway/reading":       {".", "catalog", "catalog/pgcatalog", "column", "duckdb", "duckdb/scan", "format", "gateway/database", "gateway/ingest", "gateway/introspect", "gateway/keyquery", "gateway/planner", "gateway/relation", "gateway/rowlock", "gateway/session", "gateway/sqlstate", "gateway/storage", "gateway/temptable", "mirror", "pgerr", "resolver", "rowstore", "rewrite/scope", "rewrite/syntax", "workspace"},
	"gateway/writing":       {".", "catalog", "catalog/migration", "column", "duckdb", "duckdb/scan", "format", "gateway/typeddl", "gateway/planner", "gateway/reading", "gateway/relation", "gateway/rowjson", "gateway/session", "gateway/settings", "gateway/sqlstate", "gateway/staging", "gateway/storage", "gateway/temptable", "pgerr", "resolver", "rewrite/ddlstmt", "rewrite/dml", "rewrite/rowexpr", "rewrite/scope", "rewrite/syntax", "wire", "writepath", "gateway/access"},
	// The rooms of ordinary tables, leaves first. None of them imports gateway/tables.
	"gateway/tables/namespace":  {"acl", "catalog", "catalog/pgcatalog", "gateway/access", "gateway/database", "gateway/relation", "gateway/session", "gateway/sqlstate", "pgerr", "pgfunc/str", "resolver", "rewrite/ddlstmt", "rewrite/syntax", "workspace"}, // the roles of OWNER TO
	"gateway/tables/modify":     {"column", "duckdb", "gateway/database", "gateway/planner", "gateway/reading", "gateway/relation", "gateway/rowlock", "gateway/session", "gateway/sqlstate", "gateway/tables/namespace", "gateway/temptable", "pgerr", "pgfunc/str", "resolver", "rewrite/ddlstmt", "rewrite/defaults", "rewrite/dml", "rewrite/enginesql", "rewrite/scope", "rewrite/syntax", "rewrite/types", "workspace"},
	"gateway/tables/sequences":  {"acl", "gateway/access", "gateway/database", "gateway/session", "gateway/sqlstate", "gateway/tables/namespace", "pgerr", "pgfunc/str", "rewrite/ddlstmt", "rewrite/enginesql", "rewrite/syntax", "rewrite/types", "workspace"},
	"gateway/tables/privileges": {"acl", "catalog", "gateway/access", "gateway/database", "gateway/session", "gateway/sqlstate", "gateway/tables/namespace", "gateway/tables/sequences", "gateway/typeddl", "pgerr", "rewrite/ddlstmt", "rewrite/syntax", "workspace"},
	"gateway/tables":            {"acl", "catalog", "catalog/pgcatalog", "column", "duckdb", "gateway/access", "gateway/database", "gateway/planner", "gateway/reading", "gateway/relation", "gateway/session", "gateway/sqlstate", "gateway/tables/modify", "gateway/tables/namespace", "gateway/tables/sequences", "pgerr", "pgfunc/str", "resolver", "rewrite/ddlstmt", "rewrite/defaults", "rewrite/dml", "rewrite/enginesql", "rewrite/scope", "rewrite/syntax", "rewrite/types", "workspace"}, // a rename edits the texts of conditions
	"gateway/roleddl":           {"acl", "auth", "auth/roles", "catalog", "gateway/access", "gateway/session", "gateway/sqlstate", "pgerr", "pgfunc/datetime", "rewrite/ddlstmt", "rewrite/syntax", "workspace"},
	"gateway/databaseddl":       {"auth/roles", "gateway/database", "gateway/session", "gateway/sqlstate", "nameservice", "pgerr", "rewrite/ddlstmt", "rewrite/syntax"}, // the roles of OWNER TO
	"gateway/actions":           {".", "branch", "catalog", "column", "eventbus", "format", "gateway/database", "gateway/introspect", "gateway/planner", "gateway/reading", "gateway/session", "gateway/settings", "gateway/sqlstate", "gateway/writing", "maintain/compaction", "nameservice", "pgerr", "pgfunc/str", "resolver", "rewrite/syntax", "writepath"},
	"gateway/parts":             {"column", "gateway/actions", "gateway/planner", "gateway/reading", "gateway/relation", "gateway/session", "gateway/tables/modify", "gateway/temptable", "gateway/writing", "resolver", "rewrite/syntax"}, // a statement writes types and tables alike
	"gateway":                   {".", "auth", "auth/roles", "nameservice", "catalog", "catalog/pgcatalog", "chain", "column", "duckdb", "format", "gateway/copydata", "gateway/database", "gateway/databaseddl", "gateway/roleddl", "gateway/introspect", "gateway/parts", "gateway/planner", "gateway/reading", "gateway/relation", "gateway/rowjson", "gateway/rowlock", "gateway/session", "gateway/settings", "gateway/sqlstate", "gateway/staging", "gateway/tables", "gateway/tables/modify", "gateway/tables/namespace", "gateway/tables/privileges", "gateway/tables/sequences", "gateway/temptable", "gateway/typeddl", "gateway/writing", "pgerr", "pgfunc/datetime", "resolver", "rewrite/ddlstmt", "rewrite/dml", "rewrite/input", "rewrite/scope", "rewrite/syntax", "rewrite/types", "wire", "workspace", "writepath", "acl", "objstore/metered"},
	"gateway/gatewaytest":       {".", "catalog", "chain", "duckdb", "eventbus/objects", "format", "gateway", "gateway/database", "gateway/ingest", "gateway/storage", "maintain/compaction", "mirror", "objstore", "objstore/diskcache", "objstore/metered", "resolver", "rowstore", "sqlite", "sqlite/commit", "sqlite/events", "wire", "writepath"},
	// It moves rows and histories between the kinds of stores, so it knows both, and hands rows to a committer.
	"transfer": {".", "catalog", "chain", "column", "eventbus/outbox", "format", "objstore", "objstore/spool", "pgfunc/numeric", "resolver", "sqlite", "sqlite/bulk", "writepath"},
	// It reads and writes both kinds of stores as transfer does, and hands merges to a committer.
	"branch": {".", "catalog", "catalog/migration", "chain", "format", "objstore", "objstore/spool", "resolver", "sqlite", "sqlite/bulk", "transfer", "writepath"},
	// The original's query commands as SQL: text to text, which cmd hands to a session.
	"typedquery":        {".", "catalog", "column", "format", "pgfunc/str"},
	"cmd/ontosql":       {"*"},
	"bench":             {"*"},
	"internal/demo":     {".", "format", "objstore", "writepath"},
	"internal/original": {".", "format", "objstore"},
	"internal/fixtures": {"objstore"},
	"internal/testenv":  {},
	"internal/tpc":      {},
	// The statements that tests and bench ask.
	"tests/compat/corpus": {},
}

// TestDoors fails on an import that the plan does not know, and on a room that
// is not on the plan. Test files may import everything.
func TestDoors(t *testing.T) {
	root := moduleRoot(t)
	seen := map[string]bool{}
	walk(t, root, func(room, file, imported string) {
		seen[room] = true
		allowed, known := doors[room]
		if !known {
			t.Errorf("%s: room %q is not on the floor plan", file, room)
			return
		}
		if imported == "" || slices.Contains(allowed, "*") || slices.Contains(allowed, imported) {
			return
		}
		// Who may import rewrite may import its rooms: they are its interface.
		if strings.HasPrefix(imported, "rewrite/") && slices.Contains(allowed, "rewrite") {
			return
		}
		t.Errorf("%s: room %q opens a door to %q, which the floor plan does not have", file, room, imported)
	})
	for room := range doors {
		if !seen[room] {
			t.Errorf("room %q is on the floor plan and not in the house", room)
		}
	}
}

// TestOnlyOneRoomKnowsTheEngine keeps DuckDB, the parser, the AWS SDK and the
// protocol library each in the room that adapts it.
func TestOnlyOneRoomKnowsTheEngine(t *testing.T) {
	owners := map[string][]string{
		"github.com/duckdb/":               {"duckdb"},
		"github.com/pganalyze/pg_query_go": {"rewrite/syntax", "rewrite/functions", "rewrite/scope", "rewrite/expression", "rewrite/defaults", "rewrite/query", "rewrite/dml", "rewrite/ddlstmt"}, // only rewrite/syntax and rewrite/defaults parse
		"github.com/aws/":                  {"objstore/s3", "nameservice/dynamodb", "internal/awserror"},
		"github.com/jackc/pgx/v5":          {"wire", "cmd/ontosql", "bench", "internal/tpc"}, // all but the first are clients
		"github.com/apache/arrow-go":       {"format"},
		"zombiezen.com/go/sqlite":          append(below("sqlite"), "internal/original", "bench"), // the last two write as others do
		"modernc.org/sqlite":               below("sqlite"),
	}
	root := moduleRoot(t)
	forEachImport(t, root, func(room, file, path string) {
		for prefix, rooms := range owners {
			if strings.HasPrefix(path, prefix) && !slices.Contains(rooms, room) {
				t.Errorf("%s: room %q imports %s, which only %v may", file, room, path, rooms)
			}
		}
	})
}

// below is a room and its sub-rooms.
func below(room string) []string {
	rooms := []string{room}
	for name := range doors {
		if strings.HasPrefix(name, room+"/") {
			rooms = append(rooms, name)
		}
	}
	return rooms
}

func walk(t *testing.T, root string, visit func(room, file, imported string)) {
	t.Helper()
	forEachImport(t, root, func(room, file, path string) {
		switch {
		case path == module:
			visit(room, file, ".")
		case strings.HasPrefix(path, module+"/"):
			visit(room, file, strings.TrimPrefix(path, module+"/"))
		default:
			visit(room, file, "")
		}
	})
}

func forEachImport(t *testing.T, root string, visit func(room, file, path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); path != root && err == nil {
				return fs.SkipDir // another module is another house
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root { // another module, a test's client
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		room := filepath.ToSlash(filepath.Dir(rel))
		visit(room, rel, "")
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			visit(room, rel, imported)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walk the house: %v", err)
	}
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
