package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/nameservice"
)

func (p *program) indexCommand() *cobra.Command {
	index := &cobra.Command{
		Use:   "index",
		Short: "compare the indexes of a bucket with its commits, and repair them",
		Args:  cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("index: want a subcommand: verify or repair")
		},
	}
	index.AddCommand(p.indexVerifyCommand(), p.indexRepairCommand())
	return index
}

// indexState is the original's answer of index verify (COMPAT 3.7), with a member of our own:
// problems, which are other contradictions to the manifests.
type indexState struct {
	Head     int64          `json:"head_commit_id"`
	Lagged   []string       `json:"lagged_types"`
	Missing  []string       `json:"missing_latest"`
	OK       bool           `json:"ok"`
	Problems []indexProblem `json:"problems,omitempty"`
}

type indexProblem struct {
	Type    string `json:"type"`
	Problem string `json:"problem"`
}

func (p *program) indexVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "compare the indexes with the commits",
		Long: "index verify compares the index of every type with the manifests of the commits. It writes\n" +
			"nothing, and exits with 4 if an index lags, lacks the newest commit or contradicts the commits.\n" +
			"Queries are right all the same: they take the files from the manifests.",
		Example: "  ontosql index verify --storage-uri s3://bucket/prefix\n  ontosql index verify --storage-uri /srv/onto --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, done, err := p.openMaintained(cmd.Context(), "index verify")
			if err != nil {
				return openedForIndex(err)
			}
			defer done()
			v, err := compaction.VerifyIndexes(cmd.Context(), s)
			if err != nil {
				return &executionError{fmt.Errorf("index verify: %w", err)}
			}
			state := indexState{Head: int64(v.Head), Lagged: typeTexts(v.Lagged), Missing: typeTexts(v.Missing), OK: v.OK()}
			for _, problem := range v.Problems {
				state.Problems = append(state.Problems, indexProblem{problem.Type.String(), problem.Text})
			}
			if err := p.printIndexState(&state); err != nil {
				return err
			}
			if !state.OK {
				return &alreadySaid{&executionError{fmt.Errorf("index verify: not sound")}}
			}
			return nil
		},
	}
}

func (p *program) printIndexState(state *indexState) error {
	if p.cfg.JSON {
		return printJSON(p.out, state)
	}
	if err := p.printMembers(struct {
		Head    int64    `json:"head_commit_id"`
		Lagged  []string `json:"lagged_types"`
		Missing []string `json:"missing_latest"`
		OK      bool     `json:"ok"`
	}{state.Head, state.Lagged, state.Missing, state.OK}); err != nil {
		return err
	}
	for _, problem := range state.Problems {
		fmt.Fprintf(p.out, "%s: %s\n", problem.Type, problem.Problem)
	}
	if !state.OK {
		fmt.Fprintln(p.out, "ontosql index repair --apply writes these indexes anew.")
	}
	return nil
}

// indexRepair is the original's answer of index repair.
type indexRepair struct {
	Head    int64    `json:"head_commit_id"`
	Planned []string `json:"planned_types"`
	Applied bool     `json:"applied"`
	Repair  *int64   `json:"repair_head,omitempty"`
}

func (p *program) indexRepairCommand() *cobra.Command {
	var apply bool
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "write the indexes that contradict the commits anew",
		Long: "index repair writes the indexes that index verify complains about anew, from the manifests of\n" +
			"the commits. Snapshots that are sound stay in them. Without --apply it only names the types.\n" +
			"It makes no commit.",
		Example: "  ontosql index repair --storage-uri s3://bucket/prefix\n  ontosql index repair --storage-uri s3://bucket/prefix --apply",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, done, err := p.openMaintained(cmd.Context(), "index repair")
			if err != nil {
				return openedForIndex(err)
			}
			defer done()
			repair := func(ctx context.Context, d *published) error {
				d.maintains(&s)
				r, err := compaction.RepairIndexes(ctx, s, apply)
				if err != nil {
					return &executionError{fmt.Errorf("index repair: %w", err)}
				}
				shown := indexRepair{Head: int64(r.Head), Planned: typeTexts(r.Planned), Applied: r.Applied}
				if r.Applied {
					shown.Repair = &shown.Head
				}
				return p.printMembers(shown)
			}
			if !apply {
				return repair(cmd.Context(), nil)
			}
			return p.softly(cmd.Context(), nameservice.ReindexLock, s.Files.Pin, repair)
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	p.cfg.nameserviceFlags(cmd.Flags())
	cmd.Flags().BoolVar(&apply, "apply", false, "write the indexes")
	return cmd
}

// typeTexts are types as the original writes them, such as entity:Customer; never nil.
func typeTexts(refs []ontosql.TypeRef) []string {
	texts := make([]string, len(refs))
	for i, ref := range refs {
		texts[i] = ref.String()
	}
	return texts
}

// openMaintained opens the ontology of a command that looks after indexes and snapshots, which a
// SQLite file does not have.
func (p *program) openMaintained(ctx context.Context, command string) (compaction.Store, func(), error) {
	a, err := p.cfg.oneAddress()
	if err != nil {
		return compaction.Store{}, nil, err
	}
	if a.backend == "sqlite" {
		return compaction.Store{}, nil, usagef("%s: %s is a SQLite file, which has no indexes or snapshots of this kind; want an ontology in a bucket or a directory", command, a.text)
	}
	s, err := p.cfg.openStore(ctx, a, p.log)
	if err != nil {
		return compaction.Store{}, nil, err
	}
	maintained, err := p.cfg.compactionStore(s, p.log)
	if err == nil {
		if _, pinErr := s.store.Pin(ctx); pinErr != nil {
			err = &openError{pinErr}
		}
	}
	if err != nil {
		s.close()
		return compaction.Store{}, nil, err
	}
	return maintained, s.close, nil
}

// compactionStore is an opened store as compaction works on it.
func (c *Config) compactionStore(s *store, log *slog.Logger) (compaction.Store, error) {
	wait, lease, err := c.writerTimes()
	if err != nil {
		return compaction.Store{}, err
	}
	root, err := c.cacheDir()
	if err != nil {
		return compaction.Store{}, err
	}
	return compaction.Store{
		Bucket: s.bucket, Log: s.log, Files: s.files, RuntimeID: c.RuntimeID,
		TempDir: filepath.Join(root, "large"), LockTimeout: wait, LeaseTTL: lease, Logger: log,
	}, nil
}

// openedForIndex gives a store that cannot be opened the exit code that the index commands of the
// original have for it (COMPAT 7).
func openedForIndex(err error) error {
	var open *openError
	if errors.As(err, &open) {
		return &indexOpenError{err}
	}
	return err
}
