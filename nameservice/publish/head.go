package publish

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
)

// tries is how often a push of the head is tried when others push too.
const tries = 10

// commitAddress is the payload of a head (seed 003).
type commitAddress struct {
	Address string `json:"address"`
	T       int64  `json:"t"`
}

func (p *Publisher) headValue(id ontosql.CommitID, manifest string) nameservice.Value {
	payload, _ := json.Marshal(commitAddress{p.address(manifest), int64(id)}) // a string and a number
	return nameservice.Value{V: int64(id), Payload: payload}
}

func (p *Publisher) address(key string) string { return p.o.StorageURI + "/" + key }

// pushHead pushes the newest head in the place of an earlier one of the same history. What it
// expects is what it saw last, so that usually one request does it.
func (p *Publisher) pushHead(ctx context.Context) error {
	head := p.told().head
	next := p.headValue(head.Commit, head.ManifestPath)
	for range tries {
		result, err := p.o.Service.Write(ctx, p.o.Alias, nameservice.NewPush(nameservice.Head, p.known, next))
		switch {
		case err != nil:
			return err
		case result.Updated:
			p.known, p.diverged = next, false
			return nil
		case result.Actual == nil:
			return fmt.Errorf("%s: %w", p.o.Alias, nameservice.ErrNotFound)
		}
		ours, err := p.ours(ctx, *result.Actual)
		if err != nil {
			return err
		}
		if !ours {
			p.tellDivergence(ctx, *result.Actual, next)
			return nil
		}
		p.known, p.diverged = *result.Actual, false
		if result.Diverged(next) {
			return nil // this commit, or a later one, was pushed by somebody else
		}
	}
	return &nameservice.ConflictError{Alias: p.o.Alias, Concern: nameservice.Head, Actual: p.known}
}

// ours reports whether a head is unborn or a commit in the history of the ontology.
func (p *Publisher) ours(ctx context.Context, head nameservice.Value) (bool, error) {
	if head.V == 0 {
		return true, nil
	}
	manifest, err := p.o.Manifest(ctx, ontosql.CommitID(head.V))
	if err != nil {
		return false, fmt.Errorf("look for commit %d: %w", head.V, err)
	}
	return manifest != "" && nameservice.EqualPayloads(head.Payload, p.headValue(ontosql.CommitID(head.V), manifest).Payload), nil
}

// tellDivergence logs that the record has a head of another history, which is left there. That is
// said once, until the head is one of ours again.
func (p *Publisher) tellDivergence(ctx context.Context, actual, ours nameservice.Value) {
	if p.diverged {
		return
	}
	p.diverged = true
	p.o.Logger.WarnContext(ctx, "the record of an ontology and its store have diverged: the head of the record is left there", "alias", p.o.Alias.String(),
		"head_v", actual.V, "head", string(actual.Payload), "own_head", string(ours.Payload))
}
