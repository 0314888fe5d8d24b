package ingest

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// converter converts the batches of a Cursor and collects the facts of all rows.
type converter struct {
	kind    ontosql.Kind
	keys    int // number of key columns
	fields  *fieldReader
	speller format.Speller

	rows        int64
	incomplete  int64 // rows whose fields the typed columns do not have
	odd         bool  // fields_json of some row is not format.PlainJSON
	size        int64 // of the texts in bytes
	least, most ontosql.CommitID
	duplicates  duplicates
	next        *nextCommits // nil unless the mirror asks; it finds duplicates then
	damaged     damagedRows
}

// damagedRows are the rows of which fields_json is no JSON.
type damagedRows struct {
	table string
	first int64 // number of the first in its table, 0 if the cursor does not give it
	rows  int64
}

// add counts row i of a cursor's batch. Column numbers of the batch, if it is there, is the
// number of the row.
func (d *damagedRows) add(rows *column.Batch, numbers, i int) {
	if d.rows++; d.first == 0 && len(rows.Cols) > numbers {
		d.first = rows.Cols[numbers].I64[i]
	}
}

// String is the message for the client, "" for no rows.
func (d *damagedRows) String() string {
	if d.rows == 0 {
		return ""
	}
	return fmt.Sprintf("%d rows of %s have fields_json that is no JSON and read as NULL, row %d first", d.rows, d.table, d.first)
}

func newConverter(kind ontosql.Kind, fields *fieldReader) *converter {
	return &converter{
		kind: kind, keys: len(scan.KeyColumns(kind)), fields: fields,
		duplicates: duplicates{seed: maphash.MakeSeed()}, damaged: damagedRows{table: kind.String() + "_history"},
	}
}

// reset prepares the converter for other rows of the same type. It keeps what the speller
// and the field reader know of the shapes of fields_json.
func (c *converter) reset() {
	c.duplicates.known.clear()
	*c = converter{
		kind: c.kind, keys: c.keys, fields: c.fields, speller: c.speller,
		duplicates: duplicates{seed: c.duplicates.seed, known: c.duplicates.known}, damaged: damagedRows{table: c.damaged.table},
	}
}

// inFile estimates the bytes that the rows would fill in a data file.
func (c *converter) inFile() int64 { return c.size / 2 }

var errCursor = errors.New("cursor gives other columns than those of a version")

// convert makes to of a batch of the cursor, and keeps no reference to that.
func (c *converter) convert(to *rowBatch, b *column.Batch) error {
	if len(b.Cols) < c.keys+3 {
		return errCursor
	}
	commits, versions, fields := &b.Cols[c.keys], &b.Cols[c.keys+1], &b.Cols[c.keys+2]
	columns := len(c.fields.fields) + 1
	if c.next != nil {
		columns += 2
	}
	to.reset(c.keys, columns, b.Len)
	for k := range c.keys {
		for i, key := range b.Cols[k].Str[:b.Len] {
			if !utf8.Valid(key) {
				return ontosql.Corrupt(c.damaged.table, scan.KeyColumns(c.kind)[k], "%q of commit %d is no UTF-8", key, commits.I64[i])
			}
			to.addText(key)
		}
	}
	typed := to.batch.Cols[c.keys+3:]
	c.fields.reset(typed, b.Len)
	for i, text := range fields.Str[:b.Len] {
		start := len(to.texts)
		shape, ok := to.addFields(text, &c.speller)
		// A slice of the texts stays valid when append moves them.
		canonical := to.texts[start:]
		plain := shape != nil && shape.Plain || ok && format.PlainJSON(canonical)
		switch {
		case !ok:
			c.damaged.add(b, c.keys+3, i)
		case !plain:
			c.odd = true
		}
		if !plain || !versions.IsNull(i) && c.fields.moved(versions.I64[i]) || !c.fields.read(canonical, shape, typed, i) {
			c.incomplete++
		}
	}
	to.sliceTexts(c.keys + 1)
	n := c.keys + 1
	to.batch.Cols[n].I64 = append(to.batch.Cols[n].I64[:0], commits.I64[:b.Len]...)
	to.batch.Cols[n+1].I64 = append(to.batch.Cols[n+1].I64[:0], versions.I64[:b.Len]...)
	to.batch.Cols[n+1].Valid = slices.Clone(versions.Valid) // mostly nil
	c.collect(to)
	if c.next != nil {
		return c.fillNext(to)
	}
	return nil
}

// collect adds a batch to the facts.
func (c *converter) collect(b *rowBatch) {
	c.size += int64(len(b.texts))
	for i, id := range b.batch.Cols[c.keys+1].I64 {
		commit := ontosql.CommitID(id)
		if c.rows == 0 {
			c.least = commit
		}
		c.least, c.most = min(c.least, commit), max(c.most, commit)
		c.rows++
		if c.next == nil {
			c.duplicates.add(commit, b.batch.Cols[:c.keys], i)
		}
	}
}
