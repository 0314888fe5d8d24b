package gateway

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/relation"
)

// reads is what a SERIALIZABLE transaction has read, by type. Its commit is refused if
// another commit wrote any of it after the pin.
type reads struct {
	types map[ontosql.TypeRef]bool
	// ontology says that it read the records of the ontology itself, which every
	// commit adds to.
	ontology bool
}

// reading takes down what a relation is read for, whatever the point: what is
// read of the past is found by way of the head.
func (s *Session) reading(r *relation.Relation) {
	if s.Mode("isolation") != "serializable" {
		return
	}
	switch {
	case r.Type != nil:
		if s.tx.read.types == nil {
			s.tx.read.types = map[ontosql.TypeRef]bool{}
		}
		s.tx.read.types[r.Type.Ref] = true
	case r.Virtual != nil:
		s.tx.read.ontology = true
	}
}
