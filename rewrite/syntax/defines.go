package syntax

import "slices"

// defining are the kinds of statements that change what there is, and not what it has.
var defining = []Kind{
	CreateTable, CreateTableAs, AlterTable, Drop, CreateSchema, CreateView, CommentOn, DDL, CreateExtension, CreateIndex,
	DefineSequence, Refresh, AlterOwner, Owned, Grant, OnDatabase, OnRole,
}

// Defines reports whether a statement defines objects, roles or privileges, as log_statement = ddl of
// PostgreSQL means it.
func (s *Statement) Defines() bool { return slices.Contains(defining, s.Kind) }
