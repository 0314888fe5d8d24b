package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Check lets the engine look at a plan.
type Check func(ctx context.Context, pin *resolver.Pin, p *planner.Plan) error

// CreateView executes CREATE VIEW of a temporary view, or of a view in a schema of ordinary
// tables. A view that reads a temporary relation is temporary.
func CreateView(ctx context.Context, s *session.Session, st *syntax.Statement, check Check) error {
	def, err := ddlstmt.ParseView(st)
	if err != nil {
		return err
	}
	pin, err := namespace.PinForName(ctx, s, def.View)
	if err != nil {
		return err
	}
	plan, err := s.Plan(pin, def.Query, nil)
	if err != nil {
		return err
	}
	if len(plan.Scoped.Params) > 0 {
		return def.Query.NoParameters()
	}
	if err := check(ctx, pin, plan); err != nil {
		return err
	}
	schema := workspace.TempSchema
	if !def.Temporary {
		schema = namespace.NewSchema(s, def.View)
	}
	v, err := newView(schema, def, plan)
	if err != nil {
		return err
	}
	if schema != workspace.TempSchema && slices.ContainsFunc(v.Uses, func(u workspace.Use) bool { return u.Schema == workspace.TempSchema }) {
		v.Schema = workspace.TempSchema
		s.Notice(sqlstate.Notice("view %q will be a temporary view", v.Name))
		if def.View.Schema != "" {
			return pgerr.New(pgerr.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema")
		}
	}
	if v.Schema == "" {
		return notInWorkspace(s, st, def.View)
	}
	if err := namespace.LockCreation(ctx, s, st, v.Schema, def.View); err != nil {
		return err
	}
	return putView(ctx, s, def, v)
}

// notInWorkspace is the error of a view in a schema of the ontology, or in none.
func notInWorkspace(s *session.Session, st *syntax.Statement, ref syntax.Ref) error {
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return err
	}
	switch {
	case ref.Schema != "" && !s.Resolver().HasSchema(ref.Schema):
		return sqlstate.UndefinedSchema(ref.Schema)
	case ref.Schema == "" && len(s.Resolver().CatalogPath()) == 0:
		return pgerr.New(pgerr.InvalidSchemaName, "no schema has been selected to create in")
	}
	return pgerr.Unsupported("%s in a schema of the ontology is not supported", st.Tag).At(ref.Position).
		WithHint("Create it in a schema of the workspace, which CREATE SCHEMA makes.")
}

// newView is the view of a definition, whose query is planned.
func newView(schema string, def *ddlstmt.ViewDefinition, plan *planner.Plan) (*workspace.View, error) {
	columns, err := def.Columns(declaredOutputs(plan))
	if err != nil {
		return nil, err
	}
	v := &workspace.View{Schema: schema, Name: def.View.Name, Text: def.Query.SQL, Options: def.Options, Definition: " " + def.Text + ";"}
	for _, c := range columns {
		v.Columns = append(v.Columns, workspace.ViewColumn{Name: c.Name, Type: c.Type})
	}
	for i := range def.Query.Refs {
		v.Uses = append(v.Uses, relation.UseOf(&plan.Relations[i], plan.Scoped.Needs[i].Columns))
	}
	v.Through = writtenThrough(def.Query, v)
	return v, checkUpdatable(v, def.Query)
}

// checkUpdatable is the error of WITH CHECK OPTION of a view with a query through which no rows
// can be written.
func checkUpdatable(v *workspace.View, query *syntax.Statement) error {
	if v.CheckOption() == "" {
		return nil
	}
	if reason := dml.NotUpdatable(query, true); reason != "" {
		return pgerr.Unsupported("WITH CHECK OPTION is supported only on automatically updatable views").WithHint("%s", reason)
	}
	return nil
}

// writtenThrough is what a write to a view writes to, nil if it is not updatable.
func writtenThrough(query *syntax.Statement, v *workspace.View) *workspace.Through {
	if dml.NotUpdatable(query, false) != "" {
		return nil
	}
	base := dml.Base(query)
	if ref := query.Refs[base]; ref.Point != nil || ref.All {
		return nil
	}
	of := &dml.View{Query: query}
	for _, c := range v.Uses[base].Columns {
		of.Names = append(of.Names, scope.ShownColumn{Name: c.Name, Column: c.Name})
	}
	return &workspace.Through{Use: base, Columns: dml.Named(of)}
}

// declaredOutputs are the columns of a query, with their types as they are declared.
func declaredOutputs(p *planner.Plan) []scope.Output {
	outputs := slices.Clone(p.Scoped.Columns)
	for i, c := range p.Columns {
		outputs[i].OID, outputs[i].Typmod = c.OID, c.Typmod
	}
	return outputs
}

// columnsOfView are the columns of a view.
func columnsOfView(v *workspace.View) []ddlstmt.ViewColumn {
	var out []ddlstmt.ViewColumn
	for _, c := range v.Columns {
		out = append(out, ddlstmt.ViewColumn{Name: c.Name, Type: c.Type})
	}
	return out
}

// putView adds a view to those of its schema.
func putView(ctx context.Context, s *session.Session, def *ddlstmt.ViewDefinition, v *workspace.View) (err error) {
	o := s.Tables.Of(v.Schema)
	taken := namespace.NamesIn(o, v.Schema).HasRelation(v.Name)
	old := o.View(v.Schema, v.Name)
	switch {
	case taken && !def.Replace:
		return pgerr.New(pgerr.DuplicateTable, "relation %q already exists", v.Name)
	case taken && old == nil:
		return pgerr.New(pgerr.WrongObjectType, "%q is not a view", v.Name)
	case old != nil:
		if err := ddlstmt.CheckReplaced(columnsOfView(old), columnsOfView(v)); err != nil {
			return err
		}
		if err := namespace.CheckOwner(ctx, s, access.OfView(old)); err != nil {
			return err
		}
		v.Number, v.Comment, v.Owner, v.Grants = old.Number, old.Comment, old.Owner, old.Grants
		if s.Tables.Everything().WithView(v).Loops(v) {
			return pgerr.New(pgerr.InvalidObjectDefinition, "infinite recursion detected in rules for relation %q", v.Name)
		}
		for i, c := range old.Columns {
			v.Columns[i].Comment, v.Columns[i].Default = c.Comment, c.Default
		}
	default:
		if v.Owner, v.Grants, err = namespace.NewRights(ctx, s, v.Schema, ddlstmt.OnTable); err != nil {
			return err
		}
	}
	s.Tables.PutView(v)
	return nil
}
