package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/writepath"
)

// modelsOfSQL reads SQL that defines tables. It is run on an empty ontology of its
// own, so that a table becomes the same type as in any other.
func (p *program) modelsOfSQL(ctx context.Context, text string) (*models, error) {
	if err := onlyDefines(text); err != nil {
		return nil, inSQL(err, text)
	}
	root, err := os.MkdirTemp("", "ontosql-schema-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	scratch := *p
	scratch.cfg.CacheDir = filepath.Join(root, "cache")
	a := address{backend: "file", path: filepath.Join(root, "store")}
	if err := os.Mkdir(a.path, 0o700); err != nil {
		return nil, err
	}
	b, err := dir.Open(a.path, dir.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := writepath.Init(ctx, b, writepath.InitOptions{URI: a.uri(), Engine: format.EngineV1}); err != nil {
		return nil, err
	}
	g, err := scratch.openSole(ctx, a, gatewayUse{})
	if err != nil {
		return nil, err
	}
	defer g.close(ctx)
	err = scratch.overPipe(ctx, g, "", func(conn *pgconn.PgConn) error {
		_, err := conn.Exec(ctx, text).ReadAll()
		return err
	})
	if err != nil {
		return nil, inSQL(err, text)
	}
	pin, err := g.stores[0].Pin(ctx)
	if err != nil {
		return nil, err
	}
	state := pin.Catalog.State(time.Now(), "")
	found := &models{sql: true}
	for _, ref := range slices.SortedFunc(maps.Keys(state.Types), ontosql.TypeRef.Compare) {
		schema, err := format.DecodeSchema("", ref.Name, state.Types[ref])
		if err != nil {
			return nil, err
		}
		found.types = append(found.types, model{*schema, state.Extras[ref]})
	}
	return found, nil
}

// onlyDefines refuses SQL that does something else than defining tables.
func onlyDefines(text string) error {
	statements, err := syntax.Split(text)
	if err != nil {
		return err
	}
	for _, s := range statements {
		st, err := syntax.Analyze(s.SQL)
		if err != nil {
			return moved(err, s.Offset)
		}
		switch st.Kind {
		case syntax.CreateTable, syntax.AlterTable, syntax.CommentOn:
			continue
		}
		return pgerr.Unsupported("%s does not belong into a schema file", st.Tag).
			WithHint("It holds CREATE TABLE, ALTER TABLE and COMMENT ON.").At(s.Offset + 1)
	}
	return nil
}

// moved adds the offset of a statement to the position of an error.
func moved(err error, offset int) error {
	var e *pgerr.Error
	if errors.As(err, &e) && e.Position > 0 {
		e.Position += offset
	}
	return err
}

// inSQL says an error of SQL in one line, with its place in text if it has one there.
func inSQL(err error, text string) error {
	var local *pgerr.Error
	var remote *pgconn.PgError
	var said *refusal
	position := 0
	switch {
	case errors.As(err, &local):
		said, position = &refusal{local.Message, local.Detail, local.Hint, local}, local.Position
		if local.Where != "" {
			said.message = local.Where + ": " + said.message
		}
	case errors.As(err, &remote):
		said, position = &refusal{remote.Message, remote.Detail, remote.Hint, remote}, int(remote.Position)
	default:
		return err
	}
	if position > 0 && text != "" {
		_, number, column := lineAt(text, position)
		said.message = fmt.Sprintf("line %d, column %d: %s", number, column+1, said.message)
	}
	return said
}

// adopt gives the types and columns of SQL the names that they have in a catalog,
// where an unquoted name is that of another spelling, and to columns that are what
// they were the spelling of their type: SQL has one word for several of Python's.
func (m *models) adopt(c *catalog.Catalog) {
	if !m.sql {
		return
	}
	names := map[string]string{} // of entity types that have another one
	for i := range m.types {
		s := &m.types[i].schema
		t, ok := c.Type(s.Ref)
		if !ok {
			if t, ok = c.Lookup(s.Ref.Name); !ok || t.Ref.Kind != s.Ref.Kind || m.has(t.Ref) {
				continue
			}
			if s.Ref.Kind == ontosql.Entity {
				names[s.Ref.Name] = t.Ref.Name
			}
			s.Ref = t.Ref
		}
		m.types[i].adoptFields(t)
	}
	for i := range m.types {
		s := &m.types[i].schema
		for _, end := range []*string{&s.Left, &s.Right} {
			if name, renamed := names[*end]; renamed {
				*end = name
			}
		}
	}
	slices.SortFunc(m.types, func(a, b model) int { return a.schema.Ref.Compare(b.schema.Ref) })
}

// adoptFields gives the fields of a model the names and spellings of a type.
func (m *model) adoptFields(t *catalog.Type) {
	s := &m.schema
	var stored format.Schema
	if i := slices.IndexFunc(t.Versions, isVersion(t.SchemaID)); i >= 0 {
		if known, err := format.DecodeSchema("", t.Ref.Name, []byte(t.Versions[i].JSON)); err == nil {
			stored = *known
		}
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		at := slices.IndexFunc(t.Columns, func(c catalog.Column) bool {
			return c.Field == f.Name || c.Name == f.Name && fieldOf(s, c.Field) == nil
		})
		if at < 0 {
			continue
		}
		c := &t.Columns[at]
		if s.InstanceKey == f.Name {
			s.InstanceKey = c.Field
		}
		extra := m.extraOf(f.Name)
		f.Name, extra.Field = c.Field, c.Field
		old := fieldOf(&stored, f.Name)
		if old == nil {
			continue
		}
		f.Index = old.Index
		if to := catalog.TypeOf(*f).Kind; to == c.Type.Kind && (to == column.JSON || catalog.Nullable(*f) != c.NotNull) {
			f.Type, f.TypeSpec = old.Type, old.TypeSpec
		}
		extra.NotNull = extra.NotNull && catalog.Nullable(*f) // else its type says it
	}
	slices.SortFunc(s.Fields, func(a, b format.SchemaField) int { return strings.Compare(a.Name, b.Name) })
}

// extraOf is the declarations of a field, a new entry if there are none.
func (m *model) extraOf(field string) *format.ColumnExtras {
	i := slices.IndexFunc(m.extras.Columns, func(c format.ColumnExtras) bool { return c.Field == field })
	if i < 0 {
		i = len(m.extras.Columns)
		m.extras.Columns = append(m.extras.Columns, format.ColumnExtras{Field: field})
	}
	return &m.extras.Columns[i]
}

// has reports whether a type is among the models by its own name.
func (m *models) has(ref ontosql.TypeRef) bool {
	return slices.ContainsFunc(m.types, func(t model) bool { return t.schema.Ref == ref })
}

// fieldOf is the field of a name, nil for none.
func fieldOf(s *format.Schema, name string) *format.SchemaField {
	if i := slices.IndexFunc(s.Fields, func(f format.SchemaField) bool { return f.Name == name }); i >= 0 {
		return &s.Fields[i]
	}
	return nil
}
