package compat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// client is a session that records everything the server sends.
type client struct {
	*pgconn.PgConn
	types   *pgtype.Map
	notices []string // since the last step
}

func connectClient(t *testing.T, dsn string) *client {
	t.Helper()
	c := &client{types: pgtype.NewMap()}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		c.notices = append(c.notices, fmt.Sprintf("%s %s: %s", n.Severity, n.Code, n.Message))
	}
	if c.PgConn, err = pgconn.ConnectConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	must(t, t.Context(), c.PgConn, "SET TimeZone = 'UTC'")
	return c
}

// answers is all that a server says to one string of the simple protocol.
func answers(ctx context.Context, c *pgconn.PgConn, sql string) []string {
	return (&client{PgConn: c}).send(ctx, simple(sql))
}

// send sends a step and returns the answer as lines: notices, results, error, and
// the state of the transaction at the end.
func (c *client) send(ctx context.Context, s step) []string {
	c.notices = nil
	var lines []string
	switch {
	case s.pipeline:
		lines = c.sendPipeline(ctx, s.requests)
	case s.data != "":
		tag, err := c.CopyFrom(ctx, io.MultiReader(strings.NewReader(s.data)), s.text())
		lines = append([]string{tag.String()}, failure(err)...)
	default:
		results, err := c.Exec(ctx, s.text()).ReadAll()
		for _, r := range results {
			lines = append(lines, c.result(r)...)
		}
		lines = append(lines, failure(err)...)
	}
	return append(append(c.notices, lines...), fmt.Sprintf("state %c", c.TxStatus()))
}

func (c *client) sendPipeline(ctx context.Context, requests []request) (lines []string) {
	p := c.StartPipeline(ctx)
	for _, r := range requests {
		values, oids, formats, err := c.encoded(r.args)
		if err != nil {
			return []string{err.Error()}
		}
		var results []int16
		if r.binary {
			results = []int16{pgtype.BinaryFormatCode}
		}
		switch {
		case r.prepare:
			p.SendPrepare(r.name, r.sql, oids)
		case r.name != "":
			p.SendQueryPrepared(r.name, values, formats, results)
		default:
			p.SendQueryParams(r.sql, values, oids, formats, results)
		}
	}
	if err := p.Sync(); err != nil {
		return failure(err)
	}
	for {
		got, err := p.GetResults()
		switch got := got.(type) {
		case *pgconn.ResultReader:
			r := got.Read()
			if r.Err == nil {
				lines = append(lines, c.result(r)...)
			}
			err = r.Err
		case *pgconn.StatementDescription:
			lines = append(lines, fmt.Sprintf("prepared, parameters %v, %s", got.ParamOIDs, columnsOf(got.Fields)))
		case *pgconn.PipelineSync:
			if err := p.Close(); err != nil {
				lines = append(lines, failure(err)...)
			}
			return lines
		}
		lines = append(lines, failure(err)...)
		if e := new(pgconn.PgError); got == nil && !errors.As(err, &e) { // the connection is closed
			return lines
		}
	}
}

// encoded are the parameters in the forms that are sent.
func (c *client) encoded(args []arg) (values [][]byte, oids []uint32, formats []int16, err error) {
	for _, a := range args {
		value, format, oid := []byte(a.text), int16(pgtype.TextFormatCode), uint32(0)
		if a.told {
			oid = a.oid
		}
		switch {
		case a.null:
			value = nil
		case a.binary:
			format = pgtype.BinaryFormatCode
			if value, err = c.recode(a.oid, pgtype.TextFormatCode, format, value); err != nil {
				return nil, nil, nil, fmt.Errorf("encode %q: %w", a.text, err)
			}
		}
		values, oids, formats = append(values, value), append(oids, oid), append(formats, format)
	}
	return values, oids, formats, nil
}

// recode turns a value from one form into another.
func (c *client) recode(oid uint32, from, to int16, data []byte) ([]byte, error) {
	t, ok := c.types.TypeForOID(oid)
	if !ok {
		return nil, fmt.Errorf("no type %d", oid)
	}
	v, err := t.Codec.DecodeValue(c.types, oid, from, data)
	if err != nil {
		return nil, err
	}
	return c.types.Encode(oid, to, v, []byte{})
}

// result is the answer to one statement. What a SELECT or FETCH answers has an order, what
// a RETURNING shows has none.
func (c *client) result(r *pgconn.Result) (lines []string) {
	tag := r.CommandTag.String()
	if tag == "" && len(r.FieldDescriptions) == 0 {
		return nil
	}
	for _, row := range r.Rows {
		var values []string
		for i, v := range row {
			f := r.FieldDescriptions[i]
			if v != nil && f.Format == pgtype.BinaryFormatCode {
				text, err := c.recode(f.DataTypeOID, f.Format, pgtype.TextFormatCode, v)
				if err != nil {
					text = []byte(err.Error())
				}
				v = text
			}
			values = append(values, shown(v, f.DataTypeOID))
		}
		lines = append(lines, "  "+strings.Join(values, " | "))
	}
	if !strings.HasPrefix(tag, "SELECT") && !strings.HasPrefix(tag, "FETCH") {
		slices.Sort(lines)
	}
	return append([]string{tag + ": " + columnsOf(r.FieldDescriptions)}, lines...)
}

func columnsOf(fields []pgconn.FieldDescription) string {
	var columns []string
	for _, f := range fields {
		columns = append(columns, fmt.Sprintf("%s %d", f.Name, f.DataTypeOID))
	}
	return strings.Join(columns, ", ")
}

// failure is an error as lines, none for nil.
func failure(err error) []string {
	var e *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e):
		return []string{"connection: " + err.Error()}
	}
	lines := []string{fmt.Sprintf("%s %s at %d", e.Code, e.Message, e.Position)}
	if strings.HasPrefix(e.Code, "23") {
		lines = append(lines, fmt.Sprintf("%s.%s.%s %s", e.SchemaName, e.TableName, e.ColumnName, e.ConstraintName))
	}
	if e.Code == "23505" {
		lines = append(lines, e.Detail)
	}
	return lines
}

// shown is a value in the form that both sides agree on: a numeric has no zeros
// behind its digits, because ontosql keeps the value and not its spelling.
func shown(v []byte, oid uint32) string {
	if v == nil {
		return "NULL"
	}
	text := string(v)
	if oid == pgtype.NumericOID && strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// said is all that a server says to a string of the simple protocol, DETAIL and
// HINT of an error too.
func (c *client) said(ctx context.Context, sql string) []string {
	c.notices = nil
	results, err := c.Exec(ctx, sql).ReadAll()
	var lines []string
	for _, r := range results {
		lines = append(lines, c.result(r)...)
	}
	lines = append(append(c.notices, lines...), failure(err)...)
	if e := new(pgconn.PgError); errors.As(err, &e) {
		lines = append(lines, "DETAIL "+e.Detail, "HINT "+e.Hint)
	}
	return append(lines, fmt.Sprintf("state %c", c.TxStatus()))
}
