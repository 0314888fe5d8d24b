package transfer

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/spool"
)

// sorter sorts rows that may not fit into memory: sorted runs are written to temporary files
// and merged. The sort is stable.
type sorter struct {
	compare  func(a, b *format.Row) int
	dir      string // for the temporary files
	maxBytes int    // maximum size of the rows in memory

	rows []format.Row
	size int
	runs []*spool.Spool
}

// byIdentity orders rows by key, bytewise.
func byIdentity(a, b *format.Row) int {
	return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Left, b.Left), strings.Compare(a.Right, b.Right), strings.Compare(a.Instance, b.Instance))
}

// byCommit orders rows by commit and then by key.
func byCommit(a, b *format.Row) int {
	return cmp.Or(cmp.Compare(a.Commit, b.Commit), byIdentity(a, b))
}

// rowBytes estimates a row's size in memory.
func rowBytes(r *format.Row) int {
	return 128 + len(r.Key) + len(r.Left) + len(r.Right) + len(r.Instance) + len(r.Fields)
}

// add adds a row; the sorter owns it from then on.
func (s *sorter) add(r *format.Row) error {
	s.rows = append(s.rows, *r)
	if s.size += rowBytes(r); s.size < s.maxBytes {
		return nil
	}
	return s.spill()
}

// spill writes the rows in memory as a run.
func (s *sorter) spill() error {
	slices.SortStableFunc(s.rows, func(a, b format.Row) int { return s.compare(&a, &b) })
	run := spools(s.dir).New()
	s.runs = append(s.runs, run)
	out := bufio.NewWriterSize(run, 1<<20)
	var text []byte
	for i := range s.rows {
		text = appendRow(text[:0], &s.rows[i])
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	clear(s.rows)
	s.rows, s.size = s.rows[:0], 0
	return out.Flush()
}

// each calls visit for all rows in order. It may be called once.
func (s *sorter) each(visit func(*format.Row) error) error {
	slices.SortStableFunc(s.rows, func(a, b format.Row) int { return s.compare(&a, &b) })
	m := merge{compare: s.compare}
	for i, run := range s.runs {
		in := bufio.NewReaderSize(io.NewSectionReader(run, 0, run.Size()), 256<<10)
		if err := m.join(&mergeInput{number: i, next: func() (format.Row, error) { return readRow(in) }}); err != nil {
			return err
		}
	}
	at := 0
	err := m.join(&mergeInput{number: len(s.runs), next: func() (format.Row, error) {
		if at == len(s.rows) {
			return format.Row{}, io.EOF
		}
		at++
		return s.rows[at-1], nil
	}})
	for err == nil && len(m.branches) > 0 {
		b := m.branches[0]
		row := b.row
		if b.row, err = b.next(); err == nil {
			heap.Fix(&m, 0)
		} else if errors.Is(err, io.EOF) {
			heap.Pop(&m)
			err = nil
		}
		if err == nil {
			err = visit(&row)
		}
	}
	return err
}

// close removes the temporary files.
func (s *sorter) close() {
	for _, run := range s.runs {
		run.Close()
	}
}

// mergeInput is one sorted input of a merge.
type mergeInput struct {
	number int // on equal rows the lower number comes first
	row    format.Row
	next   func() (format.Row, error)
}

// merge is a heap of inputs, ordered by their next row.
type merge struct {
	compare  func(a, b *format.Row) int
	branches []*mergeInput
}

// join adds an input, unless it is empty.
func (m *merge) join(b *mergeInput) (err error) {
	if b.row, err = b.next(); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return err
	}
	heap.Push(m, b)
	return nil
}

// Len implements heap.Interface.
func (m *merge) Len() int { return len(m.branches) }

// Less implements heap.Interface.
func (m *merge) Less(i, j int) bool {
	a, b := m.branches[i], m.branches[j]
	return cmp.Or(m.compare(&a.row, &b.row), a.number-b.number) < 0
}

// Swap implements heap.Interface.
func (m *merge) Swap(i, j int) { m.branches[i], m.branches[j] = m.branches[j], m.branches[i] }

// Push implements heap.Interface.
func (m *merge) Push(x any) { m.branches = append(m.branches, x.(*mergeInput)) }

// Pop implements heap.Interface.
func (m *merge) Pop() any {
	last := m.branches[len(m.branches)-1]
	m.branches = m.branches[:len(m.branches)-1]
	return last
}
