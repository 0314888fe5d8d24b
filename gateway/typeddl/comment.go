package typeddl

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Comment executes COMMENT ON TABLE and COLUMN.
func Comment(ctx context.Context, s Session, st *syntax.Statement) error {
	c, err := ddlstmt.ParseComment(st)
	if err != nil {
		return err
	}
	if c.On == "constraint" {
		return pgerr.Unsupported("COMMENT ON CONSTRAINT of a type is not supported")
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	t, err := changeable(s, pin, c.Table)
	if err != nil {
		return err
	}
	text := ""
	if c.Text != nil {
		text = *c.Text
	}
	was := Extras(s, pin, t)
	extras := was
	extras.Columns = slices.Clone(was.Columns)
	if c.Column == "" {
		extras.Comment = text
	} else {
		i := t.ColumnIndex(c.Column)
		if i < 0 {
			return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", c.Column, t.Table)
		}
		declareAll(&extras, t, nil)
		extraOf(&extras, t.Columns[i].Field).Comment = text
	}
	extras = orAsBefore(extras, was)
	return s.Change(ctx, func(state *migration.State) error {
		if err := state.StillDeclared(was); err != nil {
			return err
		}
		return state.Describe(extras)
	})
}

// Extras is what SQL declares of a type. A caller that changes it clones the columns.
func Extras(s Session, pin *resolver.Pin, t *catalog.Type) format.Extras {
	extras := pin.Catalog.State(s.Started(), "").Extras[t.Ref]
	extras.Kind, extras.Type = t.Ref.Kind.String(), t.Ref.Name
	return extras
}

// declareAll adds an entry to extras for every column of a type, except dropped fields.
// This keeps the order of the columns when one of them gets an entry.
func declareAll(extras *format.Extras, t *catalog.Type, gone []string) {
	for i := range t.Columns {
		if field := t.Columns[i].Field; !slices.Contains(gone, field) {
			extraOf(extras, field)
		}
	}
}

// orAsBefore returns was instead of extras if they differ only in entries that declare
// nothing but the order of the columns.
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

// extraOf finds the entry of a field, or adds one.
func extraOf(extras *format.Extras, field string) *format.ColumnExtras {
	i := slices.IndexFunc(extras.Columns, func(c format.ColumnExtras) bool { return c.Field == field })
	if i < 0 {
		i = len(extras.Columns)
		extras.Columns = append(extras.Columns, format.ColumnExtras{Field: field})
	}
	return &extras.Columns[i]
}
