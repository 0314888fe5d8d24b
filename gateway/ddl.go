package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// define runs a statement that changes the schema (PRODUCT "DDL"): alone it is
// one commit, in a transaction it waits for its COMMIT.
func (p *statement) define(ctx context.Context, out *portal) error {
	s := p.session
	if err := s.yieldStream(ctx); err != nil {
		return err
	}
	if err := s.writes(p.st.Tag); err != nil {
		return err
	}
	if !s.alone() {
		return p.redefine(ctx, out)
	}
	defer s.unreserve()
	forget, send := s.holdNotices()
	defer send()
	for until := time.Now().Add(retryTime); ; {
		err := p.redefine(ctx, out)
		again := errors.Is(err, errPassed)
		if err == nil {
			err = s.commitStaged(ctx)
			again = s.runsAgain(err, until)
		}
		if !again {
			return err
		}
		s.unstage(ctx)
		s.tx.pin, s.tx.read = nil, reads{}
		forget()
		if err := s.reserve(ctx); err != nil { // what was overtaken once is not again
			return err
		}
	}
}

// redefine changes the schema of the transaction.
func (p *statement) redefine(ctx context.Context, out *portal) error {
	s := p.session
	switch p.st.Kind {
	case syntax.CreateTable:
		return s.createTable(ctx, p.st)
	case syntax.CreateTableAs:
		return s.createTableAs(ctx, p.st, out)
	case syntax.AlterTable:
		return s.alterTable(ctx, p.st)
	case syntax.Drop:
		return s.dropObjects(ctx, p.st)
	case syntax.CreateSchema, syntax.CreateExtension:
		return s.createExisting(p.st)
	}
	return s.comment(ctx, p.st)
}

// mayCreate says whether a statement may create the table that it names, and
// whether there is nothing to do: IF NOT EXISTS of one that exists.
func (s *Session) mayCreate(pin *resolver.Pin, table syntax.Ref, ifNotExists bool) (exists bool, err error) {
	if err := s.inDatabase(table); err != nil {
		return false, err
	}
	schema := table.Schema
	if schema == "" {
		if schema = s.creationSchema(); schema == "" {
			return false, pgerr.New(pgerr.InvalidSchemaName, "no schema has been selected to create in").At(table.Position)
		}
	}
	if err := s.creates(schema, table.Position); err != nil {
		return false, err
	}
	if _, taken := s.find(pin, catalog.SchemaPublic, syntax.Ref{Name: table.Name}); !taken {
		return false, nil
	}
	if ifNotExists {
		s.notice(sqlstate.Notice("relation %q already exists, skipping", table.Name))
		return true, nil
	}
	return false, pgerr.New(pgerr.DuplicateTable, "relation %q already exists", table.Name)
}

// creationSchema is where an unqualified name is created: the first schema of the
// search path (PostgreSQL manual, 5.9.3), "" for none.
func (s *Session) creationSchema() string {
	for _, schema := range s.namedPath() {
		return schema
	}
	return ""
}

// creates refuses every schema that tables cannot be created in.
func (s *Session) creates(schema string, position int) error {
	switch schema {
	case catalog.SchemaPublic:
		return nil
	case catalog.SchemaHistory, catalog.SchemaChanges, catalog.SchemaAsOf, catalog.SchemaOntosql, catalog.SchemaCatalog, catalog.SchemaInformation:
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for schema %s", schema).
			WithDetail("What it shows follows from the tables of the schema public.").At(position)
	}
	return noSchema(schema).At(position)
}

// table is the table of a type that a statement changes.
func (s *Session) table(pin *resolver.Pin, ref syntax.Ref) (relation, error) {
	r, err := s.named(pin, ref)
	if err != nil {
		return r, err
	}
	switch {
	case r.catalog != nil:
		return r, pgerr.New(pgerr.InsufficientPrivilege, "permission denied: %q is a system catalog", r.shape.Table)
	case r.typ == nil:
		return r, pgerr.New(pgerr.WrongObjectType, "%q is not a table", r.shape.Table)
	case r.mode != ontosql.Latest:
		return r, pgerr.New(pgerr.WrongObjectType, "%q is not a table", r.shape.Schema+"."+r.shape.Table).
			WithHint("It follows from %q: change that.", catalog.SchemaPublic+"."+r.shape.Table)
	}
	return r, nil
}
