package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// renameSchema executes ALTER SCHEMA RENAME TO of a schema of the workspace. ours is false for
// another statement, and for a schema of the ontology.
func renameSchema(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	from, to := ddlstmt.RenamedSchema(st)
	if from == "" || slices.Contains(catalog.Schemas, from) {
		return false, nil
	}
	if err := namespace.CheckShared(s, st.Tag); err != nil {
		return true, err
	}
	for _, name := range slices.Sorted(slices.Values([]string{from, to})) {
		if err := namespace.LockSchema(ctx, s, name, database.AccessExclusive); err != nil {
			return true, err
		}
	}
	switch {
	case !s.Tables.Shared().HasSchema(from):
		return true, sqlstate.UndefinedSchema(from)
	case s.Resolver().HasSchema(to):
		return true, pgerr.New(pgerr.DuplicateSchema, "schema %q already exists", to)
	}
	if err := checkSchemaName(to); err != nil {
		return true, err
	}
	if err := namespace.CheckOwner(ctx, s, access.OfSchema(s.Tables.Shared().Schema(from), from)); err != nil {
		return true, err
	}
	if err := lockRelations(ctx, s, from); err != nil {
		return true, err
	}
	inside := s.Tables.Shared().In(from)
	if err := modify.CheckNotAwaited(s, inside, st.Tag); err != nil {
		return true, err
	}
	s.Tables.RenameSchema(from, to, func(text string) string { return sequences.InRenamed(text, from, to) })
	return true, nil
}

// lockRelations waits for the transactions that use the relations of a schema: a lock is that of
// a name.
func lockRelations(ctx context.Context, s *session.Session, schema string) error {
	shared := s.Tables.Shared()
	var names []string
	for _, t := range shared.In(schema) {
		names = append(names, t.Name)
	}
	for _, v := range shared.Views() {
		if v.Schema == schema && !v.Materialized {
			names = append(names, v.Name)
		}
	}
	for _, q := range shared.Sequences() {
		if q.Schema == schema {
			names = append(names, q.Name)
		}
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		if err := namespace.LockName(ctx, s, schema, name); err != nil {
			return err
		}
	}
	return nil
}
