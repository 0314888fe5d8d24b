package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
)

// groupCommit lets one session commit for all that wait meanwhile, so that they share one write
// to the disk.
type groupCommit struct {
	sync.Mutex // one commit at a time changes Store.current

	mu      sync.Mutex
	waiting []*commit
}

// commit is what transactions of one session have changed.
type commit struct {
	ids   []XID
	edits []edit
	done  bool // under groupCommit's lock
	err   error
}

// join adds a commit to the next group.
func (g *groupCommit) join(c *commit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, c)
}

// take takes the commits that wait.
func (g *groupCommit) take() []*commit {
	g.mu.Lock()
	defer g.mu.Unlock()
	group := g.waiting
	g.waiting = nil
	return group
}

// commit commits transactions with their edits.
func (s *Store) commit(ctx context.Context, conn Conn, ids []XID, edits []edit) error {
	c := &commit{ids: ids, edits: edits}
	s.commits.join(c)
	s.commits.Lock()
	defer s.commits.Unlock()
	if !c.done {
		s.commitGroup(ctx, conn, s.commits.take())
	}
	if c.err != nil {
		return fmt.Errorf("commit workspace: %w", c.err)
	}
	return nil
}

// commitGroup commits in one transaction of the engine. If that fails, each commit is tried by
// itself.
func (s *Store) commitGroup(ctx context.Context, conn Conn, group []*commit) {
	var all commit
	for _, c := range group {
		c.done = true
		all.ids, all.edits = append(all.ids, c.ids...), append(all.edits, c.edits...)
	}
	err := s.commitOne(ctx, conn, &all)
	for _, c := range group {
		if c.err = err; err != nil && len(group) > 1 {
			c.err = s.commitOne(ctx, conn, c)
		}
	}
}

// commitOne commits in one transaction of the engine.
func (s *Store) commitOne(ctx context.Context, conn Conn, c *commit) error {
	last := s.current.Load()
	next := &committed{last.objects, last.version}
	for _, e := range c.edits {
		next.objects = e.apply(next.objects)
	}
	statements, err := recordsSQL(last.objects, c.edits)
	if err != nil {
		return err
	}
	if len(c.ids) > 0 {
		statements = append(statements, "DELETE FROM "+runningTable+" WHERE xid IN ("+list(c.ids)+")")
	}
	statements = append(statements, forgetStates(last.objects, next.objects)...)
	drops := dropAll(s.unused())
	err = conn.ExecTogether(ctx, slices.Concat(drops, statements))
	if err != nil && len(drops) > 0 { // they may be to blame; Open drops what stays
		err = conn.ExecTogether(ctx, statements)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.xacts.End(c.ids...)
	if len(c.edits) > 0 {
		next.version++
		s.current.Store(next)
		for _, h := range replacedHeaps(last.objects, next.objects, c.edits) {
			s.dropped = append(s.dropped, droppedHeap{h, next.version})
		}
	}
	return nil
}

// replacedHeaps are the heaps of tables before edits that no table has after them.
func replacedHeaps(before, after *Objects, edits []edit) []*Heap {
	done := map[*Heap]bool{}
	for _, e := range edits {
		if e.put == nil {
			continue
		}
		if t := after.Table(e.put.Schema, e.put.Name); t != nil {
			done[t.Heap] = true
		}
	}
	var out []*Heap
	for _, e := range edits {
		t := cmp.Or(e.put, e.remove)
		if t == nil {
			continue
		}
		if had := before.Table(t.Schema, t.Name); had != nil && !done[had.Heap] {
			done[had.Heap] = true
			out = append(out, had.Heap)
		}
	}
	return out
}

// inEngine runs statements in one transaction of the engine's connection.
func inEngine(ctx context.Context, conn Conn, run func() error) error {
	if err := conn.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	err := run()
	if err == nil {
		err = conn.Exec(ctx, "COMMIT")
	}
	if err != nil {
		_ = conn.Exec(context.WithoutCancel(ctx), "ROLLBACK") // after a failed COMMIT the transaction has ended
	}
	return err
}
