package transfer

import (
	"fmt"
	"iter"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/spool"
	"github.com/ontosql/ontosql/resolver"
)

// encoded has the objects of one commit.
type encoded struct {
	keys        []string
	files       []*spool.Spool
	manifestKey string
	manifest    []byte
}

func (e *encoded) close() {
	for _, f := range e.files {
		f.Close()
	}
}

// typeVersion is a type and one of its schema versions, 0 if unknown.
type typeVersion struct {
	ref     ontosql.TypeRef
	version int64
}

// schemaFields returns the fields with typed columns, by type and version.
func schemaFields(pin *resolver.Pin) map[typeVersion][]format.DataField {
	all := map[typeVersion][]format.DataField{}
	for _, t := range pin.Catalog.Types {
		for _, v := range t.Versions {
			schema, err := format.DecodeSchema(format.VersionsKey(t.Ref), "versions", []byte(v.JSON))
			if err != nil {
				continue // typed columns are optional
			}
			fields := slices.DeleteFunc(schema.Fields, func(f format.SchemaField) bool { return format.Reserved(t.Ref.Kind, f.Name) })
			all[typeVersion{t.Ref, v.ID}] = t.DataFields(v.ID, fields)
		}
	}
	return all
}

// encoder encodes the files of one commit: one per type, and on engine v2 one per type and
// schema version.
type encoder struct {
	copy    *bucketCopy
	id      ontosql.CommitID
	schemas map[typeVersion][]format.DataField
	files   []*dataFile
}

// add adds a row.
func (e *encoder) add(row *Stored) error {
	fields, err := format.Canonicalize(row.Fields)
	if err != nil {
		return row.damaged(err)
	}
	row.Fields = fields
	of := typeVersion{row.Type, row.SchemaVersionID}
	i := slices.IndexFunc(e.files, func(f *dataFile) bool {
		return f.of == of || f.of.ref == of.ref && e.copy.pin.Engine == format.EngineV1
	})
	if i < 0 {
		i = len(e.files)
		e.files = append(e.files, newDataFile(of, e.schemas[of], e.copy.Temp))
	}
	return e.files[i].add(&row.Row)
}

// finish completes the files and encodes the manifest. The caller closes the result, even
// after an error.
func (e *encoder) finish() (*encoded, error) {
	c := e.copy
	entry := c.pin.View.Commit(e.id)
	attempt := c.attempt(e.id)
	m := &format.Manifest{
		CommitID: e.id, CreatedAt: entry.Manifest.CreatedAt, Metadata: metadataOf(entry.Manifest),
		Files: []format.File{}, RuntimeID: unknownRuntime,
	}
	if e.id > 1 {
		parent, path := e.id-1, c.manifestKey(e.id-1)
		m.ParentCommitID, m.ParentManifestPath = &parent, &path
	}
	out := &encoded{manifestKey: c.manifestKey(e.id)}
	slices.SortStableFunc(e.files, func(a, b *dataFile) int { return int(a.of.ref.Kind) - int(b.of.ref.Kind) }) // entities first (COMPAT 3.1)
	var failed error
	for _, f := range e.files {
		w, err := f.end()
		if err != nil && failed == nil {
			failed = fmt.Errorf("encode %s of commit %d: %w", f.of.ref, e.id, err)
		}
		file := format.File{
			ContentSHA256: w.SHA256, Kind: f.of.ref.Kind.String(), RowCount: w.Rows, TypeName: f.of.ref.Name,
			Path: format.DataKey(c.pin.Engine, e.id, attempt, f.of.ref, f.of.version),
		}
		if f.of.version != 0 && !f.mixed {
			file.SchemaVersionID = &f.of.version
		}
		m.Files = append(m.Files, file)
		out.keys, out.files = append(out.keys, file.Path), append(out.files, f.out)
	}
	if failed != nil {
		return out, failed
	}
	var err error
	out.manifest, err = format.EncodeManifest(m)
	return out, err
}

// dataFile is a Parquet file that is written as rows are added.
type dataFile struct {
	of       typeVersion
	mixed    bool // it has rows of other versions
	out      *spool.Spool
	rows     chan *format.Row
	consumed chan struct{} // signals that a row was written
	done     chan struct{} // closed when w and err are set
	w        format.Written
	err      error
}

func newDataFile(of typeVersion, fields []format.DataField, temp string) *dataFile {
	f := &dataFile{of: of, out: spools(temp).New(), rows: make(chan *format.Row), consumed: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.w, f.err = format.WriteRows(f.out, of.ref, fields, f.sequence())
	}()
	return f
}

// sequence returns the rows as they are added.
func (f *dataFile) sequence() iter.Seq2[format.Row, error] {
	return func(yield func(format.Row, error) bool) {
		for row := range f.rows {
			more := yield(*row, nil)
			if !more {
				return
			}
			f.consumed <- struct{}{}
		}
	}
}

// add writes a row. It may return the error of an earlier row.
func (f *dataFile) add(row *format.Row) error {
	f.mixed = f.mixed || row.SchemaVersionID != f.of.version
	select {
	case f.rows <- row:
	case <-f.done:
		return f.err
	}
	select {
	case <-f.consumed:
		return nil
	case <-f.done:
		return f.err
	}
}

// end completes the file.
func (f *dataFile) end() (format.Written, error) {
	close(f.rows)
	<-f.done
	return f.w, f.err
}
