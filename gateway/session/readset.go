package session

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/relation"
)

// Reads is what a SERIALIZABLE transaction has read, by type. Its commit is refused if
// another commit wrote any of it after the pin.
type Reads struct {
	Types map[ontosql.TypeRef]bool
	// ontology says that it read the records of the ontology itself, which every
	// commit adds to.
	Ontology bool
}

// RecordRead records that a SERIALIZABLE transaction reads a relation, at any point.
func (s *Session) RecordRead(r *relation.Relation) {
	if s.Mode("isolation") != "serializable" {
		return
	}
	switch {
	case r.Type != nil:
		if s.Tx.Read.Types == nil {
			s.Tx.Read.Types = map[ontosql.TypeRef]bool{}
		}
		s.Tx.Read.Types[r.Type.Ref] = true
	case r.Virtual != nil:
		s.Tx.Read.Ontology = true
	}
}
