package transfer

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/spool"
)

// newestBytes is about how much memory the rows of a Newest use before they go to a file.
const newestBytes = 32 << 20

// Newest has the newest version of each identity that some commits wrote to a type.
type Newest struct{ sorter *sorter }

// ReadNewest reads the versions that the commits in (lower, upper] wrote to a type; only those that
// wanted accepts, which may be nil. What does not fit into memory is kept below temp until Close.
// Errors are those of Source.Rows.
func ReadNewest(ctx context.Context, src Source, ref ontosql.TypeRef, lower, upper ontosql.CommitID, wanted func(*format.Row) bool, temp string) (*Newest, error) {
	n := &Newest{sorter: &sorter{compare: byIdentity, dir: temp, maxBytes: newestBytes}}
	for row, err := range src.Rows(ctx, []ontosql.TypeRef{ref}, lower, upper) {
		if err == nil && (wanted == nil || wanted(&row.Row)) {
			err = n.sorter.add(&row.Row)
		}
		if err != nil {
			n.Close()
			return nil, err
		}
	}
	return n, nil
}

// CompareIdentity orders rows of a type by identity, bytewise.
func CompareIdentity(a, b *format.Row) int { return byIdentity(a, b) }

// Rows returns the rows in the order of CompareIdentity. It can be iterated once.
func (n *Newest) Rows() iter.Seq2[*format.Row, error] {
	return func(yield func(*format.Row, error) bool) {
		var last *format.Row
		err := n.sorter.each(func(row *format.Row) error {
			if last != nil && byIdentity(last, row) != 0 && !yield(last, nil) {
				return errStopped
			}
			newest := *row // of several versions the last one counts, as the sort is stable
			last = &newest
			return nil
		})
		switch {
		case errors.Is(err, errStopped):
		case err != nil:
			yield(nil, err)
		case last != nil:
			yield(last, nil)
		}
	}
}

// Close removes the temporary files.
func (n *Newest) Close() { n.sorter.close() }

// RowList is a list of rows that need not fit into memory. It is written first and then read any
// number of times.
type RowList struct {
	spool *spool.Spool
	out   *bufio.Writer
	text  []byte
	count int
}

// NewRowList returns an empty list, which is kept below temp until Close if it is large.
func NewRowList(temp string) *RowList {
	s := spools(temp).New()
	return &RowList{spool: s, out: bufio.NewWriterSize(s, 256<<10)}
}

// Add appends a row.
func (l *RowList) Add(row *format.Row) error {
	l.count++
	l.text = appendRow(l.text[:0], row)
	_, err := l.out.Write(l.text)
	return err
}

// Len is the number of rows.
func (l *RowList) Len() int { return l.count }

// Rows returns the rows in the order in which they were added.
func (l *RowList) Rows() iter.Seq2[format.Row, error] {
	return func(yield func(format.Row, error) bool) {
		if err := l.out.Flush(); err != nil {
			yield(format.Row{}, err)
			return
		}
		in := bufio.NewReaderSize(io.NewSectionReader(l.spool, 0, l.spool.Size()), 256<<10)
		for {
			row, err := readRow(in)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// Close removes the temporary file.
func (l *RowList) Close() { l.spool.Close() }
