package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/transfer"
)

// follow keeps a copy of one bucket in another until ctx ends, which a signal does.
func (p *program) follow(ctx context.Context, from, to address) error {
	for _, a := range []address{from, to} {
		if a.backend == "sqlite" {
			return usagef("copy --follow: %s is a SQLite file, of which each copy compares the whole history; run copy without --follow again and again", a.text)
		}
	}
	temp, err := p.cfg.transferDir()
	if err != nil {
		return err
	}
	s, err := p.cfg.openStore(ctx, from, p.log)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := s.store.Pin(ctx); err != nil {
		return &openError{fmt.Errorf("%s: %w", from.text, err)}
	}
	bucket, err := p.cfg.openBucket(ctx, to, true)
	if err != nil {
		return err
	}
	var printed error
	err = transfer.NewObjects(s.bucket, s.log, bucket, transfer.CopyOptions{Temp: temp, Progress: p.progress}).Follow(ctx, func(f transfer.Followed) {
		if f.Away != nil {
			fmt.Fprintf(p.err, "WARNING:  not copied: %v; trying again in %s\n", f.Away, f.Wait)
			return
		}
		if err := p.printFollowed(from, to, f.Copied); printed == nil {
			printed = err // which ends no copy, and is told at the end
		}
	})
	if err != nil {
		return copyError(to, err)
	}
	return printed
}

// printFollowed prints a copy on one line.
func (p *program) printFollowed(from, to address, done *transfer.Copied) error {
	if p.cfg.JSON {
		return json.NewEncoder(p.out).Encode(newCopied(from, to, done))
	}
	_, err := fmt.Fprintf(p.out, "%s Copied %s and %s to %s, whose head is commit %d\n",
		time.Now().UTC().Format(time.RFC3339), amount(done.Commits, "commit"), amount(done.Objects, "object"), to.text, done.Head)
	return err
}
