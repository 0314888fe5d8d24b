package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// diffOptions are what diff and show were asked for.
type diffOptions struct {
	typ             string
	keys            []string
	stat, sql, JSON bool
}

func (o *diffOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.typ, "type", "", "only this `type`")
	cmd.Flags().StringArrayVar(&o.keys, "key", nil, "only the row with this `key`; of a relation once for each of its key columns")
	cmd.Flags().BoolVar(&o.stat, "stat", false, "only how many rows of each type differ")
	cmd.Flags().BoolVar(&o.sql, "sql", false, "the statements that make the second state of the first")
}

func (o *diffOptions) check() error {
	switch {
	case o.stat && o.sql, o.JSON && o.sql:
		return usagef("--sql cannot be combined with --stat or --json")
	case len(o.keys) > 0 && o.typ == "":
		return usagef("--key: want the --type that has the key")
	case len(o.keys) > 0 && o.stat:
		return usagef("--stat cannot be combined with --key")
	}
	return nil
}

func (p *program) diffCommand() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff A [B]",
		Short: "the rows that differ between two points, or between a point and HEAD",
		Example: "  ontosql diff --storage-uri /srv/onto HEAD~1 --stat\n" +
			"  ontosql diff --storage-uri /srv/onto 2026-02-10 2026-02-11 --type Customer --key c42",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return usagef("diff: want one or two points")
			}
			o.JSON = p.cfg.JSON
			if err := o.check(); err != nil {
				return err
			}
			points := [2]string{args[0], "HEAD"}
			if len(args) == 2 {
				points[1] = args[1]
			}
			return p.asking(cmd, func(ctx context.Context, conn *pgconn.PgConn) error {
				return p.page(func(w io.Writer, c colours) error { return showDiff(ctx, conn, w, c, points, &o) })
			})
		},
	}
	o.flags(cmd)
	return cmd
}

func (p *program) blameCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "blame TYPE KEY...",
		Short:   "the commit that set each value of a row",
		Example: "  ontosql blame --storage-uri /srv/onto Customer c42\n  ontosql blame --storage-uri /srv/onto Subscription c42 p7",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("blame: want a type and a key")
			}
			return p.asking(cmd, func(ctx context.Context, conn *pgconn.PgConn) error {
				t, err := findType(ctx, conn, args[0])
				if err != nil {
					return err
				}
				where, err := t.where(args[1:])
				if err != nil {
					return err
				}
				return p.page(func(w io.Writer, _ colours) error {
					return p.showBlame(ctx, conn, w, t, where)
				})
			})
		},
	}
}

func (p *program) showBlame(ctx context.Context, conn *pgconn.PgConn, w io.Writer, t *askedType, where string) error {
	sql := "SELECT " + t.keyList("") + ", column_name, value, commit_id, committed_at, actor, message FROM blame." + str.QuoteIdent(t.table) + where +
		" ORDER BY " + t.keyList("") + ", column_name"
	layout := printResultTable
	if p.cfg.JSON {
		layout = printResultJSON
	}
	return each(ctx, conn, sql, func(r *pgconn.ResultReader) error { return layout(w, r) })
}

// asking runs work in one transaction of a session, so that all its queries see the same commits.
func (p *program) asking(cmd *cobra.Command, work func(context.Context, *pgconn.PgConn) error) error {
	a, err := p.cfg.oneAddress()
	if err != nil {
		return err
	}
	err = p.inSession(cmd.Context(), a, "", p.settingsOf(cmd), func(conn *pgconn.PgConn) error {
		if err := conn.Exec(cmd.Context(), "BEGIN READ ONLY").Close(); err != nil {
			return err
		}
		return work(cmd.Context(), conn)
	})
	var said *pgconn.PgError
	if errors.As(err, &said) {
		shown := *said
		shown.Position = 0 // in a query that the user has not written
		p.printSQLError(&shown, "")
		return &alreadySaid{&executionError{err}}
	}
	return err
}

// each runs a query and gives its result to read, which reads it to the end.
func each(ctx context.Context, conn *pgconn.PgConn, sql string, read func(*pgconn.ResultReader) error) error {
	results := conn.Exec(ctx, sql)
	for results.NextResult() {
		if err := read(results.ResultReader()); err != nil {
			_ = results.Close()
			return err
		}
	}
	return results.Close()
}

// askedType is a type as ontosql.types has it.
type askedType struct {
	table string
	keys  []string
}

