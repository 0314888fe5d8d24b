// Package rowstore keeps the versions of types in an ordered key-value store on the local disk, for
// statements that name the key of what they read (decision A70). One seek finds the newest
// version of a key, its version as of a commit, or all of them. It is a cache beside the mirror
// (A26), and under the same rules: built and extended in the background for types that are looked
// up, kept within a budget, dropped when it may be wrong, deleted at any moment without a wrong
// answer. Rows come through mirror.History, so that the package knows no store of ontologies.
//
// A table of the store holds one type. The key of a version is the number of the table, the
// identity, and the commit in descending order; the value is the row, with each column in the
// form in which package column has it.
package rowstore
