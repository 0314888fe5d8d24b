// Package maintain verifies stores. Verify checks the bytes of a store against what two
// programs rely on: the rules of interoperation with the original and the invariants of
// ARCHITECTURE.md. It names each rule that a store breaks. Whatever ontosql writes must verify
// without problems, and so must what the original writes, apart from its known deviations,
// which are reported as such.
//
// It only reads and repairs nothing. It does not check what is not visible in a store at rest:
// the commit protocol (see writepath's tests) and the meaning of queries.
package maintain
