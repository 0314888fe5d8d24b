package gateway

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/rowjson"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// writing is what a plan has of an INSERT, UPDATE or MERGE: the plan itself is of
// RETURNING, as far as the client sees it.
type writing struct {
	kind   syntax.Kind // of the statement
	typ    *catalog.Type
	schema *format.Schema
	image  *rowjson.Encoder
	scoped *dml.Scoped
	rows   *plan      // the query of the rows
	params *paramRows // the rows without a query, nil where the engine computes them
	stored int        // columns by which a row names the stored version, behind the action; 0 where it names none
	target int        // the number of the target among the references
	imaged bool       // RETURNING shows fields_json
	copied bool       // its rows were read before it was planned,
	from   *copyIn    // from the data of a COPY; nil for others
}

// isWrite reports whether a statement is one that changes rows of a type.
func isWrite(st *syntax.Statement) bool {
	return st.Kind == syntax.Insert || st.Kind == syntax.Update || st.Kind == syntax.Merge
}

// newWriting resolves a write whose references are resolved.
func (s *Session) newWriting(pin *resolver.Pin, p *plan, st *syntax.Statement, shapes []scope.Shape, oids []uint32) error {
	target, err := s.target(pin, st)
	if err != nil {
		return err
	}
	w := &writing{kind: st.Kind, typ: target.Type, target: len(p.relations)}
	if w.schema, err = rowjson.WriteSchema(target.Type); err != nil {
		return err
	}
	w.image = rowjson.New(w.typ, w.schema)
	w.image.Style = s.Style
	target.Shape.Stored = storedNames(w.typ.Ref.Kind)
	if w.scoped, err = dml.Scope(st, target.Shape, shapes, s.settings.OnConflict(), oids, p.env); err != nil {
		return err
	}
	read, all := p.relations, append(slices.Clone(p.relations), target)
	if w.scoped.Matches {
		read, w.stored = all, len(target.Shape.Stored)
	}
	w.rows = &plan{
		version: p.version, relations: read, scoped: w.scoped.Rows, env: p.env,
		columns: make([]wire.Column, w.first()+len(w.typ.Columns)+len(w.scoped.Returned)),
	}
	if w.scoped.Returned != nil {
		p.columns = s.describe(pin.Catalog, w.scoped.Returned, all)
	}
	w.params = newParamRows(w.scoped.ParamRows(), w.typ)
	w.imaged = slices.ContainsFunc(w.scoped.Returned, w.isImage)
	p.scoped, p.writing = w.scoped.Rows, w
	return nil
}

// storedNames are the columns by which a write finds stored versions again.
func storedNames(kind ontosql.Kind) []string {
	return append(scan.KeyColumns(kind), "commit_id", scan.StoredFields)
}

// first is the number of columns of a row before those of the target.
func (w *writing) first() int {
	if !w.scoped.Matches {
		return 0
	}
	return 1 + w.stored
}

// isImage reports whether a column of RETURNING is what is stored of the fields.
func (w *writing) isImage(o scope.Output) bool {
	return o.Column == "fields_json" && o.Ref == w.target
}

// updates reports whether the write may change stored versions.
func (w *writing) updates() bool {
	return slices.ContainsFunc(w.scoped.Actions, func(a dml.Action) bool { return a.Kind == dml.Updates })
}

// mayMeetStored reports whether a row may be inserted that is stored already: an
// UPDATE inserts none, and ON CONFLICT has looked for it.
func (w *writing) mayMeetStored() bool {
	return w.kind == syntax.Merge || !w.scoped.Matches
}

// given reports whether the statement gives a column a value.
func (w *writing) given(i int) bool {
	return slices.ContainsFunc(w.scoped.Actions, func(a dml.Action) bool { return a.Assigned[i] })
}

// target is the relation that a statement writes to.
func (s *Session) target(pin *resolver.Pin, st *syntax.Statement) (relation.Relation, error) {
	if err := refuseAsOf(pin, st); err != nil {
		return relation.Relation{}, err
	}
	r, err := s.resolving().Resolve(pin, *st.Target)
	if err != nil {
		return relation.Relation{}, err
	}
	return r, s.writable(&r, st)
}

// refuseAsOf refuses a table of the schema as_of as a target. There is none, only
// functions, but what its user wants is plain.
func refuseAsOf(pin *resolver.Pin, st *syntax.Statement) error {
	t, ok := pin.Catalog.Lookup(st.Target.Name)
	if !ok || st.Target.Schema != catalog.SchemaAsOf {
		return nil
	}
	return pastTargetError(st, t)
}

// pastTargetError refuses to write to what shows the past of a type.
func pastTargetError(st *syntax.Statement, t *catalog.Type) error {
	return pgerr.New(pgerr.ReadOnlySQLTransaction, "cannot execute %s in the past: %q is read-only", st.Tag, sqlstate.RelationName(*st.Target)).
		WithHint("Write to %q; the history follows from it.", catalog.SchemaPublic+"."+t.Table).At(st.Target.Position)
}

// writable refuses a target that nobody can write to, in PostgreSQL's words
// where it has the case.
func (s *Session) writable(r *relation.Relation, st *syntax.Statement) error {
	var err *pgerr.Error
	switch {
	case r.Catalog != nil:
		err = pgerr.New(pgerr.InsufficientPrivilege, "permission denied for table %s", r.Shape.Table)
	case r.Virtual != nil:
		err = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot %s view %q", map[syntax.Kind]string{
			syntax.Insert: "insert into", syntax.Copy: "copy to", syntax.Update: "update", syntax.Merge: "merge into",
		}[st.Kind], r.Shape.Table).
			WithDetail("The schema ontosql shows the ontology's own records.")
	case r.Mode != ontosql.Latest:
		return pastTargetError(st, r.Type)
	default:
		return s.refusePast(st.Tag)
	}
	return err.At(st.Target.Position)
}

// writes refuses a write where this session or transaction may only read. In a
// READ ONLY transaction a write may still be prepared.
func (s *Session) writes(tag string) error {
	if err := s.refusePast(tag); err != nil || s.mode("read_only") != "on" {
		return err
	}
	return sqlstate.ReadOnly(tag)
}

// refusePast refuses a write where the session sees the past.
func (s *Session) refusePast(tag string) error {
	switch {
	case s.fixed != nil:
		return sqlstate.ReadOnly(tag).WithHint("The session is pinned to %s by the name of its database. Connect to %q to write.", s.fixed, s.db.Name)
	case s.settings.Value("ontosql.as_of") != "":
		return sqlstate.ReadOnly(tag).WithHint("RESET ontosql.as_of to write.")
	}
	return nil
}

// mode is a mode of the transaction at hand.
func (s *Session) mode(name string) string { return s.settings.Value("transaction_" + name) }
