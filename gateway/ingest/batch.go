package ingest

import (
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// rowBatch is a converted batch: the rowColumns, the typed columns and completeColumn,
// and for the mirror nextColumn and orderColumn. Its memory is used again.
type rowBatch struct {
	batch column.Batch
	texts []byte
	ends  []int // of the texts, column by column
}

// release gives up the memory that rows of the batch refer to, so that they stay valid
// when the rowBatch is used again.
func (b *rowBatch) release() {
	b.texts, b.batch.Texts = nil, nil
	for i := range b.batch.Cols {
		b.batch.Cols[i] = column.Vector{Type: b.batch.Cols[i].Type}
	}
}

// reset prepares the batch for n rows with so many key columns, and so many columns behind
// the rowColumns.
func (b *rowBatch) reset(keys, columns, n int) {
	b.texts, b.ends = b.texts[:0], b.ends[:0]
	if b.batch.Cols == nil {
		b.batch.Cols = make([]column.Vector, keys+3+columns)
		for i := range keys + 1 {
			b.batch.Cols[i].Type.Kind = column.Text
		}
		b.batch.Cols[keys+1].Type.Kind, b.batch.Cols[keys+2].Type.Kind = column.Int64, column.Int64
	}
	b.batch.Len = n
}

func (b *rowBatch) addText(text []byte) {
	b.texts = append(b.texts, text...)
	b.ends = append(b.ends, len(b.texts))
}

// addFields adds fields_json in canonical form and reports whether it is JSON. A text that
// is no JSON is kept, with invalid UTF-8 replaced; its fields read as NULL.
func (b *rowBatch) addFields(text []byte, speller *format.Speller) (shape *format.Shape, ok bool) {
	var err error
	if b.texts, shape, err = speller.Append(b.texts, text); err != nil {
		for len(text) > 0 {
			r, n := utf8.DecodeRune(text)
			b.texts, text = utf8.AppendRune(b.texts, r), text[n:]
		}
	}
	b.ends = append(b.ends, len(b.texts))
	return shape, err == nil
}

// sliceTexts sets the first so many columns, which are text. It is called when all texts
// were added, because adding moves them.
func (b *rowBatch) sliceTexts(columns int) {
	start, n := 0, b.batch.Len
	for k := range columns {
		c := &b.batch.Cols[k]
		c.Str = c.Str[:0]
		for _, end := range b.ends[k*n : (k+1)*n] {
			c.Str = append(c.Str, b.texts[start:end:end])
			start = end
		}
	}
	b.batch.Texts = b.texts
}

// appendRows appends the rows of the batch.
func (b *rowBatch) appendRows(rows []format.Row, kind ontosql.Kind) []format.Row {
	cols := b.batch.Cols
	keys := len(scan.KeyColumns(kind))
	for i := range b.batch.Len {
		r := format.Row{Fields: cols[keys].Str[i], Commit: ontosql.CommitID(cols[keys+1].I64[i])}
		if !cols[keys+2].IsNull(i) {
			r.SchemaVersionID = cols[keys+2].I64[i]
		}
		if kind == ontosql.Relation {
			r.Left, r.Right, r.Instance = string(cols[0].Str[i]), string(cols[1].Str[i]), string(cols[2].Str[i])
		} else {
			r.Key = string(cols[0].Str[i])
		}
		rows = append(rows, r)
	}
	return rows
}
