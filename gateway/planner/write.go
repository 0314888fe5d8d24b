package planner

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
	"github.com/ontosql/ontosql/workspace"
)

// Write is the part of a plan that an INSERT, UPDATE, DELETE or MERGE has. The columns of the
// plan are those of RETURNING.
type Write struct {
	Kind          syntax.Kind // of the statement
	Target        relation.Relation
	Through       []*workspace.View // the views that it goes through, outermost first
	Table         *workspace.Table  // the target, if that is an ordinary table; then what is of types alone is nil
	Type          *catalog.Type
	Schema        *format.Schema
	Encoder       *rowjson.Encoder
	Scoped        *dml.Scoped
	Rows          *Plan       // the query of the rows
	Params        *paramRows  // the rows, if they need no query; nil if the engine computes them
	Plain         *PlainWrite // the rows as they are computed without the engine, nil if only it can
	StoredColumns int         // number of columns that identify the stored version of a row, after the action; 0 for none
	target        int         // the number of the target among the references
	ReturnsFields bool        // RETURNING has fields_json
	FromCopy      bool        // its rows were read before it was planned
	columns       syntax.TargetColumns
	InCopy        func(err error, n int64) error // places an error of the n-th row in the data of a COPY; nil for others
}

// IsWrite reports whether a statement is one that changes rows of a type.
func IsWrite(st *syntax.Statement) bool {
	switch st.Kind {
	case syntax.Insert, syntax.Update, syntax.Delete, syntax.Merge:
		return true
	}
	return false
}

// PlanWrite completes the plan of a write whose references are resolved. conflict is what an INSERT
// into a type, without ON CONFLICT, does with rows that exist.
func (s *Planner) PlanWrite(pin *resolver.Pin, p *Plan, st *syntax.Statement, shapes []scope.Shape, oids []uint32, conflict dml.Conflict) error {
	target, err := s.target(pin, st)
	if err != nil {
		return err
	}
	var by through
	if target.View != nil {
		if target, by, st, err = s.writeThrough(pin, p, st, target.View); err != nil {
			return err
		}
		for _, r := range p.Relations[len(shapes):] {
			shapes = append(shapes, r.Shape)
		}
	}
	if target.Stored != nil {
		return s.planTableWrite(pin, p, target, by, st, shapes, oids)
	}
	w := &Write{Kind: st.Kind, Type: target.Type, Target: target, Through: by.named, columns: st.TargetColumns(), target: len(p.Relations)}
	if w.Schema, err = rowjson.WriteSchema(target.Type); err != nil {
		return err
	}
	w.Encoder = rowjson.New(w.Type, w.Schema)
	w.Encoder.Style = s.Settings.Style
	target.Shape.Stored = StoredColumnNames(w.Type.Ref.Kind)
	if w.Scoped, err = dml.ScopeThrough(st, target.Shape, by.views, shapes, conflict, oids, p.Env); err != nil {
		return err
	}
	read, all := p.Relations, append(slices.Clone(p.Relations), target)
	if w.Scoped.Matches {
		read, w.StoredColumns = all, len(target.Shape.Stored)
	}
	w.Rows = p.rowsOf(w, read)
	if w.Scoped.Returned != nil {
		p.Columns = s.describe(pin.Catalog, w.Scoped.Returned, all)
	}
	w.Params = newParamRows(w.Scoped.ParamRows(), w.Type)
	w.ReturnsFields = slices.ContainsFunc(w.Scoped.Returned, w.IsFields)
	w.Plain = newPlainWrite(w, target.Shape.Required)
	p.Scoped, p.Write = w.Scoped.Rows, w
	return nil
}

