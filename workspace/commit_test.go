package workspace_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/workspace"
)

// watched is a connection that calls before for each statement, and fails with its error.
type watched struct {
	*duckdb.Conn
	before func(sql string) error
}

func (w *watched) Exec(ctx context.Context, sql string) error {
	if err := w.before(sql); err != nil {
		return err
	}
	return w.Conn.Exec(ctx, sql)
}

func (w *watched) ExecTogether(ctx context.Context, statements []string) error {
	for _, sql := range append(slices.Clone(statements), "COMMIT") {
		if err := w.before(sql); err != nil {
			return err
		}
	}
	return w.Conn.ExecTogether(ctx, statements)
}

// TestGroupCommit: transactions that wait for a commit share the next one. What one of them
// cannot write does not fail the others.
func TestGroupCommit(t *testing.T) {
	for _, c := range []struct {
		waiting    []string
		writes     int
		after, bad string
	}{
		{waiting: []string{"b", "c", "d"}, writes: 1, after: "a b c d s"},
		{waiting: []string{"b", "bad", "d"}, writes: 2, after: "a b d s", bad: "bad"},
	} {
		h := openHouse(t, t.TempDir())
		sessions := map[string]*session{}
		for _, name := range append(c.waiting, "a") {
			sessions[name] = h.session()
			sessions[name].temp.PutSchema(&workspace.Schema{Name: name})
		}
		var all sync.WaitGroup
		commit := func(name string, before func(sql string) error) {
			s := sessions[name]
			all.Go(func() {
				err := s.temp.CommitStore(t.Context(), &watched{s.conn, before})
				if (err != nil) != (name == c.bad) {
					t.Errorf("commit of %s: got %v", name, err)
				}
			})
		}
		within, wait, writes := make(chan bool), make(chan bool), 0
		commit("a", func(sql string) error {
			if sql == "COMMIT" {
				close(within)
				<-wait
			}
			return nil
		})
		<-within
		for _, name := range c.waiting {
			commit(name, func(sql string) error {
				if strings.Contains(sql, "'bad'") {
					return errors.New("no")
				}
				if sql == "COMMIT" { // one at a time
					writes++
				}
				return nil
			})
		}
		for h.store.Waiting() < len(c.waiting) && t.Context().Err() == nil {
			continue
		}
		close(wait)
		all.Wait()
		if writes != c.writes {
			t.Errorf("%v were committed by %d writes, want %d", c.waiting, writes, c.writes)
		}
		again := openHouse(t, h.crash())
		s := again.session()
		schemas := s.temp.Shared().Schemas()
		if slices.Sort(schemas); strings.Join(schemas, " ") != c.after {
			t.Errorf("after a crash there are the schemas %v, want %s", schemas, c.after)
		}
		s.conn.Close()
		again.close()
		for _, s := range sessions {
			s.conn.Close()
		}
	}
}

// TestACommitOutlivesADropThatFails: the heap of a dropped table stays until the file is opened
// again, and the commit that was to drop it takes place.
func TestACommitOutlivesADropThatFails(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	heap := s.table().Heap
	s.temp.Remove(s.table())
	s.end(true)
	s.temp.PutSchema(&workspace.Schema{Name: "more"})
	tried := false
	err := s.temp.CommitStore(t.Context(), &watched{s.conn, func(sql string) error {
		if strings.HasPrefix(sql, "DROP") {
			tried = true
			return errors.New("no")
		}
		return nil
	}})
	if err != nil || !tried {
		t.Errorf("got %v, the drop was tried: %t", err, tried)
	}
	s.end(true)
	if s.temp.Shared().Schema("more") == nil {
		t.Error("the commit did not take place")
	}
	exists := func(s *session) bool {
		return s.conn.Exec(t.Context(), heap.Source(s.temp.Snapshot(false), nil)) == nil
	}
	if !exists(s) {
		t.Error("the heap is gone, although nothing dropped it")
	}
	dir := h.crash()
	s.conn.Close()
	again := openHouse(t, dir)
	defer again.close()
	s = again.session()
	defer s.conn.Close()
	if exists(s) && s.table().Heap.Rows() != 0 {
		t.Error("the heap is still there after the file was opened again")
	}
}

// TestAnObjectHasOneRecord: of a name that is given away and taken again within a transaction
// the file has the last object, whatever its kind, also with names that look like another's.
func TestAnObjectHasOneRecord(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	put := func(name string) {
		table := *s.table()
		table.Name = name
		s.temp.Put(&table)
	}
	remove := func(name string) { s.temp.Remove(s.temp.Table("s", name)) }
	for _, name := range []string{"a.b", "a", "x"} {
		put(name)
	}
	s.end(true)
	remove("a")
	put("a")
	remove("a.b")
	put("y")
	remove("y")
	remove("x")
	s.temp.PutView(&workspace.View{Schema: "s", Name: "x", Text: "SELECT 1"})
	s.temp.PutView(&workspace.View{Schema: "s", Name: "x", Text: "SELECT 2"})
	s.end(true)
	dir := h.crash()
	s.conn.Close()
	again := openHouse(t, dir)
	defer again.close()
	s = again.session()
	defer s.conn.Close()
	var names []string
	for _, table := range s.temp.Shared().All() {
		names = append(names, table.Name)
	}
	if got := strings.Join(names, " "); got != "a t" {
		t.Errorf("there are the tables %s", got)
	}
	if v := s.temp.Shared().View("s", "x"); v == nil || v.Text != "SELECT 2" {
		t.Errorf("the view is %+v", v)
	}
}
