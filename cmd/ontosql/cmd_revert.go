package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// revertOptions are what revert was asked for.
type revertOptions struct {
	point, typ, message string
	keys                []string
	keepNew, apply      bool
	expectHead          int64 // 0 for any
}

func (p *program) revertCommand() *cobra.Command {
	var o revertOptions
	cmd := &cobra.Command{
		Use:   "revert POINT",
		Short: "give rows the values that they had at a point, in a new commit",
		Long: "revert shows how many rows would get other values; --apply writes them, as one commit.\n" +
			"Rows that did not exist at the point cannot be removed. They are listed, and nothing is\n" +
			"written, unless they may stay (--keep-new).",
		Example: "  ontosql revert --storage-uri /srv/onto HEAD~1\n" +
			"  ontosql revert --storage-uri /srv/onto v1 --type Customer --key c42 --apply --expect-head 57",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("revert: want one point")
			}
			o.point = args[0]
			switch {
			case len(o.keys) > 0 && o.typ == "":
				return usagef("revert: --key: want the --type that has the key")
			case o.expectHead < 0:
				return usagef("revert: --expect-head %d: want the number of a commit", o.expectHead)
			case !o.apply && (o.expectHead > 0 || o.message != ""):
				return usagef("revert: --expect-head and --message want --apply")
			}
			return p.telling(cmd, func(ctx context.Context, conn *pgconn.PgConn) error { return p.revert(ctx, conn, &o) })
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.typ, "type", "", "only this `type`")
	cmd.Flags().StringArrayVar(&o.keys, "key", nil, "only the row with this `key`; of a relation once for each of its key columns")
	cmd.Flags().BoolVar(&o.keepNew, "keep-new", false, "rows that did not exist at the point stay")
	cmd.Flags().BoolVar(&o.apply, "apply", false, "write the values")
	cmd.Flags().Int64Var(&o.expectHead, "expect-head", 0, "write nothing unless the newest commit is still this `commit`, which the plan names")
	cmd.Flags().StringVarP(&o.message, "message", "m", "", "the message of the commit, a `text`")
	return cmd
}

// reverted is what revert prints.
type reverted struct {
	Point   string         `json:"point"`
	Head    int64          `json:"head_commit_id"` // that the plan is of, or the new commit
	Applied bool           `json:"applied"`
	Types   []revertedType `json:"types"` // those with commits after the point
}

type revertedType struct {
	Kind     string `json:"type_kind"`
	Name     string `json:"type_name"`
	Reverted int64  `json:"reverted"`
	Kept     int64  `json:"kept"` // rows that did not exist at the point
}

// revert reverts in a transaction, which a plan rolls back.
func (p *program) revert(ctx context.Context, conn *pgconn.PgConn, o *revertOptions) error {
	call, err := o.call(ctx, conn)
	if err != nil {
		return err
	}
	begin := "BEGIN"
	if o.message != "" {
		begin += "; SET LOCAL ontosql.commit_message = " + str.QuoteLiteral(o.message)
	}
	if o.expectHead > 0 {
		begin += "; SET LOCAL ontosql.expect_head = " + str.QuoteLiteral(strconv.FormatInt(o.expectHead, 10))
	}
	if err := conn.Exec(ctx, begin).Close(); err != nil {
		return err
	}
	out := reverted{Point: o.point, Applied: o.apply, Types: []revertedType{}}
	if err := each(ctx, conn, "SELECT type_kind, type_name, reverted, kept FROM "+call, out.read); err != nil {
		return keepNewHint(err)
	}
	end := "ROLLBACK"
	if o.apply {
		end = "COMMIT"
	}
	if err := conn.Exec(ctx, end).Close(); err != nil {
		return err
	}
	if out.Head, err = oneNumber(ctx, conn, "SELECT max(commit_id) FROM ontosql.commits"); err != nil {
		return err
	}
	return p.printReverted(&out)
}

// call is the call of ontosql.revert.
func (o *revertOptions) call(ctx context.Context, conn *pgconn.PgConn) (string, error) {
	args := []string{"point => " + str.QuoteLiteral(o.point), "keep_new => " + strconv.FormatBool(o.keepNew)}
	if o.typ == "" {
		return "ontosql.revert(" + strings.Join(args, ", ") + ")", nil
	}
	t, err := findType(ctx, conn, o.typ)
	if err != nil {
		return "", err
	}
	args = append(args, "type => "+str.QuoteLiteral(t.table))
	values := make([]string, len(o.keys))
	for i, k := range o.keys {
		values[i] = str.QuoteLiteral(k)
	}
	switch {
	case len(values) == 0:
	case len(t.keys) == 1 && len(values) == 1:
		args = append(args, "key => "+values[0])
	case len(t.keys) != len(values):
		return "", fmt.Errorf("the key of %s has %d columns, not %d: %s", t.table, len(t.keys), len(values), strings.Join(t.keys, ", "))
	default:
		args = append(args, "key => ARRAY["+strings.Join(values, ", ")+"]")
	}
	return "ontosql.revert(" + strings.Join(args, ", ") + ")", nil
}

// keepNewHint makes the hint of rows that did not exist one about the command.
func keepNewHint(err error) error {
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == pgerr.ObjectNotInPrerequisiteState && strings.Contains(said.Hint, "keep_new") {
		told := *said
		told.Hint = "History is append-only, so they cannot be removed. With --keep-new they stay, and the others are reverted."
		return &told
	}
	return err
}

func (r *reverted) read(rows *pgconn.ResultReader) error {
	for rows.NextRow() {
		v := rows.Values()
		t := revertedType{Kind: string(v[0]), Name: string(v[1])}
		t.Reverted, _ = strconv.ParseInt(string(v[2]), 10, 64) // bigints
		t.Kept, _ = strconv.ParseInt(string(v[3]), 10, 64)
		r.Types = append(r.Types, t)
	}
	_, err := rows.Close()
	return err
}

func (p *program) printReverted(r *reverted) error {
	if p.cfg.JSON {
		return printJSON(p.out, r)
	}
	var changed int64
	for _, t := range r.Types {
		changed += t.Reverted
		fmt.Fprintf(p.out, "%s %s: %s, %s\n", t.Kind, t.Name, amount(t.Reverted, "row")+" reverted", amount(t.Kept, "new row")+" kept")
	}
	switch {
	case changed == 0:
		fmt.Fprintln(p.out, "nothing to revert")
	case r.Applied:
		fmt.Fprintf(p.out, "commit %d\n", r.Head)
	default:
		fmt.Fprintf(p.out, "Nothing is written yet. \"ontosql diff HEAD %s\" shows the rows; --apply --expect-head %d writes them.\n", r.Point, r.Head)
	}
	return nil
}
