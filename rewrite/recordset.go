package rewrite

import (
	"errors"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// recordFunctions make rows of documents. What columns they have is said behind
// them: AS r(a integer, b text).
var recordFunctions = map[string]bool{
	"json_to_record": true, "jsonb_to_record": true, "json_to_recordset": true, "jsonb_to_recordset": true,
}

// recordRows prints the query of a function that has a column definition list.
func (b *binder) recordRows(n *pg.RangeFunction, name string, l *level) ([]outcol, string) {
	call := n.Functions[0].GetList().GetItems()[0].GetFuncCall()
	switch {
	case call == nil || !recordFunctions[name]:
		b.fail(pgerr.New(pgerr.SyntaxError, "a column definition list is only allowed for functions returning \"record\""),
			location(n.Coldeflist[0]))
	case len(n.Coldeflist) == 0:
		b.fail(pgerr.New(pgerr.SyntaxError, "a column definition list is required for functions returning \"record\""), call.Location)
	case n.Ordinality:
		b.fail(pgerr.New(pgerr.SyntaxError, "WITH ORDINALITY cannot be used with a column definition list"), call.Location)
	}
	ty := t(jsonOID)
	if strings.HasPrefix(name, "jsonb") {
		ty = t(jsonbOID)
	}
	args := b.args(call.Args, l)
	if len(args) != 1 || args[0].t.oid != unknownOID && args[0].t.oid != ty.oid {
		b.noFunction(name, args, call.Location)
	}
	x := b.coerce(args[0], ty, implicitCast).sql
	var rows string
	if strings.HasSuffix(name, "set") {
		rows = "SELECT unnest(" + macro("json_records") + "(" + x + ", " + literal(name) + ")) AS j"
	} else {
		rows = "SELECT " + macro("json_record") + "(" + x + ", " + literal(name) + ") AS j"
	}
	var cols []outcol
	var parts []string
	for i, d := range n.Coldeflist {
		def := d.GetColumnDef()
		to, err := typeOf(b.st.tree, def.TypeName)
		var e *pgerr.Error
		if errors.As(err, &e) {
			b.fail(e, def.TypeName.Location)
		}
		out := "v" + itoa(i+1)
		cols = append(cols, outcol{name: def.Colname, out: out, t: to, ref: -1})
		parts = append(parts, b.memberAs(def.Colname, to, def.Location)+" AS "+quote(out))
	}
	return cols, "SELECT " + strings.Join(parts, ", ") + " FROM (" + rows + ")"
}

// memberAs is a member of the document j as a value of a type.
func (b *binder) memberAs(name string, to typ, loc int32) string {
	key := macro("json_path") + "(" + literal(name) + ")"
	switch {
	case isJSON(to.oid):
		return "(j -> " + key + ")"
	case to.isArray():
		b.unsupported(loc, "an array as a column of a record from json is not supported")
	}
	return b.coerce(expr{sql: "(j ->> " + key + ")", t: t(textOID)}, to, explicitCast).sql
}
