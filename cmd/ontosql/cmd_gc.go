package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/writepath"
)

func (p *program) gcCommand() *cobra.Command {
	o := gc.Options{}
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "remove the objects of a bucket that nothing can be read by any more",
		Long: "gc finds what writers left behind: files of attempts that did not become commits, and snapshots\n" +
			"that no index names. Without --apply it only shows them. It looks below commits/ and snapshots/\n" +
			"only, at objects older than the grace by the store's clock, and refuses a store in which any\n" +
			"object of a commit is missing or damaged. Commits, compactions and copies go on meanwhile.",
		Example: "  ontosql gc --storage-uri s3://bucket/prefix\n" +
			"  ontosql gc --storage-uri s3://bucket/prefix --apply\n" +
			"  ontosql gc --storage-uri /srv/onto --grace 168h --json",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Grace < 0 {
				return usagef("gc: --grace %s: want a time that is not negative", o.Grace)
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			if a.backend == "sqlite" {
				return usagef("gc: %s is a SQLite file, in which a transaction that fails leaves nothing to collect; want an ontology in a bucket or a directory", a.text)
			}
			s, done, err := p.openMaintained(cmd.Context(), "gc")
			if err != nil {
				return err
			}
			defer done()
			o.MaintenanceOptions = writepath.MaintenanceOptions{
				Bucket: s.Bucket, Log: s.Log, Owner: "gc-" + s.RuntimeID,
				LockTimeout: s.LockTimeout, LeaseTTL: s.LeaseTTL, Logger: p.log,
			}
			o.Progress = p.progress("removing objects")
			c, err := gc.Run(cmd.Context(), o)
			if c != nil {
				err = errors.Join(err, p.printCollection(c, o.Grace))
			}
			return collectionError(c, err)
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	cmd.Flags().DurationVar(&o.Grace, "grace", gc.DefaultGrace, "leave what is younger than this `time`, such as 24h or 90m")
	cmd.Flags().BoolVar(&o.Apply, "apply", false, "remove the objects")
	return cmd
}

// collectionError says what became of a collection that failed.
func collectionError(c *gc.Collection, err error) error {
	var damaged *ontosql.CorruptError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &damaged):
		hint := "Nothing is removed from a damaged store."
		if c != nil && c.Removed.Objects > 0 {
			hint = "What was removed before it was found was garbage."
		}
		return &executionError{&refusal{
			message: fmt.Sprintf("gc: the store is damaged: %v", err), hint: hint + " ontosql fsck names all that is damaged.", err: err,
		}}
	case c != nil && c.Removed.Objects < c.Total.Objects:
		return &executionError{&refusal{
			message: fmt.Sprintf("gc: %v", err), hint: "What was removed before was garbage. The same command goes on where this one stopped.", err: err,
		}}
	}
	return &executionError{fmt.Errorf("gc: %w", err)}
}

// collection is what gc prints.
type collection struct {
	Head           int64         `json:"head_commit_id"`
	StoreTime      string        `json:"store_time"`
	Grace          float64       `json:"grace_seconds"`
	Planned        []garbage     `json:"planned"`
	PlannedBytes   int64         `json:"planned_bytes"`
	Kept           []keptGarbage `json:"kept"`      // nothing names it, but it is not garbage yet, or not ours
	Abandoned      []string      `json:"abandoned"` // folders of commits that the head went back behind
	Applied        bool          `json:"applied"`
	RemovedObjects int           `json:"removed_objects"`
	RemovedBytes   int64         `json:"removed_bytes"`
}

type garbage struct {
	Object   string    `json:"object"`
	Bytes    int64     `json:"bytes"`
	Modified string    `json:"modified"`
	Reason   gc.Reason `json:"reason"`
}

func (g garbage) String() string {
	return fmt.Sprintf("%s: %s, %s", g.Object, amount(g.Bytes, "byte"), g.Modified)
}

func newGarbage(g gc.Garbage) garbage {
	return garbage{g.Key, g.Bytes, format.TimeOf(g.Modified).String(), g.Reason}
}

type keptGarbage struct {
	Reason  gc.Reason `json:"reason"`
	Objects int       `json:"objects"`
	Bytes   int64     `json:"bytes"`
}

func (p *program) printCollection(c *gc.Collection, grace time.Duration) error {
	out := collection{
		Head: int64(c.Head), StoreTime: format.TimeOf(c.Now).String(), Grace: grace.Seconds(), Planned: []garbage{}, PlannedBytes: c.Total.Bytes,
		Kept: []keptGarbage{}, Abandoned: slices.Concat([]string{}, c.Abandoned), Applied: c.Applied, RemovedObjects: c.Removed.Objects, RemovedBytes: c.Removed.Bytes,
	}
	for _, g := range c.Planned {
		out.Planned = append(out.Planned, newGarbage(g))
	}
	for _, reason := range slices.Sorted(maps.Keys(c.Kept)) {
		out.Kept = append(out.Kept, keptGarbage{reason, c.Kept[reason].Objects, c.Kept[reason].Bytes})
	}
	if p.cfg.JSON {
		return printJSON(p.out, out)
	}
	p.printGarbage(out.Planned)
	for _, k := range out.Kept {
		fmt.Fprintf(p.out, "kept: %s, %s: %s\n", amount(k.Objects, "object"), amount(k.Bytes, "byte"), k.Reason)
		if k.Reason == gc.Committed {
			p.printAbandoned(out.Abandoned)
		}
	}
	switch {
	case c.Applied:
		fmt.Fprintf(p.out, "Removed: %s, %s.\n", amount(c.Removed.Objects, "object"), amount(c.Removed.Bytes, "byte"))
	case len(c.Planned) == 0:
		fmt.Fprintln(p.out, "Nothing to remove.")
	default:
		fmt.Fprintf(p.out, "--apply removes %s, %s.\n", amount(c.Total.Objects, "object"), amount(c.Total.Bytes, "byte"))
	}
	return nil
}

// printGarbage prints the first objects of each reason.
func (p *program) printGarbage(planned []garbage) {
	planned = slices.Clone(planned)
	slices.SortStableFunc(planned, func(a, b garbage) int { return cmp.Compare(a.Reason, b.Reason) })
	for len(planned) > 0 {
		n := slices.IndexFunc(planned, func(g garbage) bool { return g.Reason != planned[0].Reason })
		if n < 0 {
			n = len(planned)
		}
		bytes := int64(0)
		for _, g := range planned[:n] {
			bytes += g.Bytes
		}
		fmt.Fprintf(p.out, "%s, %s: %s\n", amount(n, "object"), amount(bytes, "byte"), planned[0].Reason)
		for _, g := range planned[:min(n, mostExamples)] {
			fmt.Fprintf(p.out, "  %s\n", g)
		}
		if n > mostExamples {
			fmt.Fprintf(p.out, "  and %d more\n", n-mostExamples)
		}
		planned = planned[n:]
	}
}

// printAbandoned prints the first folders of commits that the head went back behind, and what to do.
func (p *program) printAbandoned(folders []string) {
	for _, folder := range folders[:min(len(folders), mostExamples)] {
		fmt.Fprintf(p.out, "  %s\n", folder)
	}
	if more := len(folders) - mostExamples; more > 0 {
		fmt.Fprintf(p.out, "  and %d more\n", more)
	}
	fmt.Fprintln(p.out, "  Put the head back to them, or, if nobody wants them, remove these folders by hand.")
}

// amount is a number of things, such as "1 object" or "3 objects".
func amount[T int | int64](n T, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
