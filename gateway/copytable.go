package gateway

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/copydata"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/workspace"
)

// copyIntoTable runs COPY FROM STDIN into an ordinary table: the texts of the data go to a
// table of the engine, and from there into the table as those of an INSERT.
func (p *statement) copyIntoTable(ctx context.Context, out *portal, t *workspace.Table) error {
	s := p.session
	if p.st.Copy.Where {
		return sqlstate.NotSupportedYet("COPY FROM ... WHERE")
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	shape := relation.StoredShape(t)
	all := shape.Columns
	var columns []*workspace.Column
	err = copydata.EachColumn(t.Name, all, shape.Generated, p.st.Copy.Columns, func(name string) error {
		columns = append(columns, t.Column(name))
		return nil
	})
	if err != nil {
		return err
	}
	if pin.Catalog.RequireGrants {
		target := relation.Relation{Stored: t, Shape: shape}
		target.Shape.Schema = t.Schema
		if err := s.Permitted(pin.Catalog, []planner.Demand{{Relation: &target, Privilege: acl.Insert}}); err != nil {
			return err
		}
	}
	options, err := copydata.ReadOptions(&p.st.Copy)
	if err == nil {
		err = options.RefuseMode()
	}
	if err != nil {
		return err
	}
	fields, oids := make([]wire.Column, len(columns)), make([]uint32, len(columns))
	for i, c := range columns {
		fields[i], oids[i] = wire.Column{Name: c.Name, OID: c.Type.OID}, c.Type.Internal().OID
		if c.Type.Internal().IsWide() && c.Type.IsArray() {
			oids[i] = types.Text // the statement reads it
		}
	}
	form, err := options.Copy(t.Name, all, fields, s.ClientEncoding)
	if err != nil {
		return err
	}
	held, err := s.holdTexts(ctx, s.copyData(form, introspect.Work{Kind: introspect.CopyFrom, Schema: t.Schema, Table: t.Name}), oids)
	if err != nil {
		return err
	}
	defer held.Close()
	plan, err := s.planTexts(pin, t, columns, held)
	if err != nil {
		return err
	}
	n, _, err := modify.Run(ctx, s.Session, pin, plan, nil, nil)
	if err == nil && s.Alone() {
		err = modify.Commit(ctx, s.Session)
	}
	out.tag = fmt.Sprintf("COPY %d", n)
	return err
}

// holdTexts takes the rows of a COPY into a table of texts. The caller closes it.
func (s *Session) holdTexts(ctx context.Context, data *wire.CopyReader, oids []uint32) (*temptable.Rows, error) {
	texts := make([]column.Type, len(oids))
	for i := range texts {
		texts[i].Kind = column.Text
	}
	return s.Temp.Fill(ctx, texts, func(held *temptable.Rows) error {
		for {
			rows, more := data.Next(ctx)
			b, err := copydata.Texts(rows, oids, s.TimeInput())
			if err != nil {
				return err
			}
			if err := held.Append(ctx, b); err != nil {
				return err
			}
			switch more {
			case nil:
			case io.EOF:
				return nil
			default:
				return more
			}
		}
	})
}

// castName is the name of a type without a modifier, for CAST: the words of the standard mean
// types of length 1.
func castName(t types.Type) string {
	if elem, ok := t.Elem(); ok {
		return castName(elem) + "[]"
	}
	if t.Internal().IsWide() {
		precision, scale := types.NumericTypmod(t.Typmod)
		return fmt.Sprintf("numeric(%d,%d)", precision, scale)
	}
	return "pg_catalog." + duckdb.Ident(types.ByOID[t.OID].Name)
}

// planTexts plans the INSERT of texts into columns of an ordinary table.
func (s *Session) planTexts(pin *resolver.Pin, t *workspace.Table, columns []*workspace.Column, held *temptable.Rows) (*planner.Plan, error) {
	loaded := relation.Relation{Table: held.Table()}
	loaded.Shape.Kind, loaded.Shape.Table = scope.Virtual, "copied"
	var names, values []string
	for n, c := range columns {
		name := temptable.ColumnName(n)
		loaded.Shape.Columns = append(loaded.Shape.Columns, column.Named{Name: name, Type: column.Type{Kind: column.Text}})
		if c.Type.Column().Kind == column.Wide {
			loaded.Shape.Columns[n].Type.Kind = column.Wide
		}
		names = append(names, duckdb.Ident(c.Name))
		switch stored := c.Type.Column(); {
		case types.Finer(stored):
			name = fmt.Sprintf("CAST(%s AS numeric(%d,%d))", name, types.MaxDigits, stored.Scale)
		case c.Type.OID != types.Text && stored.Kind != column.Wide:
			name = "CAST(" + name + " AS " + castName(c.Type) + ")"
		}
		values = append(values, name)
	}
	st, err := syntax.Analyze(fmt.Sprintf("INSERT INTO %s.%s (%s) SELECT %s FROM copied",
		duckdb.Ident(t.Schema), duckdb.Ident(t.Name), strings.Join(names, ", "), strings.Join(values, ", ")))
	if err != nil {
		return nil, err
	}
	p := &planner.Plan{Version: s.Version(pin), Relations: []relation.Relation{loaded}, Env: s.NewEnv()}
	return p, s.PlanWrite(pin, p, st, []scope.Shape{loaded.Shape}, nil, dml.ConflictError)
}
