package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/branch"
)

func (p *program) branchDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "what each of two branches has changed since their common ancestor",
		Long: "diff prints a line for each row: < for a change of A and > for one of B, the type, the key, and the\n" +
			"fields with their values in the ancestor and now. A line without a key is the schema of the type.",
		Example: "  ontosql branch diff /srv/onto /srv/dev\n  ontosql branch diff onto.db dev.db --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("branch diff: want two branches")
			}
			return p.diffBranches(cmd.Context(), args[0], args[1])
		},
	}
}

// branchChange is an element of the list of branch diff --json.
type branchChange struct {
	Branch string                       `json:"branch"`
	Kind   string                       `json:"type_kind"`
	Type   string                       `json:"type_name"`
	Key    []string                     `json:"key"` // null for the type itself
	New    bool                         `json:"new"`
	Fields map[string][]json.RawMessage `json:"fields"` // the value in the ancestor and now; "schema" for the type itself
}

func (p *program) diffBranches(ctx context.Context, nameA, nameB string) error {
	a, err := p.openBranch(ctx, nameA)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := p.openBranch(ctx, nameB)
	if err != nil {
		return err
	}
	defer b.close()
	if a.at != nil || b.at != nil {
		return usagef("branch diff: compares the newest commits, without @POINT")
	}
	list := jsonList{w: p.out}
	_, err = branch.Diff(ctx, a.Store, b.Store, func(c branch.Change) error {
		if !p.cfg.JSON {
			_, err := fmt.Fprintln(p.out, changeLine(c))
			return err
		}
		out := branchChange{Branch: a.Address, Kind: c.Type.Kind.String(), Type: c.Type.Name, Key: c.Key, New: c.New, Fields: map[string][]json.RawMessage{}}
		if c.Second {
			out.Branch = b.Address
		}
		for _, f := range c.Fields {
			name := f.Field
			if name == "" {
				name = "schema"
			}
			out.Fields[name] = []json.RawMessage{orNull(f.Base), orNull(f.Value)}
		}
		text, err := json.Marshal(out)
		if err != nil {
			return err
		}
		return list.add(text)
	})
	if err != nil {
		return branchError("compare", err)
	}
	if p.cfg.JSON {
		return list.end()
	}
	return nil
}

// changeLine is "< Customer c5  tier "Gold" -> "Silver"".
func changeLine(c branch.Change) string {
	side := "<"
	if c.Second {
		side = ">"
	}
	line := side + " " + c.Type.Name + " " + strings.Join(c.Key, " ")
	var values []string
	for _, f := range c.Fields {
		name := f.Field
		if name == "" {
			name = "schema"
		}
		if c.New {
			values = append(values, name+" "+string(orNull(f.Value)))
			continue
		}
		values = append(values, name+" "+string(orNull(f.Base))+" -> "+string(orNull(f.Value)))
	}
	return strings.TrimRight(line, " ") + "  " + strings.Join(values, ", ")
}

// orNull is a value as JSON.
func orNull(v json.RawMessage) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return v
}

func (p *program) branchMergeCommand() *cobra.Command {
	o := branch.MergeOptions{Actor: schemaUser}
	var choice string
	var meta []string
	cmd := &cobra.Command{
		Use:   "merge FROM[@POINT] INTO",
		Short: "bring what one branch has changed into another one, in one commit",
		Long: "merge compares by identity and field with the common ancestor. Fields that both branches have changed\n" +
			"to different values are conflicts: they are listed, and nothing is merged without --on-conflict.",
		Example: "  ontosql branch merge /srv/dev /srv/onto --dry-run\n" +
			"  ontosql branch merge /srv/dev /srv/onto --on-conflict theirs --meta ticket=OPS-7",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) != 2 {
				return usagef("branch merge: want FROM and INTO")
			}
			switch o.Choice = branch.Choice(choice); o.Choice {
			case branch.Ask, branch.Ours, branch.Theirs:
			default:
				return usagef("branch merge: --on-conflict %s: want ours or theirs", choice)
			}
			if o.Metadata, err = commitMeta(meta); err != nil {
				return err
			}
			return p.mergeBranches(cmd.Context(), args[0], args[1], o)
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "only say what would be merged")
	cmd.Flags().StringVar(&choice, "on-conflict", "", "what becomes of conflicts: ours, what INTO has, or theirs, what FROM has")
	cmd.Flags().StringArrayVar(&meta, "meta", nil, "put this `KEY=VALUE` into the metadata of the commit, repeatable")
	return cmd
}

