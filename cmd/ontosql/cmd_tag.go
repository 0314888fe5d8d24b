package main

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/pgfunc/str"
)

func (p *program) tagCommand() *cobra.Command {
	var message string
	var remove bool
	cmd := &cobra.Command{
		Use:   "tag [NAME [POINT]]",
		Short: "list the tags, or give a commit a name that is a point",
		Example: "  ontosql tag --storage-uri /srv/onto\n" +
			"  ontosql tag --storage-uri /srv/onto v1 HEAD~3 -m \"as it was audited\"\n" +
			"  ontosql tag --storage-uri /srv/onto --delete v1",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 2, remove && len(args) != 1:
				return usagef("tag: want a name and a point, and with --delete a name")
			case message != "" && (remove || len(args) == 0):
				return usagef("tag: --message wants the name of a new tag")
			case len(args) == 0:
				return p.listTags(cmd)
			case remove:
				return p.changeTag(cmd, args[0], "untag("+str.QuoteLiteral(args[0])+")")
			}
			call := "tag(name => " + str.QuoteLiteral(args[0])
			if len(args) == 2 {
				call += ", point => " + str.QuoteLiteral(args[1])
			}
			if message != "" {
				call += ", message => " + str.QuoteLiteral(message)
			}
			return p.changeTag(cmd, args[0], call+")")
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	cmd.Flags().StringVarP(&message, "message", "m", "", "what the tag is for, a `text`")
	cmd.Flags().BoolVarP(&remove, "delete", "d", false, "remove the tag")
	return cmd
}

func (p *program) listTags(cmd *cobra.Command) error {
	return p.asking(cmd, func(ctx context.Context, conn *pgconn.PgConn) error {
		return p.page(func(w io.Writer, _ colours) error {
			layout := printResultTable
			if p.cfg.JSON {
				layout = printResultJSON
			}
			return each(ctx, conn, "SELECT name, commit_id, created_at, actor, message FROM ontosql.tags", func(r *pgconn.ResultReader) error { return layout(w, r) })
		})
	})
}

// changedTag is what tag prints of a tag that it has made or removed.
type changedTag struct {
	Name   string `json:"name"`
	Commit int64  `json:"commit_id"`
}

func (t changedTag) String() string { return fmt.Sprintf("%s: commit %d", t.Name, t.Commit) }

// changeTag calls a function that returns the commit of a tag.
func (p *program) changeTag(cmd *cobra.Command, name, call string) error {
	return p.telling(cmd, func(ctx context.Context, conn *pgconn.PgConn) error {
		id, err := oneNumber(ctx, conn, "SELECT * FROM ontosql."+call)
		if err != nil {
			return err
		}
		t := changedTag{name, id}
		if p.cfg.JSON {
			return printJSON(p.out, t)
		}
		_, err = fmt.Fprintln(p.out, t)
		return err
	})
}
