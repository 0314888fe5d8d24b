package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/pgfunc/str"
)

// commitColumns are what log and show tell of a commit.
const commitColumns = "commit_id, created_at, runtime_id, actor, message, types, row_count, (SELECT array_agg(name ORDER BY name) FROM ontosql.tags AS t WHERE t.commit_id = commits.commit_id) AS tags"

func (p *program) logCommand() *cobra.Command {
	var last int
	var typ string
	cmd := &cobra.Command{
		Use:     "log",
		Short:   "the commits with their authors and messages, newest first",
		Example: "  ontosql log --storage-uri /srv/onto --last 20\n  ontosql log --storage-uri /srv/onto --type Customer",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if last < 0 {
				return usagef("--last %d: want a number of commits", last)
			}
			return p.asking(cmd, func(ctx context.Context, conn *pgconn.PgConn) error {
				where := ""
				if typ != "" {
					t, err := findType(ctx, conn, typ)
					if err != nil {
						return err
					}
					where = " WHERE commit_id IN (SELECT commit_id FROM ontosql.commit_files f JOIN ontosql.types t USING (type_kind, type_name) WHERE t.table_name = " + str.QuoteLiteral(t.table) + ")"
				}
				columns := commitColumns
				if p.cfg.JSON {
					columns = strings.Replace(columns, "types", "to_jsonb(types) AS types", 1)
					columns = strings.Replace(columns, "array_agg(name ORDER BY name)", "coalesce(jsonb_agg(name ORDER BY name), '[]')", 1)
				}
				sql := "SELECT " + columns + " FROM ontosql.commits" + where + " ORDER BY commit_id DESC LIMIT " + strconv.Itoa(last)
				return p.page(func(w io.Writer, c colours) error {
					if p.cfg.JSON {
						return each(ctx, conn, sql, func(r *pgconn.ResultReader) error { return printResultJSON(w, r) })
					}
					return showCommits(ctx, conn, w, c, sql)
				})
			})
		},
	}
	cmd.Flags().IntVar(&last, "last", 10, "how many")
	cmd.Flags().StringVar(&typ, "type", "", "only commits that wrote rows of this `type`")
	return cmd
}

func (p *program) showCommand() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:     "show POINT",
		Short:   "a commit, and the rows that it changed",
		Example: "  ontosql show --storage-uri /srv/onto 42\n  ontosql show --storage-uri /srv/onto HEAD~1 --stat",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("show: want one point")
			}
			o.JSON = p.cfg.JSON
			if err := o.check(); err != nil {
				return err
			}
			return p.asking(cmd, func(ctx context.Context, conn *pgconn.PgConn) error {
				id, err := commitAt(ctx, conn, args[0])
				if err != nil {
					return err
				}
				return p.page(func(w io.Writer, c colours) error {
					header := w
					if o.JSON || o.sql {
						header = io.Discard
					}
					if err := showCommits(ctx, conn, header, c, "SELECT "+commitColumns+" FROM ontosql.commits WHERE commit_id = "+strconv.FormatInt(id, 10)); err != nil {
						return err
					}
					return showDiff(ctx, conn, w, c, [2]string{strconv.FormatInt(id-1, 10), strconv.FormatInt(id, 10)}, &o)
				})
			})
		},
	}
	o.flags(cmd)
	return cmd
}

// showCommits prints the commits of a query of commitColumns.
func showCommits(ctx context.Context, conn *pgconn.PgConn, w io.Writer, c colours, sql string) error {
	return each(ctx, conn, sql, func(r *pgconn.ResultReader) error {
		for r.NextRow() {
			v := r.Values()
			tags := "" // an array, whose elements have nothing to quote
			if v[7] != nil {
				tags = " (tag: " + strings.ReplaceAll(strings.Trim(string(v[7]), "{}"), ",", ", tag: ") + ")"
			}
			fmt.Fprintf(w, "%scommit %s%s%s\nDate:   %s\n", c.commit, v[0], tags, c.plain, v[1])
			if v[3] != nil {
				fmt.Fprintf(w, "Actor:  %s\n", oneLine(v[3]))
			}
			if v[2] != nil {
				fmt.Fprintf(w, "Writer: %s\n", oneLine(v[2]))
			}
			if types := strings.Trim(string(v[5]), "{}"); types != "" {
				fmt.Fprintf(w, "Rows:   %s in %s\n", v[6], strings.ReplaceAll(types, ",", ", "))
			}
			fmt.Fprintln(w)
			if v[4] != nil {
				fmt.Fprintf(w, "    %s\n\n", strings.ReplaceAll(printable(string(v[4])), "\n", "\n    "))
			}
		}
		_, err := r.Close()
		return err
	})
}

func oneLine(text []byte) string {
	s := string(text)
	return shownText(&s)
}

// printable leaves line ends in a text and escapes what a terminal might obey.
func printable(text string) string { return strings.ReplaceAll(text, "\x1b", `\x1b`) }
