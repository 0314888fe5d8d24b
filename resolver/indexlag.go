package resolver

import (
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// publishGrace is how long after a commit its entry in the indexes may take without
// anybody being warned. Every writer, the original too (COMPAT 3.4), swaps the
// head first and publishes indexes after it, and ours does so for many commits
// at once: with many readers and writers some index lags at any moment, and all
// is well. A lag that stays is that of a writer that died, or of a type whose
// index cannot be written. created_at is from before the upload, so there is
// room for a long one.
const publishGrace = time.Minute

// behind is when the first commit was made that an index should know and does
// not: for one that is missing, the first with rows of its type.
func behind(x *format.Index, view *chain.View, ref ontosql.TypeRef) time.Time {
	lacked := view.FirstCommit(ref)
	if x != nil {
		lacked = x.MaxIndexedCommit + 1
	}
	first := view.Commit(lacked)
	if first == nil {
		return time.Time{}
	}
	return first.Manifest.CreatedAt.Time
}

// reuseInterval is how long an index that was read is good for newer heads, which may
// have one that knows more: it is read whole, and grows with the history. A
// short one is read for each head; a long one takes a few hundredths of the time.
func (x *index) reuseInterval() time.Duration {
	if x.object == nil {
		return 0
	}
	return time.Duration(len(x.object.Entries)/1000) * 100 * time.Millisecond
}

// isPending reports whether a problem is no more than a publication that is to be
// expected still.
func (v assessment) isPending(p problem, now time.Time) bool {
	return (p.status == StatusLagging || p.status == StatusMissing) && now.Before(v.behind.Add(publishGrace))
}

// needsRead reports whether the index must be read again: what it lacked when it was
// read should be there by now.
func (x *index) needsRead(now time.Time) bool {
	end := x.behind.Add(publishGrace)
	return !x.behind.IsZero() && x.requested.Before(end) && !now.Before(end)
}
