package pgcatalog

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestFunctionsAnswerAsPostgreSQL puts the same question to the macros and to a
// PostgreSQL 15, for every built-in object there is.
func TestFunctionsAnswerAsPostgreSQL(t *testing.T) {
	conn := postgres(t)
	duck := engine(t, shopInput())
	const modifiers = "(NULL), (-1), (0), (1), (3), (4), (5), (6), (14), (7000), (655366), (655360), (2147483647)"
	for _, c := range []struct{ name, sql string }{
		{"format_type", "SELECT t.oid, m.m, {s}format_type(t.oid, m.m) FROM {s}pg_type t, (VALUES " + modifiers + ") m(m) WHERE t.oid IN ({types}) AND t.oid NOT IN (1186, 1187) ORDER BY 1, 2"},
		{"format_type of interval", "SELECT m.m, {s}format_type(1186, m.m), {s}format_type(1187, m.m) FROM (VALUES " + intervals() + ") m(m) ORDER BY 1"},
		{"regtype_name", "SELECT t.oid, {s}format_type(t.oid, NULL) FROM {s}pg_type t WHERE t.oid IN ({types}) ORDER BY 1"},
		{"oidvectortypes", "SELECT p.oid, {s}oidvectortypes(p.proargtypes) FROM {s}pg_proc p WHERE p.oid IN ({functions}) ORDER BY 1"},
		{"nameconcatoid", "SELECT v.n, {s}nameconcatoid(v.n, v.o) FROM (VALUES " + longNames() + ") v(n, o) ORDER BY 1"},
		{"pg_get_functiondef", "SELECT p.oid, replace({s}pg_get_functiondef(p.oid), chr(10), '~') FROM {s}pg_proc p WHERE p.oid IN ({functions}) AND p.prokind <> 'a' AND p.prosupport = 0 AND p.pronargdefaults = 0 AND p.prolang = 12 ORDER BY 1"},
		{"pg_describe_object", "SELECT t.oid, {s}pg_describe_object(1247, t.oid, 0) FROM {s}pg_type t WHERE t.oid IN ({types}) ORDER BY 1"},
		{"pg_size_pretty", "SELECT n.n, {s}pg_size_pretty(n.n) FROM (VALUES " + sizes() + ") n(n) ORDER BY 1"},
		{"pg_encoding_to_char", "SELECT g.i, {s}pg_encoding_to_char(g.i) FROM generate_series(-1, 43) g(i) ORDER BY 1"},
		{"pg_char_to_encoding", "SELECT v.n, {s}pg_char_to_encoding(v.n) FROM (VALUES ('utf-8'), ('iso-8859-1'), ('mskanji'), ('Windows1252'), ('klingon'), (NULL)) v(n) ORDER BY 1"},
		{"quote_ident", "SELECT k.word, {s}quote_ident(k.word) FROM {s}pg_get_keywords() k ORDER BY 1"},
		{"pg_get_function_result", "SELECT p.oid, {s}pg_get_function_result(p.oid) FROM {s}pg_proc p WHERE p.oid IN ({functions}) ORDER BY 1"},
		{"pg_get_function_arguments", "SELECT p.oid, {s}pg_get_function_identity_arguments(p.oid) FROM {s}pg_proc p WHERE p.oid IN ({functions}) ORDER BY 1"},
		{"own indexes", "SELECT c.oid, c.relname, i.indrelid, {s}pg_get_indexdef(c.oid), {s}pg_get_indexdef(c.oid, 0, true), {s}pg_get_indexdef(c.oid, 1, true), i.indisprimary::text FROM {s}pg_index i JOIN {s}pg_class c ON c.oid = i.indexrelid WHERE c.oid < 16384 AND c.relnamespace = 11 AND i.indrelid IN (SELECT r.oid FROM {s}pg_class r WHERE r.relkind = 'r') ORDER BY 1"},
		{"columns of own indexes", "SELECT a.attrelid, a.attnum, a.attname, a.atttypid, a.attcollation FROM {s}pg_attribute a JOIN {s}pg_index i ON i.indexrelid = a.attrelid WHERE a.attrelid < 16384 AND i.indrelid IN (SELECT r.oid FROM {s}pg_class r WHERE r.relkind = 'r' AND r.relnamespace = 11) ORDER BY 1, 2"},
		{"own constraints", "SELECT o.oid, o.conname, o.conrelid, o.conindid, {s}pg_get_constraintdef(o.oid), {s}pg_get_constraintdef(o.oid, true) FROM {s}pg_constraint o WHERE o.oid < 16384 AND (o.connamespace = 11 OR o.contypid <> 0) ORDER BY 1"},
		{"collations of own columns", "SELECT a.attrelid, a.attnum, a.attcollation FROM {s}pg_attribute a JOIN {s}pg_class c ON c.oid = a.attrelid WHERE a.attnum > 0 AND c.oid < 13000 AND c.relnamespace = 11 AND c.relkind IN ('r', 'v') ORDER BY 1, 2"},
		{"own views", "SELECT c.relname, replace({s}pg_get_viewdef(c.oid), chr(10), '~'), replace({s}pg_get_viewdef(c.oid, true), chr(10), '~') FROM {s}pg_class c WHERE c.relkind = 'v' AND c.relnamespace IN (11, 13207) ORDER BY 1"},
		{"functions of operators", "SELECT o.oid, {r}o.oprcode{/r} FROM {s}pg_operator o ORDER BY 1"},
	} {
		ask := strings.NewReplacer("{types}", column0("pg_type"), "{functions}", column0("pg_proc"))
		sql := ask.Replace(c.sql)
		theirs, ours := strings.NewReplacer("{s}", "pg_catalog.", "{r}", "", "{/r}", ""), strings.NewReplacer("{s}", Schema+".", "{r}", Schema+".regproc_name(", "{/r}", ")")
		want := answer(t, conn, theirs.Replace(sql))
		got := strings.Split(strings.TrimSuffix(query(t, duck, ours.Replace(sql)), "\n"), "\n")
		if len(got) != len(want) {
			t.Errorf("%s: got %d answers, PostgreSQL gives %d; the first is %s", c.name, len(got), len(want), got[0])
			continue
		}
		wrong := 0
		for i := range want {
			if diff := cmp.Diff(want[i], got[i]); diff != "" && wrong < 10 {
				wrong++
				t.Errorf("%s: got %s, PostgreSQL says %s", c.name, got[i], want[i])
			}
		}
	}
}

