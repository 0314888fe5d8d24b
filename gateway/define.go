package gateway

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/privileges"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// define runs a statement that changes the schema (PRODUCT "DDL"): alone it is
// one commit, in a transaction it waits for its COMMIT.
func (p *statement) define(ctx context.Context, out *portal) error {
	s := p.session
	if err := s.YieldStream(ctx); err != nil {
		return err
	}
	if p.st.Kind == syntax.Owned {
		return p.owned(ctx)
	}
	if done, err := p.defineOrdinary(ctx, out); done || err != nil {
		if err == nil && s.Alone() {
			err = modify.Commit(ctx, s.Session)
		}
		return err
	}
	if err := s.CheckWrites(p.st.Tag); err != nil {
		return err
	}
	return p.defineTypes(ctx, func() error { return p.redefine(ctx, out) })
}

// defineTypes changes the schema of the ontology: alone at once, again after a conflict, and in a
// transaction at its COMMIT.
func (p *statement) defineTypes(ctx context.Context, redefine func() error) error {
	s := p.session
	if !s.Alone() {
		return redefine()
	}
	defer s.Unreserve()
	forget, send := s.HoldNotices()
	defer send()
	for until := time.Now().Add(writing.RetryTime); ; {
		err := redefine()
		again := errors.Is(err, session.ErrHeadMoved)
		if err == nil {
			err = writing.CommitStaged(ctx, s.Session)
			again = writing.RunsAgain(s.Session, err, until)
		}
		if !again {
			return err
		}
		s.Unstage(ctx)
		s.Tx.Pin, s.Tx.Read = nil, session.Reads{}
		forget()
		if err := s.Reserve(ctx); err != nil { // what was overtaken once is not again
			return err
		}
	}
}

// defineOrdinary runs a statement on ordinary tables or schemas of them. done is false for any
// other.
func (p *statement) defineOrdinary(ctx context.Context, out *portal) (done bool, err error) {
	s := p.session
	switch p.st.Kind {
	case syntax.CreateTable, syntax.CreateTableAs:
		if ddlstmt.IsMaterialized(p.st) {
			out.tag, err = tables.CreateMaterialized(ctx, s.Session, p.st, s.check)
			return true, err
		}
		schema := tables.CreationSchema(s.Session, p.st)
		if schema == "" {
			return false, nil
		}
		out.tag, err = tables.Create(ctx, s.Session, p.st, schema, s.runParts)
		return true, err
	case syntax.CreateSchema:
		if slices.Contains(catalog.Schemas, p.st.Name) {
			return false, nil
		}
		return true, tables.CreateSchema(ctx, s.Session, p.st)
	case syntax.CreateView:
		return true, tables.CreateView(ctx, s.Session, p.st, s.check)
	case syntax.Drop:
		return tables.Drop(ctx, s.Session, p.st, s.inUse)
	case syntax.Truncate:
		return p.orRefused(tables.Truncate(ctx, s.Session, p.st, s.inUse))
	case syntax.AlterTable:
		return tables.Alter(ctx, s.Session, p.st, s.inUse)
	case syntax.CreateIndex:
		return p.orRefused(tables.CreateIndex(ctx, s.Session, p.st, s.inUse))
	case syntax.DefineSequence:
		return p.orRefused(sequences.Define(ctx, s.Session, p.st))
	case syntax.Refresh:
		return true, tables.Refresh(ctx, s.Session, p.st, s.inUse)
	case syntax.Grant:
		return privileges.Grant(ctx, s.Session, p.st)
	case syntax.AlterOwner:
		return p.orRefused(tables.OwnSchema(ctx, s.Session, p.st))
	case syntax.CommentOn:
		return tables.Comment(ctx, s.Session, p.st)
	}
	return false, nil
}

// orRefused is the outcome of a statement that types have not: it is refused where it names no
// ordinary table.
func (p *statement) orRefused(ours bool, err error) (done bool, _ error) {
	if err == nil && !ours {
		err = p.session.refuse(p.st)
	}
	return true, err
}

