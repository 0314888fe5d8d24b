// Package migration is what a change of schema is: the schema that it starts
// from, what each change makes of it, what differs between two schemas, and the
// tokens by which the command line makes sure that what is done is what was
// shown. It reads and writes nothing; the same change is applied to the catalog
// of a transaction and, under the lock, to the store.
package migration
