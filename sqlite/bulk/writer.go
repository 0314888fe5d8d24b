package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/codec"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/sqlite/writelock"
)

// Options of a HistoryWriter.
type Options struct {
	Path   string // path of the file, created if missing
	Engine string // format.EngineV1 or format.EngineV2, of a new file
	// Batch is the approximate maximum of rows per transaction; 0 makes everything visible at
	// once at the end.
	Batch int
	// Wait bounds the wait for another writer; 5 s when 0.
	Wait time.Duration
}

// Writer writes a history whose commits have given ids, times and metadata. While its
// transaction is open no other process can write to the file. It is not safe for concurrent
// use.
type Writer struct {
	w     *sqlconn.Writer
	o     Options
	last  ontosql.CommitID
	rows  int // rows in the open transaction
	types map[ontosql.TypeRef]*codec.FieldsEncoder
}

// Open opens a file to append to its history. The caller makes sure that the next commits
// continue it. Errors: *writepath.LeaseHeldError, ErrForeign, and the dictionary's ErrBusy,
// ErrFull, ErrReadOnly and ErrStorage. The caller closes the Writer.
func Open(ctx context.Context, o Options) (*Writer, error) {
	if o.Wait == 0 {
		o.Wait = 5 * time.Second
	}
	w, err := sqlconn.CreateWriter(o.Path, o.Wait)
	if err != nil {
		return nil, err
	}
	h := &Writer{w: w, o: o, types: map[ontosql.TypeRef]*codec.FieldsEncoder{}}
	if err := h.open(ctx); err != nil {
		return nil, errors.Join(sqlconn.StorageError("open "+o.Path, err), h.Close())
	}
	return h, nil
}

func (h *Writer) open(ctx context.Context) error {
	if ctx.Done() != nil {
		h.w.SetInterrupt(ctx.Done())
	}
	if err := h.begin(); err != nil {
		return err
	}
	l := writelock.Holder{Now: time.Now}
	if err := l.Admit(h.w); err != nil {
		return err
	}
	if err := h.tables(); err != nil {
		return err
	}
	last, _, err := h.w.Int64("SELECT max(id) FROM commits")
	h.last = ontosql.CommitID(last)
	return err
}

// begin begins a transaction. It waits for other writers.
func (h *Writer) begin() error {
	until := time.Now().Add(h.o.Wait)
	for {
		err := h.w.Begin(h.o.Wait)
		if !sqlconn.IsBusy(err) || !time.Now().Before(until) {
			return err
		}
	}
}

// tables creates missing tables, including those of events.
func (h *Writer) tables() error {
	if there, err := h.w.HasTable("commits"); err != nil {
		return err
	} else if there {
		return initdb.Upgrade(h.w, format.TimeOf(time.Now()))
	}
	tables := append(dbschema.OntologyTables[:len(dbschema.OntologyTables):len(dbschema.OntologyTables)], dbschema.StorageMeta)
	if h.o.Engine == format.EngineV2 {
		tables = append(tables, dbschema.LayoutCatalog)
	}
	for _, t := range tables {
		if err := dbschema.MakeTable(h.w, t); err != nil {
			return err
		}
	}
	for _, meta := range [][2]string{{"engine_version", h.o.Engine}, {"backend", "sqlite"}} {
		if err := h.w.Exec("INSERT OR REPLACE INTO storage_meta (key, value) VALUES (?, ?)", meta[0], meta[1]); err != nil {
			return err
		}
	}
	return nil
}

// Last returns the last commit, 0 for none.
func (h *Writer) Last() ontosql.CommitID { return h.last }

// Order sets the order of a type's fields in fields_json. Other fields follow.
func (h *Writer) Order(ref ontosql.TypeRef, fields []string) {
	h.types[ref] = codec.NewFieldsEncoder(fields)
}

// Add writes the next commit, without rows.
func (h *Writer) Add(id ontosql.CommitID, created format.Time, metadata map[string]json.RawMessage) error {
	if id != h.last+1 {
		return fmt.Errorf("write history: commit %d does not follow commit %d", id, h.last)
	}
	if h.o.Batch > 0 && h.rows >= h.o.Batch {
		if err := h.commitAndBegin(); err != nil {
			return sqlconn.StorageError("write history", err)
		}
	}
	text, err := codec.MetadataJSON(metadata)
	if err != nil {
		return fmt.Errorf("write history: metadata of commit %d: %w", id, err)
	}
	if err := h.w.Exec("INSERT INTO commits (id, created_at, metadata_json) VALUES (?, ?, ?)", id, created.String(), text); err != nil {
		return sqlconn.StorageError("write history", err)
	}
	h.last = id
	h.rows++
	return nil
}

// commitAndBegin commits the open transaction and begins the next one.
func (h *Writer) commitAndBegin() error {
	if err := h.w.Exec("COMMIT"); err != nil {
		return err
	}
	if err := h.begin(); err != nil {
		return err
	}
	h.rows = 0
	last, _, err := h.w.Int64("SELECT max(id) FROM commits")
	if err == nil && ontosql.CommitID(last) != h.last {
		err = errors.New("somebody else writes to the file")
	}
	return err
}

// AddRow writes a row of the last commit. Its Fields are canonical.
func (h *Writer) AddRow(ref ontosql.TypeRef, row *format.Row) error {
	if row.Commit != h.last {
		return fmt.Errorf("write history: a row of commit %d belongs not to commit %d", row.Commit, h.last)
	}
	encoder := h.types[ref]
	if encoder == nil {
		encoder = codec.NewFieldsEncoder(nil)
		h.types[ref] = encoder
	}
	text, err := encoder.Append(nil, row.Fields)
	if err != nil {
		return fmt.Errorf("write history: %s: %w", ref, err)
	}
	var version any
	if row.SchemaVersionID != 0 {
		version = row.SchemaVersionID
	}
	if ref.Kind == ontosql.Relation {
		err = h.w.Exec(`INSERT INTO relation_history (relation_type, left_key, right_key, fields_json, commit_id, schema_version_id, instance_key)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, ref.Name, row.Left, row.Right, string(text), row.Commit, version, row.Instance)
	} else {
		err = h.w.Exec(`INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
			VALUES (?, ?, ?, ?, ?)`, ref.Name, row.Key, string(text), row.Commit, version)
	}
	h.rows++
	return sqlconn.StorageError("write history", err)
}

// Close closes the file and rolls back what was not committed.
func (h *Writer) Close() error {
	h.w.SetInterrupt(nil)
	h.w.Rollback()
	return h.w.Conn.Close()
}