// planTableWrite completes the plan of a write to an ordinary table.
func (s *Planner) planTableWrite(pin *resolver.Pin, p *Plan, target relation.Relation, by through, st *syntax.Statement, shapes []scope.Shape, oids []uint32) error {
	w := &Write{Kind: st.Kind, Table: target.Stored, Target: target, Through: by.named, columns: st.TargetColumns(), target: len(p.Relations)}
	target.Shape.Stored, target.Newest = []string{scope.RowID}, st.Kind == syntax.Insert
	var err error
	if w.Scoped, err = dml.ScopeThrough(st, target.Shape, by.views, shapes, dml.ConflictError, oids, p.Env); err != nil {
		return err
	}
	read, all := p.Relations, append(slices.Clone(p.Relations), target)
	if w.Scoped.Matches {
		read, w.StoredColumns = all, 1
	}
	w.Rows = p.rowsOf(w, read)
	if w.Scoped.Returned != nil {
		p.Columns = s.describe(pin.Catalog, w.Scoped.Returned, all)
	}
	p.Scoped, p.Write = w.Scoped.Rows, w
	return nil
}

// rowsOf is the plan of the query for the rows of a write, which reads the relations.
func (p *Plan) rowsOf(w *Write, read []relation.Relation) *Plan {
	return &Plan{
		Version: p.Version, Relations: read, Points: p.Points, Scoped: w.Scoped.Rows, Env: p.Env,
		Columns: make([]wire.Column, w.FirstReturned()+len(w.Scoped.Returned)),
	}
}

// StoredColumnNames is the hidden columns that identify a stored version and have its fields.
func StoredColumnNames(kind ontosql.Kind) []string {
	return append(scan.KeyColumns(kind), "commit_id", scan.StoredFields)
}

// TargetName is the schema and name of the target.
func (w *Write) TargetName() (schema, name string) {
	if w.Table != nil {
		return w.Table.Schema, w.Table.Name
	}
	return catalog.SchemaPublic, w.Type.Table
}

// TargetColumn is the name of column i of the target, with the target's.
func (w *Write) TargetColumn(i int) (schema, table, column string) {
	schema, table = w.TargetName()
	if w.Table != nil {
		return schema, table, w.Table.Columns[i].Name
	}
	return schema, table, w.Type.Columns[i].Name
}

// KeyColumns is the number of columns of a computed row before those of the target.
func (w *Write) KeyColumns() int {
	if !w.Scoped.Matches {
		return 0
	}
	return 1 + w.StoredColumns
}

// CheckColumn is the column of a computed row that says which check option the row fails; the
// text of the row follows it. It is -1 if the write has none.
func (w *Write) CheckColumn() int {
	if len(w.Scoped.Checks) == 0 {
		return -1
	}
	return w.FirstReturned() - 2
}

// FirstReturned is the column of a computed row at which those of RETURNING begin.
func (w *Write) FirstReturned() int {
	n := w.KeyColumns()
	if w.Table != nil {
		n += len(w.Table.Columns)
	} else {
		n += len(w.Type.Columns)
	}
	if len(w.Scoped.Checks) > 0 {
		n += 2
	}
	return n
}

// CheckFailed is the error of a new row that fails a check option, by its number.
func (w *Write) CheckFailed(check int, row string) error {
	return pgerr.New(pgerr.WithCheckOptionViolation, "new row violates check option for view %q", w.Scoped.Checks[check]).
		WithDetail("Failing row contains (%s).", row)
}

// IsFields reports whether a column of RETURNING is fields_json.
func (w *Write) IsFields(o scope.Output) bool {
	return o.Column == "fields_json" && w.IsTarget(o)
}

// IsTarget reports whether a column of RETURNING is one of the target, as it is.
func (w *Write) IsTarget(o scope.Output) bool { return o.Ref == w.target }

// Updates reports whether the write may change stored versions.
func (w *Write) Updates() bool {
	return slices.ContainsFunc(w.Scoped.Actions, func(a dml.Action) bool { return a.Kind == dml.Updates })
}

// ChecksStored reports whether inserted rows have to be checked for identities that are
// stored: UPDATE inserts none, and ON CONFLICT has looked for them.
func (w *Write) ChecksStored() bool {
	return w.Kind == syntax.Merge || !w.Scoped.Matches
}

// given reports whether the statement assigns a column.
func (w *Write) given(i int) bool {
	return slices.ContainsFunc(w.Scoped.Actions, func(a dml.Action) bool { return a.Assigned[i] })
}

