package database

import (
	"context"
	"fmt"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/introspect"
)

// commitTimes says what is in CommitsTable.
type commitTimes struct {
	sync.Mutex
	view *chain.View      // the chain whose times are in the table, nil before the first load
	last ontosql.CommitID // the last commit in the table
}

// CommitsTable is the engine's table of commits: their times, actors and messages.
const CommitsTable = pgcatalog.Schema + "." + commitsName

const commitsName = "ontosql_commits"

var commitsColumns = []column.Named{
	{Name: "commit_id", Type: column.Type{Kind: column.Int64}},
	{Name: "created_at", Type: column.Type{Kind: column.TimestampTZ}},
	{Name: "actor", Type: column.Type{Kind: column.Text}},
	{Name: "message", Type: column.Type{Kind: column.Text}},
}

// LoadCommits loads the commits of a view into CommitsTable. Later commits of the same chain
// may be in it too, because statements look commits up by their ids. If the chain was replaced,
// the table is loaded again.
func (db *Database) LoadCommits(ctx context.Context, view *chain.View) error {
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
	conn, err := db.Engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	b := column.NewBuilder(commitsColumns)
	for id := c.last + 1; id <= head; id++ {
		m := view.Commit(id).Manifest
		b.Append(int64(id), m.CreatedAt.Time, introspect.Actor(m), introspect.Message(m))
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

// sameChain reports whether two views are of one chain, up to the end of the shorter one.
func sameChain(a, b *chain.View) bool {
	last := ontosql.CommitID(min(a.Len(), b.Len()))
	return last == 0 || a.Commit(last).Path == b.Commit(last).Path
}
