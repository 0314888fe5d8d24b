package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"iter"
	"reflect"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

// compare compares a copy with its source as readers see them: the types with all their
// versions, the commits, and the rows that each commit wrote to each type. Commits only add
// rows, so that two histories are equal at every point if every commit added the same rows.
func compare(ctx context.Context, source, target Source, count *counter, done *Copied) error {
	a, b := source.Pin(), target.Pin()
	if a.Engine != b.Engine || a.Head.Commit != b.Head.Commit {
		return &mismatch{fmt.Sprintf("engine %s at commit %d, not %s at commit %d", b.Engine, b.Head.Commit, a.Engine, a.Head.Commit)}
	}
	if err := compareTypes(a.Catalog, b.Catalog); err != nil {
		return err
	}
	if err := compareCommits(a, b); err != nil {
		return err
	}
	next, stop := iter.Pull2(sumByCommit(ctx, source))
	defer stop()
	for theirs, err := range sumByCommit(ctx, target) {
		if err != nil {
			return fmt.Errorf("read back: %w", err)
		}
		ours, err, more := next()
		if err != nil {
			return err
		}
		if !more || ours.commit != theirs.commit || !reflect.DeepEqual(ours.sums, theirs.sums) {
			return &mismatch{fmt.Sprintf("the rows of commit %d", theirs.commit)}
		}
		count.add(ours.rows)
	}
	if ours, err, more := next(); err != nil || more {
		if err == nil {
			err = &mismatch{fmt.Sprintf("the rows of commit %d", ours.commit)}
		}
		return err
	}
	done.Types, done.Points = len(a.Catalog.Types), int(a.Head.Commit)
	count.end()
	return nil
}

// compareTypes compares what clients see of the types.
func compareTypes(a, b *catalog.Catalog) error {
	if len(a.Types) != len(b.Types) {
		return &mismatch{fmt.Sprintf("%d types, not %d", len(b.Types), len(a.Types))}
	}
	for i, x := range a.Types {
		y := b.Types[i]
		same := x.Ref == y.Ref && x.Table == y.Table && x.SchemaID == y.SchemaID && x.Comment == y.Comment && x.Floor == y.Floor &&
			x.Left == y.Left && x.Right == y.Right && x.InstanceKey == y.InstanceKey && len(x.Versions) == len(y.Versions) &&
			reflect.DeepEqual(x.Columns, y.Columns)
		for k := 0; same && k < len(x.Versions); k++ {
			v, w := x.Versions[k], y.Versions[k]
			same = v.CreatedAt.Equal(w.CreatedAt) && format.Equal([]byte(v.JSON), []byte(w.JSON)) &&
				v.ID == w.ID && v.Hash == w.Hash && v.Reason == w.Reason && v.RuntimeID == w.RuntimeID
		}
		if !same {
			return &mismatch{"the type " + x.Ref.String()}
		}
	}
	return nil
}

// compareCommits compares times and metadata.
func compareCommits(a, b *resolver.Pin) error {
	for id := ontosql.CommitID(1); id <= a.Head.Commit; id++ {
		x, y := a.View.Commit(id).Manifest, b.View.Commit(id).Manifest
		ours, theirs := metadataOf(x), metadataOf(y)
		same := x.CreatedAt.Equal(y.CreatedAt.Time) && len(ours) == len(theirs)
		for name, text := range ours {
			same = same && bytes.Equal(text, theirs[name])
		}
		if !same {
			return &mismatch{fmt.Sprintf("commit %d", id)}
		}
	}
	return nil
}

// commitSums has the checksums of the rows that one commit wrote, by type.
type commitSums struct {
	commit ontosql.CommitID
	rows   int
	sums   map[ontosql.TypeRef]string
}

// sumByCommit computes the checksums of each commit of a source. The order of the rows of a
// type matters: of two with the same identity the last one wins (decision A15).
func sumByCommit(ctx context.Context, src Source) iter.Seq2[commitSums, error] {
	return func(yield func(commitSums, error) bool) {
		var of ontosql.CommitID
		rows := 0
		sums := map[ontosql.TypeRef]hash.Hash{}
		flush := func() bool {
			if rows == 0 {
				return true
			}
			w := commitSums{of, rows, map[ontosql.TypeRef]string{}}
			for ref, h := range sums {
				w.sums[ref] = string(h.Sum(nil))
			}
			rows = 0
			clear(sums)
			return yield(w, nil)
		}
		var text []byte
		for row, err := range src.Rows(ctx, nil, 0, src.Pin().Head.Commit) {
			if err != nil {
				yield(commitSums{}, err)
				return
			}
			if row.Fields, err = format.Canonicalize(row.Fields); err != nil {
				yield(commitSums{}, row.damaged(err))
				return
			}
			if row.Commit != of && !flush() {
				return
			}
			of = row.Commit
			if sums[row.Type] == nil {
				sums[row.Type] = sha256.New()
			}
			text = appendRow(text[:0], &row.Row)
			sums[row.Type].Write(text)
			rows++
		}
		flush()
	}
}
