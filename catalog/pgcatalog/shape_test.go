package pgcatalog

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

var rewriteShape = flag.Bool("rewrite-shape", false, "write shape.tsv and rows.tsv from the PostgreSQL 15 of this machine")

// TestShapeIsPostgreSQLs compares the embedded files with a new cluster of
// PostgreSQL 15. With -rewrite-shape it is their generator:
//
//	go test ./catalog/pgcatalog -run TestShapeIsPostgreSQLs -rewrite-shape
func TestShapeIsPostgreSQLs(t *testing.T) {
	conn := postgres(t)
	files := map[string][]byte{
		"shape.tsv": copyOut(t, conn, shapeQuery),
		"rows.tsv":  rowFile(t, conn),
	}
	for name, want := range files {
		if *rewriteShape {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
			t.Errorf("%s differs from PostgreSQL (-server +file):\n%s", name, diff)
		}
	}
}

// shapeQuery gives one line for each relation: schema, name, OID, kind, and its
// columns as "name type" with a "!" after a type that is NOT NULL.
const shapeQuery = `
SELECT n.nspname, c.relname, c.oid, c.relkind,
       string_agg(a.attname || ' ' || t.typname || CASE WHEN a.attnotnull THEN '!' ELSE '' END, ',' ORDER BY a.attnum)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 2`

// builtinTypes are the types that are not the row type of a catalog relation.
const builtinTypes = `SELECT t.oid FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem
	WHERE t.oid < 16384 AND t.typtype <> 'c' AND (t.typelem = 0 OR e.typtype <> 'c')`

// usedFunctions are the functions that a row of another embedded relation
// names, and those a client may look up because ontosql answers them.
const usedFunctions = `
SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typsubscript]::oid[])
FROM pg_type WHERE oid IN (` + builtinTypes + `)
UNION SELECT amhandler FROM pg_am
UNION SELECT unnest(ARRAY[lanplcallfoid, laninline, lanvalidator]) FROM pg_language WHERE lanname <> 'plpgsql'
UNION SELECT unnest(ARRAY[rngcanonical, rngsubdiff]::oid[]) FROM pg_range
UNION SELECT castfunc FROM pg_cast
UNION SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN (
	'abs', 'array_agg', 'array_length', 'array_to_string', 'avg', 'bool_and', 'bool_or', 'btrim', 'ceil', 'char_length',
	'coalesce', 'col_description', 'concat', 'concat_ws', 'count', 'current_database', 'current_schema', 'current_schemas',
	'current_setting', 'date_part', 'date_trunc', 'dense_rank', 'every', 'exp', 'first_value', 'floor', 'format',
	'format_type', 'generate_series', 'has_schema_privilege', 'has_table_privilege', 'initcap', 'jsonb_agg',
	'jsonb_array_elements', 'jsonb_build_object', 'jsonb_object_agg', 'jsonb_typeof', 'lag', 'last_value', 'lead', 'left',
	'length', 'ln', 'lower', 'lpad', 'ltrim', 'max', 'md5', 'min', 'mod', 'now', 'ntile', 'obj_description',
	'octet_length', 'pg_backend_pid', 'pg_encoding_to_char', 'pg_get_constraintdef', 'pg_get_expr', 'pg_get_indexdef',
	'pg_get_userbyid', 'pg_get_viewdef', 'pg_table_is_visible', 'pg_type_is_visible', 'position', 'power', 'quote_ident',
	'quote_literal', 'random', 'rank', 'regexp_match', 'regexp_matches', 'regexp_replace', 'repeat', 'replace', 'reverse',
	'right', 'round', 'row_number', 'rpad', 'rtrim', 'set_config', 'sign', 'split_part', 'sqrt', 'starts_with', 'stddev',
	'string_agg', 'string_to_array', 'strpos', 'substr', 'substring', 'sum', 'to_char', 'to_date', 'to_json', 'to_jsonb',
	'to_number', 'to_timestamp', 'translate', 'trunc', 'unnest', 'upper', 'variance', 'version')`

// rowSets are the relations whose built-in rows clients look at.
var rowSets = []struct{ relation, where string }{
	{"pg_aggregate", "aggfnoid IN (" + usedFunctions + ")"},
	{"pg_am", "true"},
	{"pg_cast", "true"},
	{"pg_collation", "oid IN (100, 950, 951) OR collname = 'ucs_basic'"},
	{"pg_language", "lanname <> 'plpgsql'"},
	{"pg_opclass", "true"},
	{"pg_opfamily", "true"},
	{"pg_proc", "oid IN (" + usedFunctions + ")"},
	{"pg_range", "true"},
	{"pg_tablespace", "true"},
	{"pg_type", "oid IN (" + builtinTypes + ")"},
}

// rowFile has a section "@relation" with rows in COPY's text format for each of
// rowSets, columns of type regproc as OIDs, and at last the SQL key words.
func rowFile(t *testing.T, conn *pgconn.PgConn) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, set := range rowSets {
		columns := strings.TrimSpace(string(copyOut(t, conn, fmt.Sprintf(`
SELECT string_agg(CASE atttypid WHEN 'regproc'::regtype THEN attname || '::oid' WHEN 'pg_node_tree'::regtype THEN 'NULL'
                  ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0`, set.relation))))
		fmt.Fprintf(&out, "@%s\n", set.relation)
		out.Write(copyOut(t, conn, fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY 1, 2", columns, set.relation, set.where)))
	}
	out.WriteString("@ontosql_keywords\n")
	out.Write(copyOut(t, conn, "SELECT * FROM pg_get_keywords() ORDER BY 1"))
	return out.Bytes()
}

func copyOut(t *testing.T, conn *pgconn.PgConn, query string) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := conn.CopyTo(t.Context(), &out, "COPY ("+query+") TO STDOUT"); err != nil {
		t.Fatalf("ask PostgreSQL %s: %v", query, err)
	}
	return out.Bytes()
}
