// Package dml resolves INSERT, UPDATE and MERGE. Each becomes one query of the rows that
// change, and a description of what is done with them and of what RETURNING shows. Scope is
// its door. DELETE is refused: nothing is removed from an ontology.
package dml
