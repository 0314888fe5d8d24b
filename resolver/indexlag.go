package resolver

import (
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// publishGrace is the time after a commit during which a missing index entry causes no
// warning. Every writer, including the original (COMPAT 3.4), swaps the head first and
// publishes indexes later; ontosql does so for many commits at once. With many readers
// and writers some index always lags. A permanent lag means that a writer died or that
// the index cannot be written. created_at is from before the upload, so the time includes
// a long upload.
const publishGrace = time.Minute

// behind returns created_at of the first commit that the index lacks. If the index is
// missing, that is the first commit with rows of the type.
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

// reuseInterval is how long an index is reused for newer heads before it is read again. An
// index is read whole and grows with the history. A short one is read for each head; for a
// long one, reading takes a few per cent of the time.
func (x *index) reuseInterval() time.Duration {
	if x.object == nil {
		return 0
	}
	return time.Duration(len(x.object.Entries)/1000) * 100 * time.Millisecond
}

// isPending reports whether the problem is only a publication that is still expected.
func (v assessment) isPending(p problem, now time.Time) bool {
	return (p.status == StatusLagging || p.status == StatusMissing) && now.Before(v.behind.Add(publishGrace))
}

// needsRead reports whether the index must be read again because the missing commits
// should be published by now.
func (x *index) needsRead(now time.Time) bool {
	end := x.behind.Add(publishGrace)
	return !x.behind.IsZero() && x.requested.Before(end) && !now.Before(end)
}
