package actions

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// compact is ontosql.compact(type, strategy): it merges the data files of a type, as the command
// compact does, and returns the snapshots that it wrote. Like VACUUM it cannot be part of a
// transaction: what it writes is not taken back.
func (c *call) compact(ctx context.Context) error {
	const name = "ontosql.compact()"
	s := c.session
	if s.DB.Compactor == nil {
		return pgerr.Unsupported("%s is not supported for an ontology in a SQLite file", name).
			WithDetail("Such a file has no data files that could be merged.")
	}
	if s.Tx.Block() {
		return pgerr.New(pgerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", name)
	}
	t, err := c.typeNamed(0)
	if err != nil {
		return err
	}
	o := compaction.Options{Type: t.Ref.Name, Kind: t.Ref.Kind, Apply: true}
	if o.Strategy, err = compaction.ParseStrategy(c.optional(1, string(compaction.Whole))); err != nil {
		return pgerr.New(pgerr.InvalidParameterValue, "invalid strategy").WithDetail("%s.", sqlstate.Sentence(err)).Because(err)
	}
	o.Progress = func(at compaction.Progress) { s.Activity.Advance(string(at.Phase), at.Done, at.Total) }
	s.Activity.Begin(introspect.Work{Kind: introspect.Compaction, Type: t.Ref, Schema: catalog.SchemaPublic, Table: t.Table, Phase: "waiting for another compaction"})
	defer s.Activity.End()
	done, err := s.DB.Compactor.Compact(ctx, o)
	if err != nil {
		return compactionError(err, t)
	}
	for _, p := range done.Planned {
		if p.Bytes > 0 {
			c.rows.Append(p.Type.Kind.String(), p.Type.Name, int64(p.Files), int64(p.Min), int64(p.Max), p.Rows, p.Bytes)
		}
	}
	return nil
}

// compactionError is the client's error for a compaction that failed.
func compactionError(err error, t *catalog.Type) error {
	switch {
	case errors.Is(err, compaction.ErrFilesChanged):
		return pgerr.New(pgerr.SerializationFailure, "could not compact %q", t.Table).WithDetail("%s.", sqlstate.Sentence(compaction.ErrFilesChanged)).Because(err)
	case errors.Is(err, writepath.ErrGaveWay):
		return pgerr.New(pgerr.LockNotAvailable, "could not obtain the write lock").WithDetail("%s.", sqlstate.Sentence(writepath.ErrGaveWay)).
			WithHint("Try again when fewer transactions commit.").Because(err)
	}
	return err
}
