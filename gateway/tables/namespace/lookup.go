package namespace

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Find is the ordinary table that a reference names, nil for none: another relation of the
// name may be before it in the search path.
func Find(ctx context.Context, s *session.Session, ref syntax.Ref) (*workspace.Table, error) {
	r, err := Resolve(ctx, s, ref)
	return r.Stored, err
}

// FindView is the view that a reference names, nil for none.
func FindView(ctx context.Context, s *session.Session, ref syntax.Ref) (*workspace.View, error) {
	r, err := Resolve(ctx, s, ref)
	return r.View, err
}

// Resolve is the relation that a reference names, an empty one where no ordinary table or view
// has its name, or none that the statement may use: the statement reports that error.
func Resolve(ctx context.Context, s *session.Session, ref syntax.Ref) (relation.Relation, error) {
	if !MayName(s, ref) {
		return relation.Relation{}, nil
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return relation.Relation{}, err
	}
	r, err := s.Resolver().Resolve(pin, ref)
	if err != nil {
		return relation.Relation{}, nil //nolint:nilerr // the statement reports it
	}
	return r, nil
}

// MayName reports whether one of the schemas that a reference may mean has an ordinary table
// or a view of its name.
func MayName(s *session.Session, ref syntax.Ref) bool {
	has := func(schema string) bool { return s.Tables.Of(schema).Has(schema, ref.Name) }
	if ref.Schema != "" {
		return has(ref.Schema)
	}
	return slices.ContainsFunc(s.Resolver().SearchPath(), has)
}

// Existing finds a relation, with an error without a position.
func Existing(ctx context.Context, s *session.Session, ref syntax.Ref) (relation.Relation, error) {
	pin, err := s.Pin(ctx)
	if err != nil {
		return relation.Relation{}, err
	}
	r, err := s.Resolver().Named(pin, ref)
	if sqlstate.IsUndefinedTable(err) {
		err = pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", sqlstate.RelationName(ref))
	}
	return r, err
}

// NewSchema is the schema of ordinary tables in which a relation of a name is created, "" for a
// schema of the ontology.
func NewSchema(s *session.Session, ref syntax.Ref) string {
	schema := ref.Schema
	if schema == "" {
		if path := s.Resolver().CatalogPath(); len(path) > 0 {
			schema = path[0]
		}
	}
	if schema == workspace.TempSchema || s.Tables.Shared().HasSchema(schema) {
		return schema
	}
	return ""
}

// MustExist is the error of a relation that does not exist, in a utility statement.
func MustExist(ctx context.Context, s *session.Session, ref syntax.Ref) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	_, err = s.Resolver().Named(pin, ref)
	return err
}

// NotA is the error of a relation that is of another kind, such as "index", than a statement says.
func NotA(name, kind string) error {
	article := "a"
	if kind == "index" {
		article = "an"
	}
	return pgerr.New(pgerr.WrongObjectType, "%q is not %s %s", name, article, kind)
}

// PinForName pins the head for a statement that creates a relation. The name of another database
// is an error.
func PinForName(ctx context.Context, s *session.Session, ref syntax.Ref) (*resolver.Pin, error) {
	if err := s.Resolver().InDatabase(ref); err != nil {
		return nil, err
	}
	return s.Pin(ctx)
}

// Mixed is the error of a statement on ordinary tables and others.
func Mixed(st *syntax.Statement) error {
	return pgerr.Unsupported("%s of ordinary and other tables in one statement is not supported", st.Tag).
		WithHint("Use a statement for each.")
}

// FindIndex finds the table of an index and its place there, -1 for the index of a constraint.
func FindIndex(s *session.Session, ref syntax.Ref) (t *workspace.Table, at int) {
	schemas := []string{ref.Schema}
	if ref.Schema == "" {
		schemas = s.Resolver().SearchPath()
	}
	for _, schema := range schemas {
		for _, t := range s.Tables.Of(schema).In(schema) {
			if at := slices.IndexFunc(t.Indexes, func(x workspace.Index) bool { return x.Name == ref.Name }); at >= 0 {
				return t, at
			}
			if slices.ContainsFunc(t.Constraints(), func(u workspace.Unique) bool { return u.Name == ref.Name }) {
				return t, -1
			}
		}
	}
	return nil, 0
}
