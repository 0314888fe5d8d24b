package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
)

// ExportOptions configures Export.
type ExportOptions struct {
	Dir   string          // output directory, created if missing
	Types []*catalog.Type // types to export, of the source's pin
	// Upper is the commit whose state is exported: the newest version of each identity, in key
	// order. With History it is every version after Lower, in commit order.
	Lower, Upper ontosql.CommitID
	History      bool
	Commits      bool   // records include commit_id
	Temp         string // directory for rows that do not fit into memory while they are sorted
	// Progress, if not nil, is called with the number of versions read and their total.
	Progress func(done, total int)
}

// Exported is one file of an export.
type Exported struct {
	Type ontosql.TypeRef
	File string // path
	Rows int64
}

// sortMemory is the size of the rows, in bytes, that a sort keeps in memory.
const sortMemory = 128 << 20

// Export writes a file of records for each type, an empty one for a type without rows. The
// files are renamed to their final names when all are complete; until then existing files in
// Dir are unchanged. Errors are those of the source and of the operating system.
func Export(ctx context.Context, src Source, o ExportOptions) (_ []Exported, err error) {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("make output directory: %w", err)
	}
	count := &counter{report: o.Progress}
	for _, t := range o.Types {
		_, rows := src.Pin().View.Count(t.Ref, o.Lower, o.Upper)
		count.total += int(rows)
	}
	var files []*os.File
	defer func() {
		for _, f := range files {
			_ = f.Close()
			_ = os.Remove(f.Name()) // does nothing after the rename
		}
	}()
	var done []Exported
	for _, t := range o.Types {
		f, err := os.CreateTemp(o.Dir, ".export-*")
		if err != nil {
			return nil, fmt.Errorf("make output file: %w", err)
		}
		files = append(files, f)
		rows, err := exportType(ctx, src, t, o, f, count)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Ref, err)
		}
		name := filepath.Join(o.Dir, fileName(src.Pin().Catalog, t.Ref))
		if slices.ContainsFunc(done, func(e Exported) bool { return e.File == name }) {
			return nil, fmt.Errorf("%s: another type has the file %s", t.Ref, name)
		}
		done = append(done, Exported{t.Ref, name, rows})
	}
	for i, f := range files {
		if err := errors.Join(f.Chmod(0o644), os.Rename(f.Name(), done[i].File)); err != nil {
			return nil, fmt.Errorf("name output file: %w", err)
		}
	}
	count.end()
	return done, nil
}

// exportType writes the records of one type.
func exportType(ctx context.Context, src Source, t *catalog.Type, o ExportOptions, f *os.File, count *counter) (rows int64, err error) {
	ref := t.Ref
	s := &sorter{compare: byIdentity, dir: o.Temp, maxBytes: sortMemory}
	if o.History {
		s.compare = byCommit
	}
	defer s.close()
	for row, err := range src.Rows(ctx, []ontosql.TypeRef{ref}, o.Lower, o.Upper) {
		if err != nil {
			return 0, err
		}
		if err := s.add(&row.Row); err != nil {
			return 0, err
		}
		count.add(1)
	}
	out := &recordWriter{out: bufio.NewWriterSize(f, 1<<20), typ: t, commits: o.Commits}
	if o.History {
		err = s.each(out.write)
	} else {
		err = newest(s, out.write)
	}
	if out.broken != nil {
		if place := placeOf(ctx, src, ref, out.broken); place != "" {
			err = fmt.Errorf("%s: %w", place, err)
		}
	}
	if err == nil {
		err = out.out.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return out.rows, err
}

// newest calls visit for the last version of each identity. Versions of one identity are in
// commit order and, within a commit, in stored order, so that the last one wins (decision
// A15).
func newest(s *sorter, visit func(*format.Row) error) error {
	var last *format.Row
	err := s.each(func(r *format.Row) error {
		held := last
		last = r
		if held == nil || byIdentity(held, r) == 0 {
			return nil
		}
		return visit(held)
	})
	if err == nil && last != nil {
		err = visit(last)
	}
	return err
}

// recordWriter writes rows as records.
type recordWriter struct {
	out     *bufio.Writer
	typ     *catalog.Type
	commits bool
	rows    int64
	line    []byte
	broken  *format.Row // the row that failed
}

func (w *recordWriter) write(r *format.Row) (err error) {
	if w.line, err = appendRecord(w.line[:0], w.typ, r, w.commits); err != nil {
		w.broken = r
		return err
	}
	w.line = append(w.line, '\n')
	w.rows++
	_, err = w.out.Write(w.line)
	return err
}

// fileName returns the file name of a type, {Type}.jsonl. The original overwrites the file of
// an entity type with that of a relation of the same name; here the relation's file ends in
// _rel. Characters that file names cannot hold are percent-encoded.
func fileName(c *catalog.Catalog, ref ontosql.TypeRef) string {
	name := strings.NewReplacer("%", "%25", "/", "%2F", `\`, "%5C", "\x00", "%00").Replace(ref.Name)
	if _, both := c.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: ref.Name}); both && ref.Kind == ontosql.Relation {
		name += "_rel"
	}
	return name + ".jsonl"
}

// counter reports the progress of a step.
type counter struct {
	report      func(done, total int)
	done, total int
}

// add counts n more.
func (c *counter) add(n int) {
	const often = 1 << 10
	before := c.done
	c.done += n
	if c.report != nil && c.done/often != before/often && c.done < c.total {
		c.report(c.done, c.total)
	}
}

// end reports completion.
func (c *counter) end() {
	if c.report != nil && c.total > 0 {
		c.report(c.total, c.total)
	}
}