// findType finds a type by its name or that of its table.
func findType(ctx context.Context, conn *pgconn.PgConn, name string) (*askedType, error) {
	var found *askedType
	quoted := literal(name)
	err := each(ctx, conn, "SELECT table_name, to_json(key_columns) FROM ontosql.types WHERE type_name = "+quoted+" OR table_name = "+quoted+" ORDER BY type_name <> "+quoted+" LIMIT 1", func(r *pgconn.ResultReader) error {
		for r.NextRow() {
			found = &askedType{table: string(r.Values()[0])}
			if err := json.Unmarshal(r.Values()[1], &found.keys); err != nil {
				return err
			}
		}
		_, err := r.Close()
		return err
	})
	if err == nil && found == nil {
		err = fmt.Errorf("there is no type %q", name)
	}
	return found, err
}

// keyList are the key columns, each with a prefix such as "d.".
func (t *askedType) keyList(prefix string) string {
	list := make([]string, len(t.keys))
	for i, k := range t.keys {
		list[i] = prefix + str.QuoteIdent(k)
	}
	return strings.Join(list, ", ")
}

// where is the condition of the first key columns, "" for no values.
func (t *askedType) where(values []string) (string, error) {
	if len(values) > len(t.keys) {
		return "", fmt.Errorf("the key of %s has %d columns, not %d: %s", t.table, len(t.keys), len(values), strings.Join(t.keys, ", "))
	}
	var list []string
	for i, v := range values {
		list = append(list, str.QuoteIdent(t.keys[i])+" = "+literal(v))
	}
	if len(list) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(list, " AND "), nil
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// showDiff prints what differs between two points.
func showDiff(ctx context.Context, conn *pgconn.PgConn, w io.Writer, c colours, points [2]string, o *diffOptions) error {
	between := "(" + literal(points[0]) + ", " + literal(points[1]) + ")"
	if o.stat {
		sql := "SELECT type_kind, type_name, inserted, updated, deleted, unchanged, commits, rows FROM ontosql.diff_stat" + between
		if o.typ != "" {
			t, err := findType(ctx, conn, o.typ)
			if err != nil {
				return err
			}
			sql += " WHERE table_name = " + literal(t.table)
		}
		layout := printResultTable
		if o.JSON {
			layout = printResultJSON
		}
		return each(ctx, conn, sql+" ORDER BY type_kind, type_name", func(r *pgconn.ResultReader) error { return layout(w, r) })
	}
	tables := []string{o.typ}
	if o.typ == "" {
		tables = nil
		err := each(ctx, conn, "SELECT table_name FROM ontosql.diff_stat"+between+" WHERE inserted + updated + deleted > 0 ORDER BY type_kind, type_name", func(r *pgconn.ResultReader) error {
			for r.NextRow() {
				tables = append(tables, string(r.Values()[0]))
			}
			_, err := r.Close()
			return err
		})
		if err != nil {
			return err
		}
	}
	print := &diffPrinter{w: w, c: c, sql: o.sql, json: o.JSON}
	for _, name := range tables {
		t, err := findType(ctx, conn, name)
		if err != nil {
			return err
		}
		where, err := t.where(o.keys)
		if err != nil {
			return err
		}
		sql := "SELECT d.*, to_jsonb(d) FROM diff." + str.QuoteIdent(t.table) + between + " AS d" + where + " ORDER BY " + t.keyList("d.")
		if err := each(ctx, conn, sql, func(r *pgconn.ResultReader) error { return print.rows(t, r) }); err != nil {
			return err
		}
	}
	return print.end()
}

// diffPrinter prints the rows of diff.<type>.
type diffPrinter struct {
	w         io.Writer
	c         colours
	sql, json bool
	count     int
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
		d.count++
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

func (t *askedType) isKey(column string) bool {
	return slices.Contains(t.keys, column)
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
		return literal(*row.texts[name])
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
	text, err := json.MarshalIndent(struct {
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
	}, "  ", "  ")
	if err != nil {
		return err
	}
	before := ",\n  "
	if d.count == 1 {
		before = "[\n  "
	}
	_, err = fmt.Fprintf(d.w, "%s%s", before, text)
	return err
}

// end ends the list of --json.
func (d *diffPrinter) end() error {
	if !d.json {
		return nil
	}
	text := "\n]\n"
	if d.count == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(d.w, text)
	return err
}
