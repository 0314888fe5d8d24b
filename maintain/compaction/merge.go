package compaction

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/spool"
)

// input is one file to be merged: a commit's, or a snapshot.
type input struct {
	key    string
	sha256 string       // of a commit's file, if the manifest has it
	files  []chain.File // whose rows it has
}

// merge writes the snapshot of a run of inputs, in their order, and uploads it. It returns the
// number of bytes. On an error nothing is uploaded.
func (s Store) merge(ctx context.Context, t *catalog.Type, run *run, progress func(rows int64)) (int64, error) {
	fields, err := fieldsOf(t)
	if err != nil {
		return 0, err
	}
	file, err := s.spools().File()
	if err != nil {
		return 0, err
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	size, err := format.WriteSnapshot(out, t.Ref, fields, run.Rows, s.rows(ctx, run, progress))
	if err != nil {
		return 0, err
	}
	if err := out.Flush(); err != nil {
		return 0, fmt.Errorf("write snapshot: %w", err)
	}
	if _, err := s.Bucket.Upload(ctx, run.entry.Path, file, size); err != nil {
		return 0, fmt.Errorf("upload snapshot: %w", err)
	}
	return size, nil
}

// fieldsOf returns the fields that have a column in a snapshot of the type: those of the current
// schema version, and those that only older versions have, under the names that they had. The
// columns have what rows of any version have under the name.
func fieldsOf(t *catalog.Type) ([]format.DataField, error) {
	var fields []format.DataField
	seen := map[string]bool{}
	for i := len(t.Versions) - 1; i >= 0; i-- {
		v := &t.Versions[i]
		schema, err := v.Schema(t.Ref)
		if err != nil {
			return nil, err
		}
		for _, f := range t.DataFields(v.ID, schema.Fields) {
			if seen[f.Name] {
				continue
			}
			if seen[f.Name] = true; i < len(t.Versions)-1 {
				f.ID = 0 // a column of the current version may have it
			}
			fields = append(fields, f)
		}
	}
	return fields, nil
}

// rows reads the rows of all inputs, in a goroutine of its own: decoding takes as long as encoding.
// Files are fetched ahead.
func (s Store) rows(ctx context.Context, run *run, progress func(rows int64)) iter.Seq2[format.Row, error] {
	return func(yield func(format.Row, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		batches, failed := make(chan batch, 2), make(chan error, 1)
		go func() {
			defer close(batches)
			failed <- s.read(ctx, run, batches)
		}()
		defer func() {
			cancel()
			for range batches { // until the goroutine has ended
			}
		}()
		for b := range batches {
			for i := range b.rows {
				if !yield(b.rows[i], nil) {
					return
				}
			}
			if b.done > 0 {
				progress(b.done)
			}
		}
		if err := <-failed; err != nil {
			yield(format.Row{}, err)
		}
	}
}

// batch is some rows of a run, and the number of rows of the files that end with it.
type batch struct {
	rows []format.Row
	done int64
}

// read sends the rows of a run.
func (s Store) read(ctx context.Context, run *run, to chan<- batch) error {
	send := func(b batch) error {
		select {
		case to <- b:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	fetch := func(ctx context.Context, in input) (*spool.Spool, error) {
		body, _, err := s.spools().Fetch(ctx, s.Bucket, in.key, in.sha256)
		return body, err
	}
	return spool.Prefetch(ctx, run.inputs, fetch, func(in input, body *spool.Spool) error {
		check := newRowCheck(&in)
		err := format.Batches(ctx, body, body.Size(), func(rows []format.Row) error {
			for i := range rows {
				if err := check.add(&rows[i]); err != nil {
					return err
				}
			}
			return send(batch{rows: rows})
		})
		if errors.Is(err, format.ErrDamagedFile) {
			return &ontosql.CorruptError{Key: in.key, Err: err}
		}
		if err == nil {
			err = check.end()
		}
		if err != nil {
			return err
		}
		return send(batch{done: rowsOf(in.files)})
	})
}

// rowCheck compares the rows of an input with the manifests: each commit has as many rows as they
// say, and the commits are in order.
type rowCheck struct {
	in   *input
	last ontosql.CommitID
	left map[ontosql.CommitID]int64 // rows of each commit that have not come
}

func newRowCheck(in *input) *rowCheck {
	c := &rowCheck{in: in, left: make(map[ontosql.CommitID]int64, len(in.files))}
	for _, f := range in.files {
		c.left[f.Commit] += f.RowCount
	}
	return c
}

func (c *rowCheck) add(row *format.Row) error {
	left, known := c.left[row.Commit]
	switch {
	case !known:
		return ontosql.Corrupt(c.in.key, "commit_id", "has a row of commit %d", row.Commit)
	case left == 0:
		return ontosql.Corrupt(c.in.key, "row_count", "has more rows of commit %d than its manifest says", row.Commit)
	case row.Commit < c.last:
		return ontosql.Corrupt(c.in.key, "commit_id", "has a row of commit %d behind one of commit %d", row.Commit, c.last)
	}
	c.last, c.left[row.Commit] = row.Commit, left-1
	return nil
}

func (c *rowCheck) end() error {
	for _, f := range c.in.files {
		if n := c.left[f.Commit]; n > 0 {
			return ontosql.Corrupt(c.in.key, "row_count", "has %d rows of commit %d less than its manifest says", n, f.Commit)
		}
	}
	return nil
}
