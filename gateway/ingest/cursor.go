package ingest

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

// Cursor gives versions of a type. The versions of an identity come in the order in which
// they were stored. The columns of a batch are the key texts, commit_id and
// schema_version_id as Int64 (the latter may be NULL), fields_json as Text in the spelling
// in which it is stored, and optionally the number of the row in its table as Int64. After
// the last batch Next returns io.EOF. A batch is valid until the third batch after it is
// asked for, or Close.
type Cursor interface {
	Next(ctx context.Context) (*column.Batch, error)
	Close()
}

// HeadWatcher is a Cursor that may notice while reading that the head has moved.
type HeadWatcher interface {
	// Newest is the pin of the newest head while rows were read, nil if the cursor did not
	// see it. It is called after the last batch.
	Newest() *resolver.Pin
}

// Reverser is a Cursor that may be able to give its rows in the reverse order.
type Reverser interface {
	// NewestFirst reverses the order. It is called before the first Next, and returns false
	// if the reverse order would not be the order of commits.
	NewestFirst() bool
}
