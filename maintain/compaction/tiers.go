package compaction

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
)

// tiered plans the merges that keep few files of a type: runs of neighbouring files and snapshots
// are merged where they are of similar size.
func (c *compactor) tiered(ctx context.Context, ref ontosql.TypeRef) ([][]input, error) {
	index, damaged, err := c.index(ctx, ref)
	if err != nil {
		return nil, err
	}
	now, err := c.inspect(ctx, c.pin.View, ref, index, damaged)
	if err != nil {
		return nil, err
	}
	var inputs []input
	snapshots := now.snapshots
	for files := c.pin.View.Files(ref, 0, c.pin.Head.Commit); len(files) > 0; {
		n, in := 1, fileInput(files[0])
		if len(snapshots) > 0 && snapshots[0].Covers(files[0].Commit) {
			for n < len(files) && snapshots[0].Covers(files[n].Commit) {
				n++
			}
			in = input{key: snapshots[0].Path, files: files[:n]}
			snapshots = snapshots[1:]
		}
		inputs, files = append(inputs, in), files[n:]
	}
	rows := make([]int64, len(inputs))
	for i := range inputs {
		rows[i] = rowsOf(inputs[i].files)
	}
	var runs [][]input
	for _, tier := range tiers(rows) {
		runs = append(runs, inputs[tier.from:tier.to])
	}
	return runs, nil
}

func fileInput(f chain.File) input {
	return input{key: f.Path, sha256: f.ContentSHA256, files: []chain.File{f}}
}

// tier is a run of neighbouring files, [from, to), and the number of their rows.
type tier struct {
	from, to int
	rows     int64
}

// tiers divides files, of which the numbers of rows are given, into runs so that each run has at
// least twice as many rows as the next: there are at most 1 + log2 of all rows of them. Files of
// equal size are merged as a binary counter adds, so that a row is written again only into a file
// of twice the size, log2 of the number of commits times. A large file is left alone until more
// than half as many rows have come behind it.
func tiers(rows []int64) []tier {
	var stack []tier
	for i, n := range rows {
		stack = append(stack, tier{i, i + 1, max(n, 1)})
		for len(stack) > 1 {
			last, before := stack[len(stack)-1], stack[len(stack)-2]
			if before.rows >= 2*last.rows {
				break
			}
			stack = append(stack[:len(stack)-2], tier{before.from, last.to, before.rows + last.rows})
		}
	}
	return stack
}

// withoutSnapshot returns the run with the files of the commits instead of a snapshot that turned
// out to be damaged. ok is false if err is not about a snapshot of the run.
func (r *run) withoutSnapshot(err error) (_ *run, ok bool) {
	var corrupt *ontosql.CorruptError
	if !errors.As(err, &corrupt) {
		return nil, false
	}
	instead := *r
	instead.inputs = nil
	for _, in := range r.inputs {
		if in.key != corrupt.Key || len(in.files) == 1 {
			instead.inputs = append(instead.inputs, in)
			continue
		}
		ok = true
		for _, f := range in.files {
			instead.inputs = append(instead.inputs, fileInput(f))
		}
	}
	return &instead, ok
}
