package publish

import (
	"context"
	"maps"

	"github.com/ontosql/ontosql/nameservice"
)

// pushStatus pushes the figures of the last commit, if they differ from those in the record (seed
// 003, push_status). The state and the locks belong to others.
func (p *Publisher) pushStatus(ctx context.Context) error {
	told := p.told()
	return p.revise(ctx, nameservice.Status, func(status object) error {
		before := maps.Clone(status)
		if status["state"] == nil {
			status.write("state", "ready")
		}
		status.write("queue_depth", told.queued)
		status.write("last_commit_ms", told.took.Milliseconds())
		if maps.EqualFunc(before, status, nameservice.EqualPayloads) {
			return errNothing
		}
		return nil
	})
}
