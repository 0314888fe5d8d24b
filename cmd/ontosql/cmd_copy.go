package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/transfer"
)

func (p *program) copyCommand() *cobra.Command {
	follow := false
	cmd := &cobra.Command{
		Use:   "copy FROM TO",
		Short: "copy a whole history to another store",
		Long: "copy copies an ontology with all its commits to an empty address, or brings what is new to a\n" +
			"copy that was made before. With --follow it goes on until it is stopped, so that the copy is\n" +
			"behind by seconds. The copy is sound at every moment: serve it if the source is lost.",
		Example: "  ontosql copy sqlite:////srv/onto.db s3://bucket/prefix\n" +
			"  ontosql copy s3://bucket/prefix /backup/onto\n" +
			"  ontosql copy s3://bucket/prefix /backup/onto --follow\n" +
			"  ontosql copy /srv/onto onto.db --json",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("copy: want FROM and TO")
			}
			from, err := parseAddress(args[0])
			if err != nil {
				return err
			}
			to, err := parseAddress(args[1])
			if err != nil {
				return err
			}
			if from.uri() == to.uri() || from.path != "" && from.path == to.path {
				return usagef("copy: %s and %s are one store", args[0], args[1])
			}
			if follow {
				return p.follow(cmd.Context(), from, to)
			}
			done, err := p.copyHistory(cmd.Context(), from, to)
			if err != nil {
				return err
			}
			return p.printCopied(from, to, done)
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "go on: bring each new commit within seconds, until the command is stopped")
	return cmd
}

// copyHistory copies between any two kinds of stores.
func (p *program) copyHistory(ctx context.Context, from, to address) (*transfer.Copied, error) {
	temp, err := p.cfg.transferDir()
	if err != nil {
		return nil, err
	}
	o := transfer.CopyOptions{Temp: temp, Progress: p.progress}
	s, err := p.cfg.openStore(ctx, from, p.log)
	if err != nil {
		return nil, err
	}
	defer s.close()
	pin, err := s.store.Pin(ctx)
	if err != nil {
		return nil, &openError{fmt.Errorf("%s: %w", from.text, err)}
	}
	for _, text := range pin.Warnings {
		fmt.Fprintf(p.err, "WARNING:  %s\n", text)
	}
	var done *transfer.Copied
	switch {
	case to.backend == "sqlite" && s.db != nil:
		done, err = transfer.CopyFile(ctx, s.db, to.path, o)
	case to.backend == "sqlite":
		done, err = transfer.CopyToFile(ctx, transfer.NewBucket(s.bucket, pin, temp), to.path, o)
	default:
		bucket, failed := p.cfg.openBucket(ctx, to, true)
		if failed != nil {
			return nil, failed
		}
		if s.db != nil {
			done, err = transfer.CopyToBucket(ctx, transfer.NewTables(s.db, pin), bucket, o)
		} else {
			done, err = transfer.NewObjects(s.bucket, s.log, bucket, o).Copy(ctx)
		}
	}
	if err != nil {
		return nil, copyError(to, err)
	}
	return done, nil
}

// copyError says what became of the target.
func copyError(to address, err error) error {
	switch {
	case errors.Is(err, transfer.ErrOtherOntology), errors.Is(err, transfer.ErrNotEmpty), errors.Is(err, sqlite.ErrForeign):
		return &executionError{&refusal{message: fmt.Sprintf("copy to %s: %v", to.text, err), hint: "The source was reset or restored to an earlier state, or somebody has written to the target, or the two never belonged together. Copy to an empty address; nothing was written to this one.", err: err}}
	case errors.Is(err, context.Canceled), errors.Is(err, ontosql.ErrBusy):
		return &executionError{&refusal{message: fmt.Sprintf("copy to %s: %v", to.text, err), hint: "The same command goes on where this one stopped.", err: err}}
	}
	return &executionError{fmt.Errorf("copy to %s: %w", to.text, err)}
}

// copied is what copy answers with --json.
type copied struct {
	Status   string `json:"status"`
	From     string `json:"from"`
	To       string `json:"to"`
	Head     int64  `json:"head_commit_id"`
	Commits  int    `json:"commits"`
	Rows     int64  `json:"rows"`
	Objects  int    `json:"objects"`
	Bytes    int64  `json:"bytes"`
	Events   int    `json:"events"`
	Verified struct {
		Types  int `json:"types"`
		Points int `json:"points"`
	} `json:"verified"`
}

func newCopied(from, to address, done *transfer.Copied) copied {
	out := copied{
		Status: "copied", From: from.uri(), To: to.uri(), Head: int64(done.Head), Commits: done.Commits,
		Rows: done.Rows, Objects: done.Objects, Bytes: done.Bytes, Events: done.Events,
	}
	out.Verified.Types, out.Verified.Points = done.Types, done.Points
	return out
}

func (p *program) printCopied(from, to address, done *transfer.Copied) error {
	out := newCopied(from, to, done)
	if p.cfg.JSON {
		return printJSON(p.out, out)
	}
	switch {
	case out.Commits == 0 && out.Objects == 0:
		_, err := fmt.Fprintf(p.out, "Nothing new: %s is at commit %d already\n", to.text, out.Head)
		return err
	case out.Commits == 0:
		_, err := fmt.Fprintf(p.out, "Copied %s to %s, whose head is commit %d already\n", amount(out.Objects, "object"), to.text, out.Head)
		return err
	}
	_, err := fmt.Fprintf(p.out, "Copied %d commits to %s, whose head is commit %d; compared %d types at %d points\n",
		out.Commits, to.text, out.Head, done.Types, done.Points)
	return err
}
