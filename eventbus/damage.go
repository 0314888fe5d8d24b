package eventbus

import (
	"errors"
	"sync"

	"github.com/ontosql/ontosql"
)

// Damage tells the owner of a Bus of stored data that cannot be read and is left out, once of each,
// one call at a time. It is safe for concurrent use.
type Damage struct {
	Tell func(error) // gets a *ontosql.CorruptError; it may be nil

	mu   sync.Mutex
	told map[string]bool // by the key of the error
}

// mostTold is how many keys are remembered.
const mostTold = 10_000

// Skip reports whether err is about damaged data, and tells of it.
func (d *Damage) Skip(err error) bool {
	var corrupt *ontosql.CorruptError
	if !errors.As(err, &corrupt) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.told == nil || len(d.told) >= mostTold {
		d.told = map[string]bool{}
	}
	if !d.told[corrupt.Key] {
		d.told[corrupt.Key] = true
		if d.Tell != nil {
			d.Tell(corrupt)
		}
	}
	return true
}
