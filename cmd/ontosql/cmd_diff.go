package main

import (
	"context"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

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

// showDiff prints what differs between two points.
func showDiff(ctx context.Context, conn *pgconn.PgConn, w io.Writer, c colours, points [2]string, o *diffOptions) error {
	between := "(" + str.QuoteLiteral(points[0]) + ", " + str.QuoteLiteral(points[1]) + ")"
	if o.stat {
		sql := "SELECT type_kind, type_name, inserted, updated, deleted, unchanged, commits, rows FROM ontosql.diff_stat" + between
		if o.typ != "" {
			t, err := findType(ctx, conn, o.typ)
			if err != nil {
				return err
			}
			sql += " WHERE table_name = " + str.QuoteLiteral(t.table)
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
	print := &diffPrinter{w: w, c: c, sql: o.sql, json: o.JSON, list: jsonList{w: w}}
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
