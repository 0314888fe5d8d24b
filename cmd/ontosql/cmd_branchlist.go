package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/nameservice"
)

func (p *program) branchListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list STORE...",
		Short: "stores, and what they have in common with the first one",
		Long: "list shows the heads of stores, the last commit that each has in common with the first one, and how\n" +
			"many commits each is ahead and behind. Of one directory it lists the stores in it, by their names.",
		Example: "  ontosql branch list /srv/onto /srv/dev\n  ontosql branch list /srv",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && p.cfg.Nameservice != "" {
				var err error
				if args, err = p.databases(cmd.Context()); err != nil {
					return err
				}
			}
			if len(args) == 0 {
				return usagef("branch list: want the addresses of stores, or a directory that has some")
			}
			if len(args) == 1 && !p.isDatabase(args[0]) {
				args = storesIn(args[0])
			}
			return p.listBranches(cmd.Context(), args)
		},
	}
}

// databases are the live ontologies of the name service.
func (p *program) databases(ctx context.Context) ([]string, error) {
	l, err := p.newLedgers(ctx)
	if err != nil {
		return nil, err
	}
	records, err := l.List(ctx, nameservice.Ledger)
	if err != nil {
		return nil, namesError(err)
	}
	var names []string
	for _, r := range records {
		if !r.Retracted {
			names = append(names, databaseName(r.Alias))
		}
	}
	return names, nil
}

// storesIn are the stores in a directory that is none itself: directories with a head, and SQLite files.
func storesIn(path string) []string {
	isStore := func(name string) bool {
		_, err := os.Stat(filepath.Join(name, "meta", "head.json"))
		return err == nil
	}
	entries, err := os.ReadDir(path)
	if err != nil || isStore(path) {
		return []string{path}
	}
	var found []string
	for _, e := range entries { // sorted
		name := filepath.Join(path, e.Name())
		if e.IsDir() && isStore(name) || !e.IsDir() && slices.Contains([]string{".db", ".sqlite", ".sqlite3"}, filepath.Ext(name)) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return []string{path}
	}
	return found
}

// listedBranch is a line of branch list.
type listedBranch struct {
	Branch   string `json:"branch"`
	Head     int64  `json:"head_commit_id"`
	Ancestor *int64 `json:"ancestor_commit_id"` // nil if there is none
	Ahead    *int   `json:"ahead"`
	Behind   *int   `json:"behind"`
}

func (p *program) listBranches(ctx context.Context, names []string) error {
	var all []listedBranch
	var first *openedBranch
	for _, name := range names {
		b, err := p.openBranch(ctx, name)
		if err != nil {
			return err
		}
		defer b.close()
		pin, err := b.Pins.PinFresh(ctx)
		if err != nil {
			return &openError{fmt.Errorf("%s: %w", b.Address, err)}
		}
		line := listedBranch{Branch: b.Address, Head: int64(pin.Head.Commit)}
		if first == nil {
			first = b
		} else if a, err := branch.Relate(ctx, b.Store, first.Store); err == nil {
			fork, ahead, behind := int64(a.Fork), a.Ahead(), a.Behind()
			line.Ancestor, line.Ahead, line.Behind = &fork, &ahead, &behind
		} else if !errors.Is(err, branch.ErrUnrelated) && !errors.Is(err, branch.ErrOtherKind) {
			return branchError("compare "+b.Address, err)
		}
		all = append(all, line)
	}
	if p.cfg.JSON {
		return printJSON(p.out, all)
	}
	var rows [][]string
	for _, l := range all {
		row := []string{l.Branch, fmt.Sprint(l.Head), "", "", ""}
		if l.Ancestor != nil {
			row[2], row[3], row[4] = fmt.Sprint(*l.Ancestor), fmt.Sprint(*l.Ahead), fmt.Sprint(*l.Behind)
		}
		rows = append(rows, row)
	}
	printTable(p.out, []string{"branch", "head", "ancestor", "ahead", "behind"}, rows)
	return nil
}
