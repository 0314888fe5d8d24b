package writepath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// maxRecoveries is the number of records kept, the newest.
const maxRecoveries = 1000

// setOutcome records the outcome for an object of the projection.
func (p *projection) setOutcome(key, outcome string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outcomes[key] = outcome
}

// leaveObject records that an object was left unchanged, because it has the change or because
// the original has changed it since.
func (p *projection) leaveObject(key string, foreign bool) {
	if foreign {
		p.setOutcome(key, format.RecoveryForeign)
		return
	}
	p.setOutcome(key, format.RecoveryThere)
}

// anySuperseded reports whether the original changed some type after the change.
func (p *projection) anySuperseded() bool {
	return slices.Contains(slices.Collect(maps.Values(p.superseded)), true)
}

// recovered adds records of what was rolled forward for the writer of a commit, if anything
// was written or is skipped for good.
func (p *projection) recovered(all []format.Recovery, e *chain.Entry) []format.Recovery {
	if !p.forked && !slices.Contains(slices.Collect(maps.Values(p.outcomes)), format.RecoveryWritten) {
		return all
	}
	var actor string
	_ = json.Unmarshal(e.Manifest.Metadata["actor"], &actor) // a foreign commit may have any value
	for _, key := range slices.Sorted(maps.Keys(p.outcomes)) {
		all = merged(all, format.Recovery{
			Actor: format.RecoveryActor, At: format.TimeOf(p.lease.lock.now()), Commit: p.landing.id,
			ForActor: actor, Outcome: p.outcomes[key], Projection: key,
		})
	}
	return all
}

// merged adds a record, at most one for each object of a commit; a written outcome replaces
// others.
func merged(all []format.Recovery, r format.Recovery) []format.Recovery {
	i := slices.IndexFunc(all, func(o format.Recovery) bool { return o.Commit == r.Commit && o.Projection == r.Projection })
	switch {
	case i < 0:
		return append(all, r)
	case r.Outcome == format.RecoveryWritten:
		all[i] = r
	}
	return all
}

// record writes the unsaved records. If that fails, they are kept for the next time; nothing
// depends on them.
func (s *store) record(h *lease) {
	if len(s.recoveries) == 0 {
		return
	}
	if err := s.writeRecoveries(h.ctx, h); err != nil {
		s.logger.WarnContext(h.ctx, "recoveries not recorded", "error", err)
		return
	}
	s.recoveries = nil
}

func (s *store) writeRecoveries(ctx context.Context, h *lease) error {
	all, version, err := read(ctx, s.bucket, format.RecoveriesKey, format.DecodeRecoveries)
	var damaged *ontosql.CorruptError
	if err != nil && !errors.As(err, &damaged) {
		return err
	}
	known := slices.Clone(all)
	for _, r := range s.recoveries {
		all = merged(all, r)
	}
	if err == nil && slices.Equal(known, all) {
		return nil
	}
	if err := h.check(); err != nil {
		return err
	}
	if _, err := s.bucket.Swap(ctx, format.RecoveriesKey, version, format.EncodeRecoveries(all[max(0, len(all)-maxRecoveries):])); err != nil {
		return fmt.Errorf("write %s: %w", format.RecoveriesKey, err)
	}
	return nil
}
