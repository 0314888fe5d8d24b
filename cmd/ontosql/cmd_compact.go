package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/nameservice"
)

// compactionPlan is the original's answer of compact (COMPAT 3.7).
type compactionPlan struct {
	Planned []plannedType `json:"planned"`
	Applied bool          `json:"applied"`
}

type plannedType struct {
	Kind    string `json:"kind"`
	Type    string `json:"type_name"`
	Entries int    `json:"entry_count"`
	Min     int64  `json:"min_commit_id"`
	Max     int64  `json:"max_commit_id"`

	rows int64
}

func (p *program) compactCommand() *cobra.Command {
	var o compaction.Options
	var strategy string
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "merge the data files of each type into a snapshot",
		Long: "compact merges the data files of the commits into a snapshot of each type, so that queries read\n" +
			"one file and not one of each commit. No answer changes, at any point of the past. The files of the\n" +
			"commits stay. Without --apply it only shows the plan. Commits go on meanwhile: the write lock is\n" +
			"held for a few requests at the end of each type.",
		Example: "  ontosql compact --storage-uri s3://bucket/prefix\n" +
			"  ontosql compact --storage-uri s3://bucket/prefix --type Customer --apply\n" +
			"  ontosql compact --storage-uri s3://bucket/prefix --strategy tiered --apply",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Strategy, err = compaction.ParseStrategy(strategy); err != nil {
				return usagef("compact: --strategy: %v", err)
			}
			s, done, err := p.openMaintained(cmd.Context(), "compact")
			if err != nil {
				return err
			}
			defer done()
			if draw := p.rowProgress("compacting rows"); draw != nil {
				o.Progress = func(at compaction.Progress) { draw(at.Done, at.Total) }
			}
			compact := func(ctx context.Context, d *published) error {
				d.maintains(&s)
				c, err := compaction.Compact(ctx, s, o)
				switch {
				case errors.Is(err, compaction.ErrUnknownType):
					return usagef("compact: --type %q: the ontology has no such type", o.Type)
				case err != nil:
					return &executionError{fmt.Errorf("compact: %w", err)}
				}
				return p.printCompaction(c)
			}
			if !o.Apply {
				return compact(cmd.Context(), nil)
			}
			return p.softly(cmd.Context(), nameservice.IndexLock, s.Files.Pin, compact)
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	p.cfg.nameserviceFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.Type, "type", "", "compact only the type of this `name`")
	cmd.Flags().StringVar(&strategy, "strategy", string(compaction.Whole), "what to merge: snapshot, all files of a type, as the original does; tiered, runs of files of similar size")
	cmd.Flags().BoolVar(&o.Apply, "apply", false, "write the snapshots")
	return cmd
}

func (p *program) printCompaction(c *compaction.Compaction) error {
	plan := compactionPlan{Planned: []plannedType{}, Applied: c.Applied}
	for _, r := range c.Planned {
		plan.Planned = append(plan.Planned, plannedType{
			Kind: r.Type.Kind.String(), Type: r.Type.Name, Entries: r.Files, Min: int64(r.Min), Max: int64(r.Max), rows: r.Rows,
		})
	}
	if p.cfg.JSON {
		return printJSON(p.out, plan)
	}
	var rows [][]string
	for _, t := range plan.Planned {
		rows = append(rows, []string{t.Kind, t.Type, fmt.Sprint(t.Entries), fmt.Sprint(t.Min), fmt.Sprint(t.Max), fmt.Sprint(t.rows)})
	}
	printTable(p.out, []string{"kind", "type_name", "entry_count", "min_commit_id", "max_commit_id", "rows"}, rows)
	switch {
	case len(rows) == 0:
		fmt.Fprintln(p.out, "Nothing to compact.")
	case c.Applied:
		fmt.Fprintf(p.out, "Compacted: %d rows written, %d bytes.\n", c.Rows, c.Bytes)
	default:
		fmt.Fprintln(p.out, "--apply writes the snapshots.")
	}
	return nil
}

// rowProgress is progress for numbers of rows.
func (p *program) rowProgress(what string) func(done, total int64) {
	draw := p.progress(what)
	if draw == nil {
		return nil
	}
	return func(done, total int64) {
		if total > 0 && total <= math.MaxInt {
			draw(int(done), int(total))
		}
	}
}
