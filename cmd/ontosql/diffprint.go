package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// diffPrinter prints the rows of diff.<type>.
type diffPrinter struct {
	w         io.Writer
	c         colours
	sql, json bool
	list      jsonList
}

// diffRow is one row of diff.<type>.
type diffRow struct {
	kind     string
	texts    map[string]*string         // of its columns, nil for NULL
	document map[string]json.RawMessage // likewise
	columns  []string                   // of the type
}

func (d *diffPrinter) rows(t *askedType, r *pgconn.ResultReader) error {
	names := resultNames(r)
	row := &diffRow{}
	for _, name := range names {
		if column, ok := strings.CutPrefix(name, catalog.FromPrefix); ok && name != catalog.FromPrefix+"commit_id" {
			row.columns = append(row.columns, column)
		}
	}
	for first := true; r.NextRow(); first = false {
		values := r.Values()
		row.texts, row.document = map[string]*string{}, nil
		for i, v := range values[:len(values)-1] {
			if v != nil {
				text := string(v)
				row.texts[names[i]] = &text
			}
		}
		if err := json.Unmarshal(values[len(values)-1], &row.document); err != nil {
			return err
		}
		row.kind = *row.texts["diff"]
		var err error
		switch {
		case d.json:
			err = d.object(t, row)
		case d.sql:
			err = d.statement(t, row)
		default:
			if first {
				fmt.Fprintf(d.w, "%s%s%s\n", d.c.commit, t.table, d.c.plain)
			}
			err = d.line(t, row)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.Close()
	return err
}

// changed are the columns whose texts differ.
func (row *diffRow) changed() (columns []string) {
	for _, c := range row.columns {
		from, to := row.texts[catalog.FromPrefix+c], row.texts[catalog.ToPrefix+c]
		if (from == nil) != (to == nil) || from != nil && *from != *to {
			columns = append(columns, c)
		}
	}
	return columns
}

// line prints "+ c5  name Jun, tier Gold", "- c5" or "~ c5  tier Gold -> Silver".
func (d *diffPrinter) line(t *askedType, row *diffRow) error {
	var key, values []string
	for _, k := range t.keys {
		key = append(key, shownText(row.texts[k]))
	}
	sign, colour := "~", ""
	switch row.kind {
	case "insert":
		sign, colour = "+", d.c.added
	case "delete":
		sign, colour = "-", d.c.removed
	}
	for _, c := range row.changed() {
		from, to := row.texts[catalog.FromPrefix+c], row.texts[catalog.ToPrefix+c]
		switch {
		case row.kind == "update":
			values = append(values, c+" "+d.c.removed+shownText(from)+d.c.plain+" -> "+d.c.added+shownText(to)+d.c.plain)
		case row.kind == "insert" && !t.isKey(c):
			values = append(values, c+" "+shownText(to))
		case row.kind == "delete" && !t.isKey(c):
			values = append(values, c+" "+shownText(from))
		}
	}
	plain := d.c.plain
	if colour == "" {
		plain = ""
	}
	_, err := fmt.Fprintf(d.w, "  %s%s %s%s  %s\n", colour, sign, strings.Join(key, " "), plain, strings.Join(values, ", "))
	return err
}

// shownText is a value on one line.
func shownText(text *string) string {
	if text == nil {
		return "NULL"
	}
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`, "\x1b", `\x1b`).Replace(*text)
}

// statement prints the statement that changes the row.
func (d *diffPrinter) statement(t *askedType, row *diffRow) error {
	value := func(name string) string {
		if row.texts[name] == nil {
			return "NULL"
		}
		return str.QuoteLiteral(*row.texts[name])
	}
	table := "public." + str.QuoteIdent(t.table)
	var where []string
	for _, k := range t.keys {
		where = append(where, str.QuoteIdent(k)+" = "+value(k))
	}
	var text string
	switch row.kind {
	case "insert":
		var names, values []string
		for _, c := range row.columns {
			names, values = append(names, str.QuoteIdent(c)), append(values, value(catalog.ToPrefix+c))
		}
		text = "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ");"
	case "update":
		var set []string
		for _, c := range row.changed() {
			set = append(set, str.QuoteIdent(c)+" = "+value(catalog.ToPrefix+c))
		}
		text = "UPDATE " + table + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND ") + ";"
	default: // nothing can be deleted
		text = "-- no row of " + table + " WHERE " + strings.ReplaceAll(strings.Join(where, " AND "), "\n", " ")
	}
	_, err := fmt.Fprintln(d.w, text)
	return err
}

// object prints an element of the list of --json.
func (d *diffPrinter) object(t *askedType, row *diffRow) error {
	at := func(prefix string, is bool) map[string]json.RawMessage {
		if !is {
			return nil
		}
		values := map[string]json.RawMessage{}
		for _, c := range row.columns {
			values[c] = row.document[prefix+c]
		}
		return values
	}
	key := map[string]json.RawMessage{}
	for _, k := range t.keys {
		key[k] = row.document[k]
	}
	text, err := json.Marshal(struct {
		Table   string                     `json:"table"`
		Diff    string                     `json:"diff"`
		Key     map[string]json.RawMessage `json:"key"`
		Changed json.RawMessage            `json:"changed_fields"`
		From    json.RawMessage            `json:"from_commit_id"`
		To      json.RawMessage            `json:"to_commit_id"`
		Before  map[string]json.RawMessage `json:"from"`
		After   map[string]json.RawMessage `json:"to"`
	}{
		t.table, row.kind, key, row.document["changed_fields"], row.document["from_commit_id"], row.document["to_commit_id"],
		at(catalog.FromPrefix, row.kind != "insert"), at(catalog.ToPrefix, row.kind != "delete"),
	})
	if err != nil {
		return err
	}
	return d.list.add(text)
}

// end ends the list of --json.
func (d *diffPrinter) end() error {
	if !d.json {
		return nil
	}
	return d.list.end()
}
