package branch

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/transfer"
)

// Pinner pins the head of a store; *resolver.Store and *sqlite.DB do.
type Pinner interface {
	// PinFresh pins the newest head, schema objects included.
	PinFresh(ctx context.Context) (*resolver.Pin, error)
}

// Store is an opened ontology in a bucket or in a SQLite file.
type Store struct {
	Address string          // for messages and the records of merges
	Bucket  objstore.Bucket // nil for a SQLite file
	DB      *sqlite.DB      // nil for a bucket
	Pins    Pinner
	Temp    string // directory for data that does not fit into memory
}

// source returns the ontology at a pin.
func (s *Store) source(pin *resolver.Pin) transfer.Source {
	if s.DB != nil {
		return transfer.NewTables(s.DB, pin)
	}
	return transfer.NewBucket(s.Bucket, pin, s.Temp)
}

// pinAt pins the store at a commit; at nil is the newest one. A commit that the store does not have
// is an *UnknownCommitError.
func (s *Store) pinAt(ctx context.Context, at *ontosql.CommitID) (*resolver.Pin, error) {
	pin, err := s.Pins.PinFresh(ctx)
	if err != nil {
		return nil, err
	}
	return pastOf(s.Address, pin, at)
}

func pastOf(address string, pin *resolver.Pin, at *ontosql.CommitID) (*resolver.Pin, error) {
	if at == nil {
		return pin, nil
	}
	if *at < 0 || *at > pin.Head.Commit {
		return nil, &UnknownCommitError{Address: address, Commit: *at, Head: pin.Head.Commit}
	}
	return pin.At(*at)
}