// mergedBranch is what branch merge answers with --json.
type mergedBranch struct {
	Status     string           `json:"status"`
	From       int64            `json:"from_commit_id"`
	Base       int64            `json:"base_commit_id"`
	Commit     int64            `json:"commit_id,omitempty"`
	Inserted   int              `json:"inserted"`
	Updated    int              `json:"updated"`
	Types      []typeName       `json:"types,omitempty"`
	Collisions int              `json:"conflict_count"`
	Conflicts  []branchConflict `json:"conflicts,omitempty"`
}

// branchConflict is a conflict of a merge.
type branchConflict struct {
	Type   string          `json:"type"`
	Key    []string        `json:"key"` // null for the type itself
	Field  string          `json:"field"`
	Base   json.RawMessage `json:"base"`
	Ours   json.RawMessage `json:"ours"`
	Theirs json.RawMessage `json:"theirs"`
}

func (p *program) mergeBranches(ctx context.Context, fromName, intoName string, o branch.MergeOptions) error {
	from, err := p.openBranch(ctx, fromName)
	if err != nil {
		return err
	}
	defer from.close()
	into, err := p.openBranch(ctx, intoName)
	if err != nil {
		return err
	}
	defer into.close()
	if into.at != nil {
		return usagef("branch merge: INTO is a branch, without @POINT")
	}
	o.At = from.at
	g, err := p.openSole(ctx, into.address, gatewayUse{})
	if err != nil {
		return err
	}
	defer g.close(ctx)
	done, err := branch.Merge(ctx, from.Store, into.Store, g.committers[0], o)
	conflicts := errors.Is(err, branch.ErrConflicts)
	if err != nil && !conflicts {
		return branchError("merge "+from.Address+" into "+into.Address, err)
	}
	out := newMergedBranch(done)
	switch {
	case conflicts:
		out.Status = "conflicts"
	case o.DryRun:
		out.Status = "dry-run"
	case done.Commit == 0:
		out.Status = "nothing"
	}
	if p.cfg.JSON {
		err = printJSON(p.out, out)
	} else {
		err = p.printMerged(out)
	}
	if err == nil && conflicts {
		err = &conflictError{&refusal{
			message: fmt.Sprintf("merge %s into %s: %d conflicts, nothing was merged", from.Address, into.Address, out.Collisions),
			hint:    "--on-conflict ours or theirs decides all of them; to decide one by one, write the values to one of the branches first.",
			err:     branch.ErrConflicts,
		}}
	}
	return err
}

func newMergedBranch(done *branch.Merged) mergedBranch {
	out := mergedBranch{
		Status: "merged", From: int64(done.From), Base: int64(done.Base), Commit: int64(done.Commit),
		Inserted: done.Inserted, Updated: done.Updated, Collisions: done.Collisions,
	}
	for _, ref := range done.Types {
		out.Types = append(out.Types, nameOf(ref))
	}
	for _, c := range done.Conflicts {
		out.Conflicts = append(out.Conflicts, branchConflict{c.Type.Name, c.Key, c.Field, orNull(c.Base), orNull(c.Ours), orNull(c.Theirs)})
	}
	return out
}

func (p *program) printMerged(out mergedBranch) error {
	var rows [][]string
	for _, c := range out.Conflicts {
		rows = append(rows, []string{c.Type, strings.Join(c.Key, " "), c.Field, string(c.Base), string(c.Ours), string(c.Theirs)})
	}
	printTable(p.out, []string{"type", "key", "field", "base", "ours", "theirs"}, rows)
	if more := out.Collisions - len(rows); more > 0 {
		fmt.Fprintf(p.out, "and %d more\n", more)
	}
	for _, t := range out.Types {
		fmt.Fprintf(p.out, "type %s\n", t.Name)
	}
	text := fmt.Sprintf("%d rows inserted, %d updated, from commits %d to %d", out.Inserted, out.Updated, out.Base+1, out.From)
	switch out.Status {
	case "merged":
		text = fmt.Sprintf("Merged as commit %d: %s", out.Commit, text)
	case "dry-run":
		text = "Would merge: " + text
	case "nothing":
		text = "Nothing to merge"
	default:
		return nil
	}
	_, err := fmt.Fprintln(p.out, text)
	return err
}
