package rewrite

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// rowFunctionTable lists the functions whose result is a row of several columns, each
// with its columns and its template. One without a template is a macro of the catalog.
// They give a struct, those of a set a list of structs.
const rowFunctionTable = `
set json_each(json) key text, value json = @json_pairs(@json_object({1}, 'json_each'))
set json_each_text(json) key text, value text = @json_text_pairs(@json_object({1}, 'json_each_text'))
set jsonb_each(jsonb) key text, value jsonb = @jsonb_pairs(@json_object({1}, 'jsonb_each'))
set jsonb_each_text(jsonb) key text, value text = @jsonb_text_pairs(@json_object({1}, 'jsonb_each_text'))
set pg_get_keywords() word text, catcode char, barelabel bool, catdesc text, baredesc text
set pg_options_to_table(text[]) option_name text, option_value text
set aclexplode(aclitem[]) grantor oid, grantee oid, privilege_type text, is_grantable bool
set ts_token_type(oid) tokid int4, alias text, description text
set pg_partition_tree(regclass) relid regclass, parentrelid regclass, isleaf bool, level int4
pg_identify_object(oid,oid,int4) type text, schema text, name text, identity text
pg_identify_object_as_address(oid,oid,int4) type text, object_names text[], object_args text[]
`

// viewFunctions are functions without arguments, or with one that says of which
// session, that return the rows of a relation of the catalog.
var viewFunctions = map[string]string{
	"pg_available_extensions": "pg_available_extensions", "pg_available_extension_versions": "pg_available_extension_versions",
	"pg_config": "pg_config", "pg_cursor": "pg_cursors", "pg_hba_file_rules": "pg_hba_file_rules",
	"pg_get_replication_slots": "pg_replication_slots", "pg_lock_status": "pg_locks", "pg_prepared_statement": "pg_prepared_statements",
	"pg_prepared_xact": "pg_prepared_xacts", "pg_show_all_file_settings": "pg_file_settings", "pg_show_all_settings": "pg_settings",
	"pg_timezone_abbrevs": "pg_timezone_abbrevs", "pg_timezone_names": "pg_timezone_names",
}

func init() {
	for _, line := range strings.Split(strings.TrimSpace(rowFunctionTable), "\n") {
		head, template, written := strings.Cut(line, " = ")
		end := strings.Index(head, ")") + 1
		s := parseSignature(head[:end] + " record")[0]
		s.row = &rowType{}
		for _, col := range strings.Split(head[end:], ",") {
			name, word, _ := strings.Cut(strings.TrimSpace(col), " ")
			s.row.add(name, t(typeByWord(word, line)))
		}
		s.template = template
		if s.set && !written {
			s.template = macroSchema + "." + s.name + "({*})"
		}
		of := catalogFunctions
		if written {
			of = functions
		}
		of[s.name] = append(of[s.name], s)
	}
}

// rowRows prints the query of a function in FROM that returns rows of a known type.
func (b *binder) rowRows(e expr, ordinal bool) ([]outcol, string) {
	cols := slices.Clone(rowColumns(e.t))
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = fieldAt("item", i) + " AS " + quote(c.out)
	}
	inner := e.sql + " AS item"
	if ordinal {
		cols = append(cols, outcol{name: "ordinality", out: "ordinality", t: t(int8OID), ref: -1})
		parts = append(parts, quote("ordinality"))
		inner += ", " + b.ordinals(e)
	}
	return cols, "SELECT " + strings.Join(parts, ", ") + " FROM (SELECT " + inner + ")"
}

// viewOf is the relation that stands for a call of one of viewFunctions, nil for
// anything else.
func viewOf(n *pg.RangeFunction) *pg.RangeVar {
	if n == nil {
		return nil
	}
	call := functionOf(n)
	if call == nil || len(call.Args) > 0 || n.Ordinality || len(n.Coldeflist) > 0 {
		return nil
	}
	names := strs(call.Funcname)
	name := names[len(names)-1]
	relation := viewFunctions[name]
	if relation == "" || len(names) > 1 && names[0] != "pg_catalog" {
		return nil
	}
	v := &pg.RangeVar{Schemaname: "pg_catalog", Relname: relation, Inh: true, Relpersistence: "p", Alias: n.Alias, Location: call.Location}
	if v.Alias == nil {
		v.Alias = &pg.Alias{Aliasname: name}
	}
	return v
}
