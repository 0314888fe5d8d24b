package writepath

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

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

// audit records what is rolled forward for the writer of a commit (decision A68).
type audit struct {
	store  *store
	commit *chain.Entry
	turn   chan struct{} // one record is written at a time
}

// announce records, before an object is written for a writer that did not finish, that it is.
// So the record is there whoever dies then; a later writer that writes the object after all
// finds it. An object that is not recorded is not written.
func (p *projection) announce(key string) error {
	if p.audit == nil {
		return nil
	}
	p.audit.turn <- struct{}{}
	defer func() { <-p.audit.turn }()
	if err := p.audit.store.writeRecoveries(p.lease, []format.Recovery{p.recovery(key, format.RecoveryWritten)}); err != nil {
		return fmt.Errorf("record the recovery of %s: %w", key, err)
	}
	return nil
}

func (p *projection) recovery(key, outcome string) format.Recovery {
	var actor string
	_ = json.Unmarshal(p.audit.commit.Manifest.Metadata["actor"], &actor) // a foreign commit may have any value
	return format.Recovery{
		Actor: format.RecoveryActor, At: format.TimeOf(p.lease.lock.now()), Commit: p.landing.id,
		ForActor: actor, Outcome: outcome, Projection: key,
	}
}

// recovered adds records of all objects of the change, if anything was written or is skipped
// for good.
func (p *projection) recovered(all []format.Recovery) []format.Recovery {
	if !p.forked && !slices.Contains(slices.Collect(maps.Values(p.outcomes)), format.RecoveryWritten) {
		return all
	}
	for _, key := range slices.Sorted(maps.Keys(p.outcomes)) {
		all = merged(all, p.recovery(key, p.outcomes[key]))
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
	case r.Outcome == format.RecoveryWritten && all[i].Outcome != format.RecoveryWritten:
		all[i] = r
	}
	return all
}

// record writes the unsaved records, which are of objects that were left unchanged. If that
// fails, they are kept for the next time; nothing depends on them.
func (s *store) record(h *lease) {
	if len(s.recoveries) == 0 {
		return
	}
	if err := s.writeRecoveries(h, s.recoveries); err != nil {
		s.logger.WarnContext(h.ctx, "recoveries not recorded", "error", err)
		return
	}
	s.recoveries = nil
}

// writeRecoveries adds rows to the records of the store. Damaged ones are kept as they are: the
// error is a *ontosql.CorruptError.
func (s *store) writeRecoveries(h *lease, rows []format.Recovery) error {
	all, version, err := read(h.ctx, s.bucket, format.RecoveriesKey, format.DecodeRecoveries)
	if err != nil {
		return err
	}
	known := slices.Clone(all)
	for _, r := range rows {
		all = merged(all, r)
	}
	if slices.Equal(known, all) {
		return nil
	}
	if err := h.check(); err != nil {
		return err
	}
	if _, err := s.bucket.Swap(h.ctx, format.RecoveriesKey, version, format.EncodeRecoveries(all[max(0, len(all)-maxRecoveries):])); err != nil {
		return fmt.Errorf("write %s: %w", format.RecoveriesKey, err)
	}
	return nil
}
