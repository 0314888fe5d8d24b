package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// asking runs work in one transaction of a session, so that all its queries see the same commits.
func (p *program) asking(cmd *cobra.Command, work func(context.Context, *pgconn.PgConn) error) error {
	return p.telling(cmd, func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := conn.Exec(ctx, "BEGIN READ ONLY").Close(); err != nil {
			return err
		}
		return work(ctx, conn)
	})
}

// telling runs work in a session, in which each statement is a transaction.
func (p *program) telling(cmd *cobra.Command, work func(context.Context, *pgconn.PgConn) error) error {
	a, err := p.cfg.oneAddress()
	if err != nil {
		return err
	}
	return p.said(p.inSession(cmd.Context(), a, "", p.settingsOf(cmd), func(conn *pgconn.PgConn) error { return work(cmd.Context(), conn) }))
}

// said prints what the session says of a statement that the user has not written.
func (p *program) said(err error) error {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		shown := *said
		shown.Position = 0
		p.printSaid(&shown, "")
		if strings.HasPrefix(said.Message, ontosql.ErrNotInitialised.Error()) {
			return &alreadySaid{&openError{err}}
		}
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

// oneNumber is the number that a query gives, 0 for NULL and for no row.
func oneNumber(ctx context.Context, conn *pgconn.PgConn, sql string) (n int64, err error) {
	err = each(ctx, conn, sql, func(r *pgconn.ResultReader) error {
		for r.NextRow() {
			if text := r.Values()[0]; text != nil {
				n, _ = strconv.ParseInt(string(text), 10, 64) // the column is a bigint
			}
		}
		_, err := r.Close()
		return err
	})
	return n, err
}

// commitAt is the number of the commit of a point.
func commitAt(ctx context.Context, conn *pgconn.PgConn, text string) (id int64, err error) {
	const newest = "SELECT max(commit_id) FROM ontosql.commits"
	if point, err := ontosql.ParsePoint(text); err == nil {
		head, err := oneNumber(ctx, conn, newest)
		if err != nil {
			return 0, err
		}
		at, _ := point.Commit(ontosql.CommitID(head))
		if n, ok := point.Number(); ok && n != at || at == 0 {
			return 0, fmt.Errorf("there is no commit %s", text)
		}
		return int64(at), nil
	}
	quoted := str.QuoteLiteral(text)
	if id, err = oneNumber(ctx, conn, "SELECT commit_id FROM ontosql.tags WHERE name = "+quoted); id > 0 || err != nil {
		return id, err
	}
	if id, err = oneNumber(ctx, conn, newest+" WHERE created_at <= "+quoted); err == nil && id == 0 {
		err = fmt.Errorf("there is no commit at %s", text)
	}
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == pgerr.InvalidDatetimeFormat {
		err = &ontosql.BadPointError{Text: text}
	}
	return id, err
}

// askedType is a type as ontosql.types has it.
type askedType struct {
	table string
	keys  []string
}

// findType finds a type by its table, or by its name if no other type has it, as ontosql.revert does.
func findType(ctx context.Context, conn *pgconn.PgConn, name string) (*askedType, error) {
	var found []*askedType
	quoted := str.QuoteLiteral(name)
	err := each(ctx, conn, "SELECT table_name, to_json(key_columns) FROM ontosql.types WHERE type_name = "+quoted+" OR table_name = "+quoted+" ORDER BY table_name <> "+quoted+", table_name", func(r *pgconn.ResultReader) error {
		for r.NextRow() {
			t := &askedType{table: string(r.Values()[0])}
			if err := json.Unmarshal(r.Values()[1], &t.keys); err != nil {
				return err
			}
			found = append(found, t)
		}
		_, err := r.Close()
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("there is no type %q", name)
	case len(found) > 1 && found[0].table != name:
		return nil, fmt.Errorf("%q is the name of an entity and of a relation: give that of a table, %s or %s", name, found[0].table, found[1].table)
	}
	return found[0], nil
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
		list = append(list, str.QuoteIdent(t.keys[i])+" = "+str.QuoteLiteral(v))
	}
	if len(list) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(list, " AND "), nil
}

func (t *askedType) isKey(column string) bool {
	return slices.Contains(t.keys, column)
}

// literal is a text as a constant of SQL.
