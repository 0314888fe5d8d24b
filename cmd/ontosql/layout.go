package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// printResultTable prints a result as psql does.
func printResultTable(w io.Writer, r *pgconn.ResultReader) error {
	names := resultNames(r)
	right := make([]bool, len(names))
	width := make([]int, len(names))
	for i, f := range r.FieldDescriptions() {
		right[i] = isNumber(f.DataTypeOID)
		width[i] = utf8.RuneCountInString(f.Name)
	}
	var rows [][]string
	for r.NextRow() {
		row := make([]string, len(names))
		for i, v := range r.Values() {
			row[i] = string(v)
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
		rows = append(rows, row)
	}
	tag, err := r.Close()
	if err != nil {
		return err
	}
	if names == nil {
		fmt.Fprintln(w, tag.String())
		return nil
	}
	rule := make([]string, len(names))
	for i := range names {
		left := (width[i] - utf8.RuneCountInString(names[i])) / 2
		names[i] = strings.Repeat(" ", left) + names[i]
		rule[i] = strings.Repeat("-", width[i]+2)
	}
	printCells(w, names, width, make([]bool, len(names)))
	fmt.Fprintln(w, strings.Join(rule, "+"))
	for _, row := range rows {
		printCells(w, row, width, right)
	}
	plural := "s"
	if len(rows) == 1 {
		plural = ""
	}
	fmt.Fprintf(w, "(%d row%s)\n\n", len(rows), plural)
	if tag.Insert() {
		fmt.Fprintln(w, tag.String()) // of an INSERT ... RETURNING
	}
	return nil
}

func printCells(w io.Writer, cells []string, width []int, right []bool) {
	padded := make([]string, len(cells))
	for i, cell := range cells {
		pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
		if right[i] {
			padded[i] = " " + pad + cell + " "
		} else {
			padded[i] = " " + cell + pad + " "
		}
	}
	fmt.Fprintln(w, strings.TrimRight(strings.Join(padded, "|"), " "))
}

func isNumber(oid uint32) bool {
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID, pgtype.NumericOID, pgtype.OIDOID:
		return true
	}
	return false
}

// printResultJSON prints a result as an array of objects; numbers, booleans and
// JSON stay what they are, everything else is a string.
func printResultJSON(w io.Writer, r *pgconn.ResultReader) error {
	fields := r.FieldDescriptions()
	rows := []json.RawMessage{}
	for r.NextRow() {
		var b strings.Builder
		b.WriteByte('{')
		for i, v := range r.Values() {
			if i > 0 {
				b.WriteByte(',')
			}
			name, err := json.Marshal(fields[i].Name)
			if err != nil {
				return err
			}
			value, err := jsonValue(fields[i].DataTypeOID, v)
			if err != nil {
				return err
			}
			b.Write(name)
			b.WriteByte(':')
			b.Write(value)
		}
		b.WriteByte('}')
		rows = append(rows, json.RawMessage(b.String()))
	}
	if _, err := r.Close(); err != nil || fields == nil {
		return err
	}
	return printJSON(w, rows)
}

func jsonValue(oid uint32, v []byte) ([]byte, error) {
	switch {
	case v == nil:
		return []byte("null"), nil
	case oid == pgtype.BoolOID:
		return json.Marshal(string(v) == "t")
	case (isNumber(oid) || oid == pgtype.JSONOID || oid == pgtype.JSONBOID) && json.Valid(v):
		return v, nil
	}
	return json.Marshal(string(v))
}
