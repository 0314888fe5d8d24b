// Package branch makes branches of an ontology, compares them and merges them. A branch is a store of
// its own: it has the commits of another one up to a point, under the same ids and with the same
// bytes, and then its own. What two branches have in common is found by comparing their chains;
// nothing records it.
//
// rules.go has the three-way rules of a merge, without I/O. The package does not open stores by
// address and knows no names of branches and no SQL; cmd/ontosql does.
package branch