// column0 lists the first column, the OID, of a relation's built-in rows.
func column0(relation string) string {
	var oids []string
	for _, row := range shape().rows[relation] {
		oids = append(oids, fmt.Sprint(row[0]))
	}
	return strings.Join(oids, ", ")
}

// longNames are names with an OID, which together have about as many bytes as a name may.
func longNames() string {
	values := []string{"('', 1::oid)", "(NULL, 2::oid)"}
	for n := 50; n <= 63; n++ {
		values = append(values, fmt.Sprintf("('%s', 3456::oid)", strings.Repeat("x", n)), fmt.Sprintf("('%sé', 16384::oid)", strings.Repeat("é", n/2-1)))
	}
	return strings.Join(values, ", ")
}

// sizes are numbers about every border between two units.
func sizes() string {
	values := []string{"(0::bigint)"}
	for _, unit := range []int64{1, 1 << 10, 1 << 20, 1 << 30, 1 << 40} {
		for _, n := range []int64{10239, 10240, 10241, 20479, 20480, 10<<10 - 1} {
			values = append(values, fmt.Sprintf("(%d)", n*unit), fmt.Sprintf("(%d)", -n*unit), fmt.Sprintf("(%d)", n*unit+unit/2))
		}
	}
	return strings.Join(values, ", ")
}

// intervals are the type modifiers of an interval: fields above a precision.
func intervals() string {
	values := []string{"(NULL::integer)", "(-1)"}
	for _, fields := range []int{4, 2, 8, 1024, 2048, 4096, 6, 1032, 3080, 7176, 3072, 7168, 6144, 32767} {
		values = append(values, fmt.Sprintf("(%d)", fields<<16|65535), fmt.Sprintf("(%d)", fields<<16|3))
	}
	return strings.Join(values, ", ")
}

func postgres(t *testing.T) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), testenv.Postgres(t))
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// answer is PostgreSQL's result in the form of query.
func answer(t *testing.T, conn *pgconn.PgConn, sql string) []string {
	t.Helper()
	result := conn.ExecParams(t.Context(), sql, nil, nil, nil, nil).Read()
	if result.Err != nil {
		t.Fatalf("PostgreSQL: %s: %v", sql, result.Err)
	}
	var lines []string
	for _, row := range result.Rows {
		var cells []string
		for _, value := range row {
			if value == nil {
				cells = append(cells, "∅")
				continue
			}
			cells = append(cells, string(value))
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines
}
