package demo_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore/dir"
)

// TestSameHistory: what is written twice reads the same, dates included. Only
// the names of attempts differ.
func TestSameHistory(t *testing.T) {
	first, second := history(t), history(t)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the demo was filled twice (-first +second):\n%s", diff)
	}
	if len(first) == 0 || first[0] != "commit 1 at 2025-01-01T09:00:00.000000+00:00" {
		t.Errorf("the history begins with %q", first[:min(1, len(first))])
	}
}

// history fills a store, checks it, and tells it commit by commit, row by row.
func history(t *testing.T) []string {
	t.Helper()
	root := t.TempDir()
	b, err := dir.Open(root, dir.Options{})
	if err != nil {
		t.Fatalf("open %s: %v", root, err)
	}
	steps := 0
	if err := demo.Fill(t.Context(), b, func(done, _ int) { steps = done }); err != nil {
		t.Fatalf("fill: %v", err)
	}
	maintaintest.Clean(t, b)

	body, _, err := b.Get(t.Context(), format.HeadKey)
	if err != nil {
		t.Fatalf("read head: %v", err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatalf("read head: %v", err)
	}
	if int(head.CommitID) != steps+1 {
		t.Errorf("progress told of %d commits, the head is %d; want one more, which registers the types", steps, head.CommitID)
	}
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatalf("open log: %v", err)
	}
	defer log.Close()
	view, err := log.At(t.Context(), head)
	if err != nil {
		t.Fatalf("read chain: %v", err)
	}
	var lines []string
	for id := ontosql.CommitID(1); id <= head.CommitID; id++ {
		lines = append(lines, commit(t, root, view.Commit(id))...)
	}
	return lines
}

func commit(t *testing.T, root string, e *chain.Entry) []string {
	t.Helper()
	lines := []string{fmt.Sprintf("commit %d at %s", e.ID, e.Manifest.CreatedAt)}
	for _, key := range []string{"actor", "message", format.MetadataSchema} {
		if text, ok := e.Manifest.Metadata[key]; ok {
			lines = append(lines, fmt.Sprintf("%s %s", key, text))
		}
	}
	for i := range e.Manifest.Files {
		f := &e.Manifest.Files[i]
		rows, err := format.ReadRows(filepath.Join(root, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatalf("read %s: %v", f.Path, err)
		}
		for _, r := range rows {
			lines = append(lines, fmt.Sprintf("%s %q %q %q %q v%d %s", f.Ref(), r.Key, r.Left, r.Right, r.Instance, r.SchemaVersionID, r.Fields))
		}
	}
	return lines
}