// redefine changes the schema of the transaction.
func (p *statement) redefine(ctx context.Context, out *portal) error {
	s := p.session
	switch p.st.Kind {
	case syntax.CreateTable:
		return typeddl.CreateTable(ctx, writing.DDLSession{Session: s.Session}, p.st)
	case syntax.CreateTableAs:
		return s.createTableAs(ctx, p.st, out)
	case syntax.AlterTable:
		return typeddl.AlterTable(ctx, writing.DDLSession{Session: s.Session}, p.st)
	case syntax.Drop:
		return typeddl.DropObjects(ctx, writing.DDLSession{Session: s.Session}, p.st)
	case syntax.OnDatabase:
		_, on, _, err := ddlstmt.RequireGrants(p.st)
		if err != nil {
			return err
		}
		return typeddl.RequireGrants(ctx, writing.DDLSession{Session: s.Session}, on)
	case syntax.Grant:
		return privileges.OnTypes(ctx, s.Session, writing.DDLSession{Session: s.Session}, p.st)
	case syntax.CreateSchema, syntax.CreateExtension:
		return typeddl.CreateExisting(writing.DDLSession{Session: s.Session}, p.st)
	}
	return typeddl.Comment(ctx, writing.DDLSession{Session: s.Session}, p.st)
}

// createTableAs executes CREATE TABLE AS: a table with the columns and the rows of a query. The
// statement cannot declare a primary key: it is the column id, or the first column if there is
// no id.
func (s *Session) createTableAs(ctx context.Context, st *syntax.Statement, out *portal) error {
	d, exists, err := typeddl.NewTable(ctx, writing.DDLSession{Session: s.Session}, st)
	if exists || err != nil {
		return err
	}
	def := d.Definition
	query, err := s.Plan(d.Pin, def.Query, nil)
	if err != nil {
		return err
	}
	if err := queryColumns(def, query); err != nil {
		return err
	}
	if def.NoData {
		return d.Create(ctx)
	}
	held, columns, err := s.keepQueryRows(ctx, d.Pin, query)
	if err != nil {
		return err
	}
	defer held.Close()
	if err := d.Create(ctx); err != nil {
		return err
	}
	for i, c := range def.Columns {
		columns[i].Name = c.Name
	}
	insert, err := s.insertFromTable(ctx, def.Table.Name, columns[:len(def.Columns)], held, s.Settings.OnConflict())
	if err != nil {
		return err
	}
	_, err = insert.stage(ctx, out, nil)
	out.tag = strings.Replace(out.tag, "INSERT 0", "SELECT", 1)
	return err
}

// queryColumns gives a definition the columns of its query, and its key.
func queryColumns(def *ddlstmt.Definition, query *planner.Plan) error {
	outputs := slices.Clone(query.Scoped.Columns)
	for i, c := range query.Columns {
		outputs[i].OID, outputs[i].Typmod = c.OID, c.Typmod // as they are declared
	}
	if err := def.Select(outputs); err != nil {
		return err
	}
	if len(def.Columns) == 0 {
		return pgerr.Unsupported("a table without columns is not supported").At(def.Table.Position)
	}
	key := max(slices.IndexFunc(def.Columns, func(c ddlstmt.ColumnDefinition) bool { return c.Name == "id" }), 0)
	def.Columns[key].NotNull = true
	def.Key = []ddlstmt.KeyColumn{{Name: def.Columns[key].Name}}
	return nil
}

// keepQueryRows runs a query and keeps its rows in the engine.
func (s *Session) keepQueryRows(ctx context.Context, pin *resolver.Pin, query *planner.Plan) (*temptable.Rows, []column.Named, error) {
	if err := s.Authorize(pin.Catalog, query); err != nil {
		return nil, nil, err
	}
	if err := s.PrepareCatalog(ctx, pin, query); err != nil {
		return nil, nil, err
	}
	var columns []column.Named
	held, err := reading.OverMirror(ctx, reading.Sources{Session: s.Session}, func(src *reading.Sources) (*temptable.Rows, error) {
		if err := src.Find(ctx, pin, query, nil); err != nil {
			return nil, err
		}
		r, err := reading.Stream(ctx, s.Session, query, src, nil)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		columns = r.Rows.Columns()
		return reading.Hold(ctx, s.Session, r)
	})
	return held, columns, err
}
