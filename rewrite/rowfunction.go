package rewrite

import (
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
	"strings"
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

func init() {
	for _, line := range strings.Split(strings.TrimSpace(rowFunctionTable), "\n") {
		head, template, written := strings.Cut(line, " = ")
		end := strings.Index(head, ")") + 1
		s := parseSignature(head[:end] + " record")[0]
		s.row = &types.RowType{}
		for _, col := range strings.Split(head[end:], ",") {
			name, word, _ := strings.Cut(strings.TrimSpace(col), " ")
			s.row.Add(name, types.Of(typeByWord(word, line)))
		}
		s.template = template
		if s.set && !written {
			s.template = enginesql.MacroSchema + "." + s.name + "({*})"
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
	var cols []outcol
	var parts []string
	for i, f := range types.RowFields(e.t) {
		cols = append(cols, outcol{name: f.Name, out: f.Name, t: f.Type, ref: -1})
		parts = append(parts, fieldAt("item", i)+" AS "+enginesql.Quote(f.Name))
	}
	inner := e.sql + " AS item"
	if ordinal {
		cols = append(cols, outcol{name: "ordinality", out: "ordinality", t: types.Of(types.Int8), ref: -1})
		parts = append(parts, enginesql.Quote("ordinality"))
		inner += ", " + b.ordinals(e)
	}
	return cols, "SELECT " + strings.Join(parts, ", ") + " FROM (SELECT " + inner + ")"
}
