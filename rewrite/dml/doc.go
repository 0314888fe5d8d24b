// Package dml resolves INSERT, UPDATE, DELETE and MERGE. Each becomes one query of the rows that
// change, and a description of the action on each row and of the columns of RETURNING. Scope is
// the entry point. Rows are deleted from ordinary tables only: an ontology keeps all of them.
package dml
