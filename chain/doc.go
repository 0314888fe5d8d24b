// Package chain is the room of the manifest log (decision A12): a local,
// verified copy of every manifest from the first commit to a head, so that
// commits, their times, their files and the drops of types can be looked up
// without a request.
//
// A manifest is believed only when a head leads to it, parent by parent: what
// lies beside the chain (the attempts of writers that lost, the commits of an
// ontology that was initialised anew) is never seen. The log learns a head by
// reading the few manifests it lacks; when it lacks many, it lists them and
// reads them in parallel. It may be kept in a directory that several processes
// share and that can be deleted at any time.
//
// It reads no head object, no index and no row, and it writes nothing to the
// store.
package chain
