package writepath

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// resetIndexes empties the indexes of dropped types, including recreated ones, as the
// original's drop does (COMPAT 3.7). Updating such an index reads the chain down to its last
// indexed commit, and the original would add rows from before the drop.
func (p *projection) resetIndexes(ctx context.Context) error {
	var steps []func(context.Context) error
	for _, d := range p.landing.change.Dropped {
		steps = append(steps, func(ctx context.Context) error { return p.resetIndex(ctx, d.Ref()) })
	}
	return together(ctx, steps...)
}

// resetIndex makes an index end just before the drop, without files, unless it has been reset
// and continued already. Commits after the drop are added from the chain again.
func (p *projection) resetIndex(ctx context.Context, ref ontosql.TypeRef) error {
	for {
		index, version, err := read(ctx, p.objects.bucket, format.IndexKey(ref), format.DecodeIndex)
		var damaged *ontosql.CorruptError
		if errors.As(err, &damaged) {
			index = &format.Index{}
		} else if err != nil {
			return err
		}
		before := func(e format.IndexEntry) bool { return e.MinCommitID < p.landing.id }
		if index.MaxIndexedCommit >= p.landing.id-1 && !slices.ContainsFunc(index.Entries, before) {
			p.leaveObject(format.IndexKey(ref), false)
			return nil
		}
		if err := p.announce(format.IndexKey(ref)); err != nil {
			return err
		}
		if err := p.lease.check(); err != nil {
			return err
		}
		body := format.EncodeIndex(&format.Index{TypeName: ref.Name, MaxIndexedCommit: p.landing.id - 1})
		// A publication of indexes may run concurrently and write first.
		if _, err := p.objects.bucket.Swap(ctx, format.IndexKey(ref), version, body); err == nil {
			p.setOutcome(format.IndexKey(ref), format.RecoveryWritten)
			return nil
		} else if !refused(err) {
			return fmt.Errorf("write %s: %w", format.IndexKey(ref), err)
		}
	}
}
