package database

import (
	"context"

	"github.com/ontosql/ontosql/nameservice"
)

// Names is the name service of a gateway, from which it has its databases.
type Names interface {
	nameservice.Service

	// CreateDatabase makes a store for a new ontology, or a branch of one, and its record. from is
	// what the store begins with: the alias of an ontology and a point after @, as a client would
	// connect to it; "" means an empty ontology. The error is a *pgerr.Error, or one of the name
	// service (nameservice.ErrExists) or of the store.
	CreateDatabase(ctx context.Context, a nameservice.Alias, from string) error
	// Changed makes the gateway look at the records soon: one of them was written from here.
	Changed()
}