// target resolves the relation that a statement writes to.
func (s *Planner) target(pin *resolver.Pin, st *syntax.Statement) (relation.Relation, error) {
	if err := CheckAsOf(pin, st); err != nil {
		return relation.Relation{}, err
	}
	r, err := s.Resolver().Resolve(pin, *st.Target)
	if err != nil {
		return relation.Relation{}, err
	}
	if st.Kind == syntax.Delete && r.Stored == nil && r.View == nil {
		return r, RefuseRemoval(st.Tag)
	}
	if r.View != nil && r.Sequence == nil && st.Kind != syntax.Merge {
		return r, nil // the table that it reads is checked
	}
	return r, s.CheckTarget(&r, st)
}

// RefuseRemoval is the error of a statement that would remove rows of a type.
func RefuseRemoval(tag string) error {
	return pgerr.Unsupported("%s is not supported", tag).
		WithHint("The history of an ontology is append-only; nothing is ever removed from it. UPDATE a column that marks the rows as gone.")
}

// CheckAsOf is the error of a target in the schema as_of or diff. They have functions only, but
// this error is more helpful than that of an unknown table.
func CheckAsOf(pin *resolver.Pin, st *syntax.Statement) error {
	t, ok := pin.Catalog.Lookup(st.Target.Name)
	if !ok || st.Target.Schema != catalog.SchemaAsOf && st.Target.Schema != catalog.SchemaDiff {
		return nil
	}
	return pastTargetError(st, t)
}

// pastTargetError is the error of a target that shows the past of a type.
func pastTargetError(st *syntax.Statement, t *catalog.Type) error {
	return pgerr.New(pgerr.ReadOnlySQLTransaction, "cannot execute %s in the past: %q is read-only", st.Tag, sqlstate.RelationName(*st.Target)).
		WithHint("Write to %q; the history follows from it.", catalog.SchemaPublic+"."+t.Table).At(st.Target.Position)
}

// CheckTarget is the error of a target that cannot be written to.
func (s *Planner) CheckTarget(r *relation.Relation, st *syntax.Statement) error {
	var err *pgerr.Error
	switch {
	case r.Stored != nil && r.Stored.View != nil:
		return refuseMaterialized(r.Stored.Name, st)
	case r.Stored != nil: // whether the transaction may write to it is asked when it runs
		return nil
	case r.Sequence != nil:
		return pgerr.New(pgerr.WrongObjectType, "cannot change sequence %q", r.Shape.Table)
	case r.View != nil:
		return refuseView(r, st)
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
		return s.checkPresent(st.Tag)
	}
	return err.At(st.Target.Position)
}

// CheckWrites is the error of a write in a session or transaction that is read-only. Preparing
// a write is allowed in a READ ONLY transaction.
func (s *Planner) CheckWrites(tag string) error {
	if err := s.checkPresent(tag); err != nil {
		return err
	}
	if s.Tables.Wrote() {
		return sqlstate.TwoWorlds()
	}
	return s.CheckReadWrite(tag)
}

// CheckAtOnce is the error of a statement that changes at once, and not by the transaction, what
// stands beside the ontology.
func (s *Planner) CheckAtOnce(tag string) error {
	if err := s.checkPresent(tag); err != nil {
		return err
	}
	return s.CheckReadWrite(tag)
}

// CheckReadWrite is the error of a statement that a READ ONLY transaction does not allow.
func (s *Planner) CheckReadWrite(tag string) error {
	if s.Mode("read_only") != "on" {
		return nil
	}
	return sqlstate.ReadOnly(tag)
}

// checkPresent is the error of a write in a session that reads the past.
func (s *Planner) checkPresent(tag string) error {
	switch {
	case s.Fixed != nil:
		return sqlstate.ReadOnly(tag).WithHint("The session is pinned to %s by the name of its database. Connect to %q to write.", s.Fixed, s.Database.Name)
	case s.Settings.Value("ontosql.as_of") != "":
		return sqlstate.ReadOnly(tag).WithHint("RESET ontosql.as_of to write.")
	}
	return nil
}

// Mode is a mode of the current transaction, such as read_only.
func (s *Planner) Mode(name string) string { return s.Settings.Value("transaction_" + name) }
