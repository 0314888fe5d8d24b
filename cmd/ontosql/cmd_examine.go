package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite/check"
)

// examinedCommit is the original's object of commits examine (COMPAT 7).
type examinedCommit struct {
	commitLine
	Changes []commitChange `json:"changes"`
}

// commitChange is what a commit did to one identity: to an entity with Key, or to
// a relation with the other three.
type commitChange struct {
	Kind      string  `json:"kind"`
	Type      string  `json:"type_name"`
	Key       *string `json:"key,omitempty"`
	Left      *string `json:"left_key,omitempty"`
	Right     *string `json:"right_key,omitempty"`
	Instance  *string `json:"instance_key,omitempty"`
	Operation string  `json:"operation"` // "insert" or "update_version"
}

func newChange(ref ontosql.TypeRef, key []string, insert bool) commitChange {
	c := commitChange{Kind: ref.Kind.String(), Type: ref.Name, Operation: "update_version"}
	if insert {
		c.Operation = "insert"
	}
	if ref.Kind == ontosql.Entity {
		c.Key = &key[0]
	} else {
		c.Left, c.Right, c.Instance = &key[0], &key[1], &key[2]
	}
	return c
}

func (p *program) examineCommand() *cobra.Command {
	var id int64
	cmd := &cobra.Command{
		Use:     "examine",
		Short:   "one commit, and what it did to each entity and relation",
		Example: "  ontosql commits examine --storage-uri /srv/onto --id 42 --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !p.cfg.given(cmd, "id") {
				return usagef("commits examine: want the --id of a commit")
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			return p.examine(cmd.Context(), a, ontosql.CommitID(id))
		},
	}
	cmd.Flags().Int64Var(&id, "id", 0, "the `commit`")
	return cmd
}

// examine prints a commit and its changes.
func (p *program) examine(ctx context.Context, a address, id ontosql.CommitID) error {
	commit, err := p.examined(ctx, a, id)
	if err != nil {
		return err
	}
	return p.printExamined(commit)
}

func (p *program) examined(ctx context.Context, a address, id ontosql.CommitID) (*examinedCommit, error) {
	commit, err := p.examineStore(ctx, a, id)
	if err != nil || a.backend != "sqlite" {
		return commit, err
	}
	changes, err := check.Changes(ctx, a.path, id)
	if err != nil {
		return nil, &executionError{fmt.Errorf("commits examine: %w", err)}
	}
	for _, c := range changes {
		commit.Changes = append(commit.Changes, newChange(c.Type, c.Key, c.Insert))
	}
	return commit, nil
}

// examineStore says of a commit what its store says; the changes of one in a SQLite
// file are missing, which is opened once at a time.
func (p *program) examineStore(ctx context.Context, a address, id ontosql.CommitID) (*examinedCommit, error) {
	s, err := p.cfg.openStore(ctx, a, p.log)
	if err != nil {
		return nil, err
	}
	defer s.close()
	pin, err := s.store.Pin(ctx)
	if err != nil {
		return nil, &openError{err}
	}
	e := pin.View.Commit(id)
	if e == nil {
		return nil, fmt.Errorf("commits examine: there is no commit %d", id)
	}
	commit := &examinedCommit{commitLine: newCommitLine(e), Changes: []commitChange{}}
	if a.backend != "sqlite" {
		commit.Changes, err = s.changes(ctx, pin, e)
	}
	return commit, err
}

// changes are the changes of a commit, in the order of its files and their rows, including
// types that were dropped later.
func (s *store) changes(ctx context.Context, pin *resolver.Pin, e *chain.Entry) ([]commitChange, error) {
	changes := []commitChange{}
	for i := range e.Manifest.Files {
		ref := e.Manifest.Files[i].Ref()
		var rows []format.Row
		err := s.identities(ctx, e.Manifest.Files[i:i+1], func(r *format.Row) { rows = append(rows, *r) })
		if err != nil {
			return nil, err
		}
		fresh := make(map[string]bool, len(rows))
		for k := range rows {
			fresh[identityOf(&rows[k])] = true
		}
		if err := s.forget(ctx, pin, e, ref, fresh); err != nil {
			return nil, err
		}
		for k := range rows {
			key := []string{rows[k].Key}
			if ref.Kind == ontosql.Relation {
				key = []string{rows[k].Left, rows[k].Right, rows[k].Instance}
			}
			changes = append(changes, newChange(ref, key, fresh[identityOf(&rows[k])]))
		}
	}
	return changes, nil
}

func identityOf(r *format.Row) string {
	return strings.Join([]string{r.Key, r.Left, r.Right, r.Instance}, "\x00")
}

// filesAtATime is how many files are fetched together.
const filesAtATime = 32

// forget removes the identities of a type that were there before a commit, from
// the newest file to the oldest and no further than its drop.
func (s *store) forget(ctx context.Context, pin *resolver.Pin, e *chain.Entry, ref ontosql.TypeRef, fresh map[string]bool) error {
	var files []format.File
	if !slices.Contains(e.Drops(), ref) {
		for id := e.ID - 1; id > 0; id-- {
			before := pin.View.Commit(id)
			for _, f := range before.Manifest.Files {
				if f.Ref() == ref {
					files = append(files, f)
				}
			}
			if slices.Contains(before.Drops(), ref) {
				break
			}
		}
	}
	for some := range slices.Chunk(files, filesAtATime) {
		if len(fresh) == 0 {
			return nil
		}
		if err := s.identities(ctx, some, func(r *format.Row) { delete(fresh, identityOf(r)) }); err != nil {
			return err
		}
	}
	return nil
}

// identities reads those of the rows of files.
func (s *store) identities(ctx context.Context, files []format.File, each func(*format.Row)) error {
	blobs := make([]diskcache.Blob, len(files))
	for i, f := range files {
		blobs[i] = diskcache.Blob{Key: f.Path, SHA256: f.ContentSHA256}
	}
	lease, err := s.cache.Fetch(ctx, s.bucket, blobs)
	if err != nil {
		return &executionError{fmt.Errorf("commits examine: %w", err)}
	}
	defer lease.Release()
	for i, path := range lease.Paths() {
		if err := format.ReadIdentities(path, each); err != nil {
			return &executionError{fmt.Errorf("commits examine: %s: %w", files[i].Path, err)}
		}
	}
	return nil
}

func (p *program) printExamined(c *examinedCommit) error {
	if p.cfg.JSON {
		return printJSON(p.out, c)
	}
	fmt.Fprintf(p.out, "commit_id: %d\ntimestamp: %s\noperations: %d\nmeta: %s\n", c.CommitID, c.Timestamp, c.Operations, c.Meta)
	var rows [][]string
	for _, change := range c.Changes {
		key := ""
		if change.Key != nil {
			key = *change.Key
		} else {
			key = *change.Left + " -> " + *change.Right
			if *change.Instance != "" {
				key += " (" + *change.Instance + ")"
			}
		}
		rows = append(rows, []string{change.Kind, change.Type, key, change.Operation})
	}
	printTable(p.out, []string{"kind", "type_name", "key", "operation"}, rows)
	return nil
}
