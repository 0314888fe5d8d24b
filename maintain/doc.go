// Package maintain is the room of a store's health. Verify states what two
// programs must be able to rely on, the rules of interoperation with the
// original and the invariants of ARCHITECTURE.md, as checks on the bytes of a
// store, and names each rule that a store breaks. Whatever ontosql writes must
// verify clean, and so does what the original writes, its known liberties
// named.
//
// It reads only. It repairs nothing, and it does not judge what cannot be seen
// in a store at rest: the protocol of a commit (writepath's tests do) and the
// meaning of queries.
package maintain
