package gateway

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
)

// loadCommits brings the engine's table of commit times up to a view. Commits of
// the same chain beyond the view do no harm, for the table is only looked up in;
// those of a history that was replaced go.
func (db *Database) loadCommits(ctx context.Context, view *chain.View) error {
	c := &db.commits
	c.Lock()
	defer c.Unlock()
	head := ontosql.CommitID(view.Len())
	if c.view != nil && !sameChain(c.view, view) {
		c.view, c.last = nil, 0
	}
	same := c.view != nil
	if same && head <= c.last {
		return nil
	}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	b := column.NewBuilder(commitsColumns)
	for id := c.last + 1; id <= head; id++ {
		b.Append(int64(id), view.Commit(id).Manifest.CreatedAt.Time)
	}
	if same {
		err = conn.Append(ctx, pgcatalog.Schema, commitsName, b.Batch())
	} else {
		err = conn.Load(ctx, pgcatalog.Schema, commitsName, commitsColumns, b.Batch())
	}
	if err != nil {
		return fmt.Errorf("load commit times: %w", err)
	}
	c.last, c.view = head, view
	return nil
}

// sameChain reports whether two views are of one history, as far as both go.
func sameChain(a, b *chain.View) bool {
	last := ontosql.CommitID(min(a.Len(), b.Len()))
	return last == 0 || a.Commit(last).Path == b.Commit(last).Path
}
