// Package keyquery answers from the row store (decision A70), without the engine, the statements that
// read rows by the values of their keys and ask for little else (scope.KeyQuery). A Plan is made once for
// a statement and the types that it reads; Run executes it over the tables of the store that the
// caller has found to be complete. What it cannot answer exactly as the engine would it leaves
// to the engine.
//
// The package knows no session and pins nothing.
package keyquery
