// Package nameservice defines the name service: the records that say which ontologies and graph
// sources there are, and what is new of each (seed 003). A record has four concerns, head, index,
// status and config, each with a watermark of its own, so that whoever writes one of them does not
// disturb the others. Service is the contract. The conditions of its writes are functions here that
// need no I/O (Edit), so that every kind of store decides alike.
//
// The room keeps nothing itself: nameservice/memory, nameservice/objects and nameservice/dynamodb do,
// nameservice/replica keeps a local and an upstream service in step, and nameservice/nameservicetest
// is the suite that all of them must pass. What the seed calls a ledger is an ontology.
package nameservice
