package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// commitLine is the original's object of one commit (COMPAT 7).
type commitLine struct {
	CommitID   int64           `json:"commit_id"`
	Timestamp  string          `json:"timestamp"`
	Operations int64           `json:"operations"`
	Meta       json.RawMessage `json:"meta"` // null when it has none
}

func (p *program) commitsCommand() *cobra.Command {
	var last int
	var since, id int64
	var meta []string
	cmd := &cobra.Command{
		Use:     "commits",
		Short:   "the last commits, newest first",
		Example: "  ontosql commits --storage-uri /srv/onto --last 20\n  ontosql commits --storage-uri /srv/onto --id 42 --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			one := p.cfg.given(cmd, "id")
			switch {
			case last < 0:
				return usagef("--last %d: want a number of commits", last)
			case one && (p.cfg.given(cmd, "since") || len(meta) > 0):
				return usagef("--id names one commit: --since and --meta exclude it")
			}
			wanted, err := metaPairs(meta)
			if err != nil {
				return err
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			if one {
				return p.examine(cmd.Context(), a, ontosql.CommitID(id))
			}
			s, err := p.cfg.openStore(cmd.Context(), a, p.log)
			if err != nil {
				return err
			}
			defer s.close()
			pin, err := s.store.Pin(cmd.Context())
			if err != nil {
				return &openError{err}
			}
			low, high := max(since, int64(pin.View.Len()-last)), int64(pin.View.Len())
			lines := []commitLine{}
			for n := high; n > low; n-- {
				// The original filters by metadata after the limit.
				if e := pin.View.Commit(ontosql.CommitID(n)); e != nil && hasMeta(e, wanted) {
					lines = append(lines, newCommitLine(e))
				}
			}
			return p.printCommits(lines)
		},
	}
	cmd.Flags().IntVar(&last, "last", 10, "how many")
	cmd.Flags().Int64Var(&since, "since", 0, "only those after this `commit`")
	cmd.Flags().Int64Var(&id, "id", 0, "what this `commit` did to each entity and relation, as commits examine prints it")
	cmd.Flags().StringArrayVar(&meta, "meta", nil, "only those with this `KEY=VALUE` in their metadata, repeatable")
	cmd.AddCommand(p.examineCommand())
	return cmd
}

func metaPairs(list []string) (map[string]string, error) {
	pairs := map[string]string{}
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usagef("--meta %s: want KEY=VALUE", text)
		}
		pairs[key] = value
	}
	return pairs, nil
}

func hasMeta(e *chain.Entry, wanted map[string]string) bool {
	for key, value := range wanted {
		var text string
		if json.Unmarshal(e.Manifest.Metadata[key], &text) != nil || text != value {
			return false
		}
	}
	return true
}

// newCommitLine leaves out the metadata keys that are the gateway's own.
func newCommitLine(e *chain.Entry) commitLine {
	line := commitLine{CommitID: int64(e.ID), Timestamp: e.Manifest.CreatedAt.String(), Meta: json.RawMessage("null")}
	for _, f := range e.Manifest.Files {
		line.Operations += f.RowCount
	}
	var members []format.Member
	for _, key := range sortedNames(e.Manifest.Metadata) {
		if key == format.MetadataSchema || key == format.MetadataAttempt || key == format.MetadataTags {
			continue
		}
		if v, err := format.ParseJSON(e.Manifest.Metadata[key]); err == nil {
			members = append(members, format.Member{Name: key, Value: v})
		}
	}
	if len(members) > 0 {
		line.Meta = format.Object(members...).Append(nil, format.Canonical)
	}
	return line
}

func (p *program) printCommits(lines []commitLine) error {
	if p.cfg.JSON {
		return printJSON(p.out, lines)
	}
	rows := make([][]string, len(lines))
	for i, l := range lines {
		meta := string(l.Meta)
		if meta == "null" {
			meta = ""
		}
		rows[i] = []string{fmt.Sprint(l.CommitID), l.Timestamp, fmt.Sprint(l.Operations), meta}
	}
	printTable(p.out, []string{"commit_id", "timestamp", "operations", "meta"}, rows)
	return nil
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
