package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/spool"
	"github.com/ontosql/ontosql/resolver"
)

// Problem is an error in a line.
type Problem struct {
	File string
	Line int // from 1
	Err  error
}

func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %v", p.File, p.Line, p.Err) }

// InvalidError lists the lines that cannot be imported.
type InvalidError struct {
	Problems []Problem
	More     int // number of further problems
}

func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// maxProblems bounds InvalidError.Problems.
const maxProblems = 10

// maxLine bounds the length of a line, as for COPY (PRODUCT "Users").
const maxLine = 256 << 20

// Records are the records of an import, checked against the schema. Rows are in memory if
// there are few, otherwise in temporary files; identities and a few numbers for each are in
// memory.
type Records struct {
	pin     *resolver.Pin
	types   map[ontosql.TypeRef]*batch
	files   []string
	invalid InvalidError
}

// batch are the records of one type.
type batch struct {
	*recordChecker
	rows      *spool.Spool
	out       *bufio.Writer
	entries   []entry
	places    map[string]int32 // indexes of the entries, by identity
	missing   map[string]Missing
	size      int64 // size of out
	text      []byte
	rowReader bufio.Reader // for reading single rows
}

// entry is one record of a batch.
type entry struct {
	offset     int64            // of its row in out
	stored     ontosql.CommitID // commit of the stored version, 0 for none
	file, line int32
	same       bool // the stored version has the same values
	write      bool // to be written
}

// ReadRecords reads files of records and checks each against the type's schema at pin,
// including what SQL declares. The caller closes the result. An *InvalidError lists the
// invalid lines; other errors are the operating system's. progress, if not nil, is called with
// the bytes read.
func ReadRecords(ctx context.Context, pin *resolver.Pin, paths []string, temp string, progress func(done, total int)) (*Records, error) {
	r := &Records{pin: pin, types: map[ontosql.TypeRef]*batch{}, files: paths}
	count := &counter{report: progress}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		count.total += int(info.Size())
	}
	for i := range paths {
		if err := r.readFile(ctx, i, temp, count); err != nil {
			r.Close()
			return nil, err
		}
	}
	for _, b := range r.types {
		if err := b.out.Flush(); err != nil {
			r.Close()
			return nil, err
		}
	}
	if len(r.invalid.Problems) > 0 {
		r.Close()
		return nil, &r.invalid
	}
	count.end()
	return r, nil
}

// Close removes the temporary files.
func (r *Records) Close() {
	for _, b := range r.types {
		b.rows.Close()
	}
}

func (r *Records) readFile(ctx context.Context, file int, temp string, count *counter) error {
	f, err := os.Open(r.files[file])
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	for number := 1; ; number++ {
		if ctx.Err() != nil {
			return objstore.ContextError(ctx)
		}
		line, err := readLine(in)
		count.add(len(line))
		switch {
		case errors.Is(err, errLongLine):
			r.problem(file, number, err)
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if bad := r.add(line, file, number, temp); bad != nil {
				var failed *os.PathError
				if errors.As(bad, &failed) {
					return bad
				}
				r.problem(file, number, bad)
			}
		}
		if err != nil {
			return nil
		}
	}
}

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// readLine reads up to and including the next newline; io.EOF is returned with the last line.
func readLine(in *bufio.Reader) ([]byte, error) {
	var long []byte
	for {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) && len(long)+len(part) <= maxLine {
			long = append(long, part...)
			continue
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, errLongLine
		}
		if long == nil {
			return part, err
		}
		return append(long, part...), err
	}
}

func (r *Records) problem(file, line int, err error) {
	if len(r.invalid.Problems) == maxProblems {
		r.invalid.More++
		return
	}
	r.invalid.Problems = append(r.invalid.Problems, Problem{r.files[file], line, err})
}

// add adds a line.
func (r *Records) add(line []byte, file, number int, temp string) error {
	rec, err := parseRecord(line)
	if err != nil {
		return err
	}
	b := r.types[rec.ref]
	if b == nil {
		t, ok := r.pin.Catalog.Type(rec.ref)
		if !ok {
			return fmt.Errorf("%s is not registered", rec.ref)
		}
		schema, err := schemaOf(r.pin, rec.ref)
		if err != nil {
			return err
		}
		b = &batch{recordChecker: newRecordChecker(t, schema), rows: spools(temp).New(), places: map[string]int32{}, missing: map[string]Missing{}}
		b.out = bufio.NewWriterSize(b.rows, 1<<20)
		r.types[rec.ref] = b
	}
	if err := b.toRow(&rec); err != nil {
		return err
	}
	key := string(appendIdentity(nil, &rec.row))
	if first, twice := b.places[key]; twice {
		e := b.entries[first]
		return fmt.Errorf("%s %q also occurs at %s:%d", rec.ref, identity(rec.ref.Kind, &rec.row), r.files[e.file], e.line)
	}
	b.places[key] = int32(len(b.entries))
	b.entries = append(b.entries, entry{offset: b.size, file: int32(file), line: int32(number)})
	b.text = appendRow(b.text[:0], &rec.row)
	b.size += int64(len(b.text))
	_, err = b.out.Write(b.text)
	return err
}

// appendIdentity appends an injective encoding of a row's keys.
func appendIdentity(dst []byte, r *format.Row) []byte {
	for _, key := range []string{r.Key, r.Left, r.Right} {
		dst = append(fmt.Appendf(dst, "%d:", len(key)), key...)
	}
	return append(dst, r.Instance...)
}

// batches returns the batches of all types, entities first, then by name.
func (r *Records) batches() []*batch {
	all := make([]*batch, 0, len(r.types))
	for _, b := range r.types {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *batch) int { return a.typ.Ref.Compare(b.typ.Ref) })
	return all
}

// row reads one row from out.
func (b *batch) row(at int64) (format.Row, error) {
	b.rowReader.Reset(io.NewSectionReader(b.rows, at, b.rows.Size()-at))
	return readRow(&b.rowReader)
}
