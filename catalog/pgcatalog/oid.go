package pgcatalog

import (
	"hash/fnv"
	"strings"
)

// OIDs of our objects lie in [firstOID, lastOID]: above those of PostgreSQL's
// own objects, and positive as an int4, in which some clients keep them.
const (
	firstOID = 16384
	lastOID  = 1<<31 - 1
)

// oids assigns the OIDs of one catalog. An object's OID is a hash of its kind, schema and name,
// so that it is the same in every session and process and as long as the object keeps its name.
// If two objects of one catalog have the same hash, the later one takes the next free number.
// Callers ask in a fixed order, so that the result depends only on the set of objects. Only the
// OIDs of two such objects can change when another object is created or dropped; among 10,000
// objects a pair is expected in one ontology of forty.
type oids struct {
	taken map[uint32]string
}

// of is the OID of an object.
func (o *oids) of(kind string, name ...string) uint32 {
	key := kind + "\x00" + strings.Join(name, "\x00")
	h := fnv.New64a()
	h.Write([]byte(key))
	span := uint64(lastOID - firstOID + 1)
	oid := uint32(firstOID + h.Sum64()%span)
	for {
		owner, used := o.taken[oid]
		if !used {
			o.taken[oid] = key
			return oid
		}
		if owner == key {
			return oid
		}
		if oid++; oid > lastOID {
			oid = firstOID
		}
	}
}
