// Package chain holds the manifest log (decision A12): a local, verified copy of every
// manifest from the first commit to a head. Commits, their times, their files and the
// drops of types can be looked up without a request.
//
// A manifest counts only if a head leads to it, parent by parent. Manifests beside the
// chain are ignored: attempts of writers that lost, and commits of an ontology that was
// initialised again. To reach a new head, the log reads the few manifests that it lacks;
// if it lacks many, it lists them and reads them in parallel, or takes them from the store's
// checkpoint (decision A65). The log may be stored in a
// directory that several processes share and that may be deleted at any time.
//
// The package reads no head object, index or row, and writes nothing to the store.
package chain
