package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql/nameservice"
)

const (
	// defaultGraph is the named graph of all types: an entry for each type would make the record long.
	defaultGraph = "default"
	// indexFolder is the folder of the indexes, below the storage URI.
	indexFolder = "meta/indices/"
)

// errNothing ends a change that has nothing to do.
var errNothing = errors.New("nothing to push")

// pushIndex pushes how far the indexes reach, and how often they were replaced since they reach that
// far (seed 003, push_index). After a lost answer a replacement may be counted twice.
func (p *Publisher) pushIndex(ctx context.Context) error {
	told := p.told()
	err := p.revise(ctx, nameservice.Index, func(index object) error {
		graph := object{}
		if err := index.read(defaultGraph, &graph); err != nil {
			return err
		}
		var t, rev int64
		if err := errors.Join(graph.read("t", &t), graph.read("rev", &rev)); err != nil {
			return err
		}
		switch replaced := told.rebuilds - p.rebuilds; {
		case int64(told.indexed) > t:
			t, rev = int64(told.indexed), 0
		case t > 0 && replaced > 0:
			rev += int64(replaced)
		default:
			return errNothing
		}
		graph.write("address", p.address(indexFolder))
		graph.write("t", t)
		graph.write("rev", rev)
		index.write(defaultGraph, graph)
		return nil
	})
	if err == nil {
		p.rebuilds = told.rebuilds
	}
	return err
}

// revise changes the members of a payload, unless the record is retracted or change returns
// errNothing.
func (p *Publisher) revise(ctx context.Context, c nameservice.Concern, change func(payload object) error) error {
	_, err := nameservice.Revise(ctx, p.o.Service, p.o.Alias, c, func(r *nameservice.Record) (json.RawMessage, error) {
		if r.Retracted {
			return nil, errNothing
		}
		payload := object{}
		if old := r.Value(c).Payload; old != nil {
			if err := json.Unmarshal(old, &payload); err != nil {
				return nil, fmt.Errorf("read %s: %w", c, err)
			}
		}
		if err := change(payload); err != nil {
			return nil, err
		}
		return json.Marshal(payload)
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// object is a payload, or a member of one, of which some members are not known to this program.
type object map[string]json.RawMessage

// read reads a member. One that is missing or null leaves the value alone.
func (o object) read(name string, value any) error {
	raw := o[name]
	if raw == nil || string(raw) == "null" {
		return nil
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return fmt.Errorf("read %q: %w", name, err)
	}
	return nil
}

func (o object) write(name string, value any) {
	o[name], _ = json.Marshal(value) // numbers, texts and objects
}
