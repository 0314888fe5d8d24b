package gateway

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/wire"
)

// insertion is what a plan has of an INSERT: the plan itself is of RETURNING,
// as far as the client sees it.
type insertion struct {
	typ       *catalog.Type
	schema    *format.Schema
	image     *imager
	scoped    *rewrite.ScopedInsert
	rows      *plan // the query of the rows
	returning *plan // nil without RETURNING
}

// newInsertion resolves an INSERT whose references are resolved.
func (s *Session) newInsertion(pin *resolver.Pin, p *plan, st *rewrite.Statement, shapes []rewrite.Shape, oids []uint32) error {
	target, err := s.resolve(pin, *st.Target)
	if err != nil {
		return err
	}
	if err := s.writable(&target, st); err != nil {
		return err
	}
	in := &insertion{typ: target.typ}
	if in.schema, err = writeSchema(target.typ); err != nil {
		return err
	}
	in.image = newImager(in.typ, in.schema)
	if in.scoped, err = st.ScopeInsert(target.shape, shapes, oids, p.env); err != nil {
		return err
	}
	in.rows = &plan{
		version: p.version, relations: p.relations, scoped: in.scoped.Rows, env: p.env,
		columns: make([]wire.Column, len(target.shape.Columns)),
	}
	if in.scoped.Returning != nil {
		in.returning = &plan{version: p.version, relations: append(slices.Clone(p.relations), target), scoped: in.scoped.Returning, env: p.env}
		in.returning.columns = in.returning.describe(s)
		p.columns = in.returning.columns
	}
	p.scoped, p.insertion = in.scoped.Rows, in
	return nil
}

// writable refuses a target that nobody can write to, in PostgreSQL's words
// where it has the case.
func (s *Session) writable(r *relation, st *rewrite.Statement) error {
	var err *pgerr.Error
	switch {
	case r.catalog != nil:
		err = pgerr.New(pgerr.InsufficientPrivilege, "permission denied for table %s", r.shape.Table)
	case r.virtual != nil:
		err = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot insert into view %q", r.shape.Table).
			WithDetail("The schema ontosql shows the ontology's own records.")
	case r.mode != ontosql.Latest:
		err = pgerr.New(pgerr.ReadOnlySQLTransaction, "cannot execute %s in the past: %q is read-only", st.Tag, joined(r.ref)).
			WithHint("Write to %q; the history follows from it.", schemaPublic+"."+r.shape.Table)
	default:
		return s.writes(st.Tag)
	}
	return err.At(st.Target.Position)
}

// writes refuses a write where this session or transaction may only read.
func (s *Session) writes(tag string) error {
	switch {
	case s.fixed != nil:
		return readOnly(tag).WithHint("The session is pinned to %s by the name of its database. Connect to %q to write.", s.fixed, s.db.Name)
	case s.settings.value("ontosql.as_of") != "":
		return readOnly(tag).WithHint("RESET ontosql.as_of to write.")
	case s.mode("read_only") == "on":
		return readOnly(tag)
	case s.mode("isolation") == "serializable":
		return notYet(tag + " in a SERIALIZABLE transaction")
	}
	return nil
}

// mode is a mode of the transaction at hand. An implicit one has the default.
func (s *Session) mode(name string) string {
	if s.tx.explicit {
		return s.settings.value("transaction_" + name)
	}
	return s.settings.value("default_transaction_" + name)
}

// writeSchema is the schema that rows of a type are written by.
func writeSchema(t *catalog.Type) (*format.Schema, error) {
	i := slices.IndexFunc(t.Versions, func(v catalog.Version) bool { return v.ID == t.SchemaID })
	if i < 0 {
		return nil, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "relation %q has no schema version to write rows by", t.Table).
			WithHint("The original library adds it when it opens the ontology with its models.")
	}
	schema, err := format.DecodeSchema(format.VersionsKey(t.Ref), "versions", []byte(t.Versions[i].JSON))
	if err != nil {
		return nil, err
	}
	for _, f := range schema.Fields {
		if format.Reserved(t.Ref.Kind, f.Name) {
			return nil, pgerr.Unsupported("relation %q cannot be written to: the name of its field %q is reserved", t.Table, f.Name).
				WithDetail("A row with this field would hide a column that every data file needs.")
		}
	}
	return schema, nil
}
