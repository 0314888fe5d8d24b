package objects

import (
	"time"

	"github.com/ontosql/ontosql/format"
)

// known says which events of a namespace need no second look, in memory for those of the last minutes
// only: objects that the store has dated base or earlier, and those of a later date that are in seen.
// base follows the newest date at a distance of lateness, so that seen is as large as what is sent in
// that time and a sweepInterval.
type known struct {
	base  time.Time
	seen  map[uint64]time.Time // the store's date by the hash of the key
	after string               // the key behind which the next listing begins; "" until the first sweep
	swept time.Time            // when all keys were listed last, by the Bus's clock
}

// sweeps reports whether all keys are to be listed.
func (k *known) sweeps(now time.Time) bool {
	return k.after == "" || now.Sub(k.swept) >= sweepInterval || now.Before(k.swept)
}

// listed notes a listing: the newest created_at and the newest date of the store in it.
func (k *known) listed(namespace string, newest, dated, now time.Time, sweep bool) {
	if newest.IsZero() || newest.After(now) { // a sender's clock is ahead, or nothing was sent
		newest = now
	}
	k.after = format.EventKeyFrom(namespace, newest.Add(-lateness))
	if sweep {
		k.swept = now
		k.settle(earlier(dated, now).Add(-lateness))
	}
}

// settle moves base forward, and drops what follows from it.
func (k *known) settle(base time.Time) {
	if !base.After(k.base) {
		return
	}
	k.base = base
	for hash, dated := range k.seen {
		if !dated.After(base) {
			delete(k.seen, hash)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
