package tables

import (
	"context"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// CreateMaterialized executes CREATE MATERIALIZED VIEW in a schema of the workspace. It returns
// the command tag.
func CreateMaterialized(ctx context.Context, s *session.Session, st *syntax.Statement, check Check) (tag string, err error) {
	def, asked, err := ddlstmt.ParseMaterialized(st)
	if err != nil {
		return "", err
	}
	pin, err := namespace.PinForName(ctx, s, def.Table)
	if err != nil {
		return "", err
	}
	query, err := s.Plan(pin, def.Query, nil)
	if err != nil {
		return "", err
	}
	if len(query.Scoped.Params) > 0 {
		return "", def.Query.NoParameters()
	}
	if err := check(ctx, pin, query); err != nil {
		return "", err
	}
	if err := s.Authorize(pin.Catalog, query); err != nil {
		return "", err
	}
	schema := namespace.NewSchema(s, def.Table)
	switch {
	case slices.ContainsFunc(query.Relations, func(r relation.Relation) bool { return r.Shape.Schema == workspace.TempSchema }):
		return "", pgerr.Unsupported("materialized views must not use temporary tables or views")
	case schema == workspace.TempSchema:
		return "", pgerr.New(pgerr.InsufficientPrivilege, "cannot create temporary table within security-restricted operation")
	case schema == "":
		return "", notInWorkspace(s, st, def.Table)
	}
	if exists, err := skips(ctx, s, st, schema, def); exists || err != nil {
		return st.Tag, err
	}
	if err := def.Select(declaredOutputs(query)); err != nil {
		return "", err
	}
	if len(def.Columns) == 0 {
		return "", pgerr.Unsupported("a table without columns is not supported").At(def.Table.Position)
	}
	v, err := newView(schema, asked, query)
	if err != nil {
		return "", err
	}
	v.Materialized = true
	t, err := define(s.Tables.Of(schema), schema, def)
	if err != nil {
		return "", err
	}
	t.View, t.Unpopulated = v, def.NoData
	count, err := fillMaterialized(ctx, s, pin, t)
	if err != nil {
		return "", err
	}
	if err := putNew(ctx, s, t); err != nil {
		return "", err
	}
	if def.NoData {
		return st.Tag, nil
	}
	return fmt.Sprintf("SELECT %d", count), nil
}

// fillMaterialized gives a materialized view a new heap with the rows of its query, or with none
// if it is not populated. It returns their number.
func fillMaterialized(ctx context.Context, s *session.Session, pin *resolver.Pin, t *workspace.Table) (int64, error) {
	query, err := rowsOf(s, pin, t)
	if err != nil {
		return 0, err
	}
	if err := s.PrepareCatalog(ctx, pin, query); err != nil {
		return 0, err
	}
	return fillHeap(ctx, s, pin, t, t.Unpopulated, query, declaredOutputs(query), nil)
}

// rowsOf plans the query of a materialized view. Its owner reads what the query names, whoever refreshes it.
func rowsOf(s *session.Session, pin *resolver.Pin, t *workspace.Table) (*planner.Plan, error) {
	owned := *t.View
	owned.Owner = t.Owner
	query, err := s.PlanView(pin, &owned)
	if err != nil {
		return nil, err
	}
	return query, s.AuthorizeOwner(pin.Catalog, query, t.Owner)
}

// alterMaterialized changes the storage parameters of a materialized view.
func alterMaterialized(s *session.Session, t *workspace.Table, changes []ddlstmt.OptionChange) {
	next := *t
	for _, c := range changes {
		next.Options = c.Apply(next.Options)
	}
	s.Tables.Put(&next)
}

// Refresh executes REFRESH MATERIALIZED VIEW. The rows go to a new heap, so that readers see the
// old ones until the transaction commits.
func Refresh(ctx context.Context, s *session.Session, st *syntax.Statement, by InUse) error {
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return err
	}
	asked := ddlstmt.ParseRefresh(st)
	mode := database.AccessExclusive
	if asked.Concurrently {
		mode = database.Exclusive
	}
	t, err := namespace.FindLocked(ctx, s, *st.Target, mode)
	if err != nil {
		return err
	}
	if t == nil || t.View == nil {
		return notRefreshed(ctx, s, *st.Target)
	}
	if err := namespace.CheckChange(ctx, s, st.Tag, t.Schema, access.OfTable(t)); err != nil {
		return err
	}
	switch {
	case asked.Concurrently && t.Unpopulated:
		return pgerr.Unsupported("CONCURRENTLY cannot be used when the materialized view is not populated")
	case asked.Concurrently && asked.NoData:
		return pgerr.New(pgerr.SyntaxError, "CONCURRENTLY and WITH NO DATA options cannot be used together")
	case asked.Concurrently && !slices.ContainsFunc(t.Indexes, identifiesRows):
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot refresh materialized view \"%s\" concurrently", namespace.QuotedName(t.Schema, t.Name)).
			WithHint("Create a unique index with no WHERE clause on one or more columns of the materialized view.")
	}
	if err := checkNotInUse([]*workspace.Table{t}, by, st.Tag); err != nil {
		return err
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	if asked.Concurrently {
		return refreshConcurrently(ctx, s, pin, t)
	}
	return refreshWhole(ctx, s, pin, t, asked.NoData)
}

// identifiesRows reports whether an index is one that REFRESH CONCURRENTLY can use.
func identifiesRows(x workspace.Index) bool {
	return x.Unique && x.Where == "" && !slices.ContainsFunc(x.Keys, func(k workspace.IndexKey) bool { return k.Column == 0 })
}

// refreshWhole puts a new heap in the place of that of a materialized view.
func refreshWhole(ctx context.Context, s *session.Session, pin *resolver.Pin, t *workspace.Table, noData bool) error {
	next := *t
	next.Columns, next.Heap, next.Unpopulated = slices.Clone(t.Columns), nil, noData
	if _, err := fillMaterialized(ctx, s, pin, &next); err != nil {
		return err
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	for _, k := range next.Keys() {
		if err := modify.VerifyUnique(ctx, s, conn, &next, &k, "SELECT * FROM "+next.Heap.SQL()); err != nil {
			return err
		}
	}
	s.Tables.Put(&next)
	return nil
}

// notRefreshed is the error of a REFRESH of what is no materialized view.
func notRefreshed(ctx context.Context, s *session.Session, ref syntax.Ref) error {
	r, err := namespace.Existing(ctx, s, ref)
	switch {
	case err != nil:
		return err
	case r.View != nil || r.Stored == nil && r.Type == nil && r.Catalog == nil:
		return pgerr.New(pgerr.WrongObjectType, "%q is not a table or materialized view", ref.Name)
	}
	return pgerr.Unsupported("%q is not a materialized view", ref.Name)
}
