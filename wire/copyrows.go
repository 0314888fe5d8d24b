package wire

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
)

// CopyRows are rows of COPY data. The fields are in the text format of the columns' types for every
// format of the data.
type CopyRows struct {
	Len int

	reader *CopyReader
	places []copyPlace
}

// copyPlace is the position of a row in the data.
type copyPlace struct {
	line     int64
	from, to int // in the buffer; text and csv only
}

// Row returns row i: one field for each column, nil for NULL. The last row may have fewer fields;
// then the error after it reports this.
func (rows *CopyRows) Row(i int) [][]byte {
	values, width := rows.reader.fields.values, len(rows.reader.c.Columns)
	return values[i*width : min((i+1)*width, len(values))]
}

// Line returns the line number of row i, from 1. If a csv row has several lines, it is the number of
// the last one.
func (rows *CopyRows) Line(i int) int64 { return rows.places[i].line }

// InValue adds the value of a column in row i as Where to err, if it is a *pgerr.Error.
func (rows *CopyRows) InValue(err error, i, column int) error {
	r, name := rows.reader, rows.reader.c.Columns[column].Name
	value := rows.Row(i)[column]
	switch {
	case r.c.Kind == CopyBinary:
		return r.withContext(err, rows.places[i].line, ", column "+name)
	case value == nil:
		return r.withContext(err, rows.places[i].line, ", column "+name+": null input")
	}
	return r.withContext(err, rows.places[i].line, ", column "+name+": \""+limitPrintout(value)+`"`)
}

// InRow adds row i as Where to err, if it is a *pgerr.Error.
func (rows *CopyRows) InRow(err error, i int) error {
	place := rows.places[i]
	if rows.reader.c.Kind == CopyBinary {
		return rows.reader.withContext(err, place.line, "")
	}
	return rows.reader.withContext(err, place.line, ": \""+limitPrintout(rows.reader.lines.buf[place.from:place.to])+`"`)
}

// withLine adds the line number to an error that occurs while a line is read.
func (r *CopyReader) withLine(err error) error { return r.withContext(err, r.lines.number, "") }

// withLineText adds the line number and the text of a line to an error.
func (r *CopyReader) withLineText(err error, line []byte) error {
	return r.withContext(err, r.lines.number, ": \""+limitPrintout(line)+`"`)
}

// withContext adds the context of PostgreSQL's CopyFromErrorCallback to an error.
func (r *CopyReader) withContext(err error, line int64, rest string) error {
	var e *pgerr.Error
	if !errors.As(err, &e) {
		return err
	}
	located := *e
	if located.Where != "" { // the context of the function that reads the value
		located.Where += "\n"
	}
	located.Where += fmt.Sprintf("COPY %s, line %d%s", r.c.Relation, line, rest)
	if r.bom && line == 1 && located.Hint == "" {
		located.Hint = "The data begins with a byte order mark (EF BB BF), which is part of its first field."
	}
	return &located
}

// limitPrintout truncates a text for the context of an error, as PostgreSQL's
// limit_printout_length does.
func limitPrintout(text []byte) string {
	const most = 100
	if len(text) <= most {
		return string(text)
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "..."
}
