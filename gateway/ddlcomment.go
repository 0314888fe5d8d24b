package gateway

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
)

// comment answers COMMENT ON TABLE and COLUMN.
func (s *Session) comment(ctx context.Context, st *rewrite.Statement) error {
	c, err := st.Comment()
	if err != nil {
		return err
	}
	pin, err := s.pin(ctx)
	if err != nil {
		return err
	}
	r, err := s.table(pin, c.Table)
	if err != nil {
		return err
	}
	text := ""
	if c.Text != nil {
		text = *c.Text
	}
	extras := s.extrasOf(pin, r.typ)
	if c.Column == "" {
		extras.Comment = text
	} else {
		i := columnNamed(r.typ, c.Column)
		if i < 0 {
			return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", c.Column, r.typ.Table)
		}
		extraOf(&extras, r.typ.Columns[i].Field).Comment = text
	}
	was := s.extrasOf(pin, r.typ)
	return s.change(ctx, func(state *migration.State) error {
		if err := state.StillDeclared(was); err != nil {
			return err
		}
		return state.Describe(extras)
	})
}

// columnNamed is the place of a column among those of a type, -1 for none.
func columnNamed(t *catalog.Type, name string) int {
	return slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == name })
}

// extrasOf are what SQL has declared of a type.
func (s *Session) extrasOf(pin *resolver.Pin, t *catalog.Type) format.Extras {
	extras := pin.Catalog.State(s.tx.started(), "").Extras[t.Ref]
	extras.Kind, extras.Type = t.Ref.Kind.String(), t.Ref.Name
	extras.Columns = slices.Clone(extras.Columns)
	return extras
}

// extraOf is the entry of a field, a new one where there is none.
func extraOf(extras *format.Extras, field string) *format.ColumnExtras {
	i := slices.IndexFunc(extras.Columns, func(c format.ColumnExtras) bool { return c.Field == field })
	if i < 0 {
		i = len(extras.Columns)
		extras.Columns = append(extras.Columns, format.ColumnExtras{Field: field})
	}
	return &extras.Columns[i]
}
