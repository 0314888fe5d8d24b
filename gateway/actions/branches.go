package actions

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
)

// branches is ontosql.branches().
func (c *call) branches(ctx context.Context) error {
	db := c.session.DB
	names, err := db.NameService()
	if err != nil {
		return err
	}
	all, err := names.Branches(ctx, db.Name)
	if err != nil {
		return err
	}
	for _, b := range all {
		row := []any{b.Database, b.Branch, b.Database == db.Name, b.URI, int64(b.Head), nil, nil, nil}
		if b.Ancestor > 0 {
			row[5], row[6], row[7] = int64(b.Ancestor), int64(b.Ahead), int64(b.Behind)
		}
		c.rows.Append(row...)
	}
	return nil
}

// branchDiff is ontosql.branch_diff(a, b).
func (c *call) branchDiff(ctx context.Context) error {
	names, err := c.session.DB.NameService()
	if err != nil {
		return err
	}
	var of [2]string
	for i := range of {
		if of[i], err = c.required(i); err != nil {
			return err
		}
	}
	return names.BranchDiff(ctx, of[0], of[1], func(change branch.Change) error {
		database := of[0]
		if change.Second {
			database = of[1]
		}
		key, err := keyOf(change.Key)
		if err != nil {
			return err
		}
		for _, f := range change.Fields {
			c.rows.Append(database, change.Type.Kind.String(), change.Type.Name, key, change.New, fieldOf(f.Field), introspect.PayloadOrNull(f.Base), introspect.PayloadOrNull(f.Value))
		}
		return nil
	})
}

// merge is ontosql.merge(from, on_conflict, dry_run). Like compaction it is no part of a transaction.
func (c *call) merge(ctx context.Context) error {
	const name = "ontosql.merge()"
	s := c.session
	names, err := s.DB.NameService()
	if err != nil {
		return err
	}
	if s.Tx.Block() {
		return pgerr.New(pgerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", name)
	}
	from, err := c.required(0)
	if err != nil {
		return err
	}
	o := branch.MergeOptions{Choice: branch.Choice(c.optional(1, "")), DryRun: c.optional(2, "false") == "true", Actor: s.SessionUser()}
	switch o.Choice {
	case branch.Ask, branch.Ours, branch.Theirs:
	default:
		return pgerr.New(pgerr.InvalidParameterValue, "invalid decision of conflicts: %.100q", string(o.Choice)).WithHint("It is ours, what this database has, or theirs, what the merged branch has.")
	}
	done, err := names.Merge(ctx, from, s.DB.Name, s.DB.Committer, o)
	s.DB.Committed()
	if err != nil && !errors.Is(err, branch.ErrConflicts) {
		return err
	}
	if len(done.Types) > 0 {
		s.DB.ForgetPin() // statements are planned by the new schema from now on
	}
	var commit any
	if done.Commit > 0 {
		commit = int64(done.Commit)
	}
	for _, conflict := range done.Conflicts {
		key, err := keyOf(conflict.Key)
		if err != nil {
			return err
		}
		c.rows.Append(commit, int64(done.Inserted), int64(done.Updated), conflict.Type.Kind.String(), conflict.Type.Name, key, fieldOf(conflict.Field),
			introspect.PayloadOrNull(conflict.Base), introspect.PayloadOrNull(conflict.Ours), introspect.PayloadOrNull(conflict.Theirs))
	}
	if len(done.Conflicts) == 0 {
		c.rows.Append(commit, int64(done.Inserted), int64(done.Updated), nil, nil, nil, nil, nil, nil, nil)
	}
	return nil
}

// keyOf is an identity as JSON, nil for a type as a whole.
func keyOf(key []string) (any, error) {
	if key == nil {
		return nil, nil
	}
	text, err := json.Marshal(key)
	return string(text), err
}

// fieldOf is the name of a field, nil for a type as a whole.
func fieldOf(name string) any {
	if name == "" {
		return nil
	}
	return name
}
