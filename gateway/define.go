package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql/gateway/ddl"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// define runs a statement that changes the schema (PRODUCT "DDL"): alone it is
// one commit, in a transaction it waits for its COMMIT.
func (p *statement) define(ctx context.Context, out *portal) error {
	s := p.session
	if err := s.yieldStream(ctx); err != nil {
		return err
	}
	if err := s.CheckWrites(p.st.Tag); err != nil {
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
		again := errors.Is(err, errHeadMoved)
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
		return ddl.CreateTable(ctx, schemaSession{s}, p.st)
	case syntax.CreateTableAs:
		return s.createTableAs(ctx, p.st, out)
	case syntax.AlterTable:
		return ddl.AlterTable(ctx, schemaSession{s}, p.st)
	case syntax.Drop:
		return ddl.DropObjects(ctx, schemaSession{s}, p.st)
	case syntax.CreateSchema, syntax.CreateExtension:
		return ddl.CreateExisting(schemaSession{s}, p.st)
	}
	return ddl.Comment(ctx, schemaSession{s}, p.st)
}
