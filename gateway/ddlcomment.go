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
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// comment answers COMMENT ON TABLE and COLUMN.
func (s *Session) comment(ctx context.Context, st *syntax.Statement) error {
	c, err := rewrite.ParseComment(st)
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
	was := s.extrasOf(pin, r.typ)
	extras := was
	extras.Columns = slices.Clone(was.Columns)
	if c.Column == "" {
		extras.Comment = text
	} else {
		i := r.typ.ColumnIndex(c.Column)
		if i < 0 {
			return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", c.Column, r.typ.Table)
		}
		declareAll(&extras, r.typ, nil)
		extraOf(&extras, r.typ.Columns[i].Field).Comment = text
	}
	extras = orAsBefore(extras, was)
	return s.change(ctx, func(state *migration.State) error {
		if err := state.StillDeclared(was); err != nil {
			return err
		}
		return state.Describe(extras)
	})
}

// extrasOf are what SQL has declared of a type. Whoever changes them clones the columns.
func (s *Session) extrasOf(pin *resolver.Pin, t *catalog.Type) format.Extras {
	extras := pin.Catalog.State(s.txStarted(), "").Extras[t.Ref]
	extras.Kind, extras.Type = t.Ref.Kind.String(), t.Ref.Name
	return extras
}

// declareAll gives every column of a type, but for the fields that are gone, an entry
// of its extras: where one has an entry of its own, the order of the columns stays as
// it is.
func declareAll(extras *format.Extras, t *catalog.Type, gone []string) {
	for i := range t.Columns {
		if field := t.Columns[i].Field; !slices.Contains(gone, field) {
			extraOf(extras, field)
		}
	}
}

// orAsBefore gives back the extras from before a change that leaves the schema as it is,
// if it says nothing of them but the order of the columns, which is theirs already.
func orAsBefore(extras, was format.Extras) format.Extras {
	told := extras
	told.Columns = slices.DeleteFunc(slices.Clone(extras.Columns), func(c format.ColumnExtras) bool {
		known := slices.ContainsFunc(was.Columns, func(w format.ColumnExtras) bool { return w.Field == c.Field })
		return !known && c == (format.ColumnExtras{Field: c.Field})
	})
	if format.SameExtras([]format.Extras{told}, []format.Extras{was}) {
		return was
	}
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
