package nameservice

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Watermarks are what a client knows of a record (seed 003, client subscription model). A concern
// without a watermark is not of interest. The JSON is {"type": "ledger", "head_v": 42, ...}.
type Watermarks struct {
	Type string
	V    map[Concern]int64
}

// MarshalJSON implements json.Marshaler.
func (w Watermarks) MarshalJSON() ([]byte, error) {
	m := Members{"type": quoted(w.Type)}
	for c, v := range w.V {
		m[c.Watermark()] = number(v)
	}
	return m.append(nil), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (w *Watermarks) UnmarshalJSON(text []byte) error {
	var read struct {
		Type   string `json:"type"`
		Head   *int64 `json:"head_v"`
		Index  *int64 `json:"index_v"`
		Status *int64 `json:"status_v"`
		Config *int64 `json:"config_v"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*w = Watermarks{read.Type, map[Concern]int64{}}
	for c, v := range map[Concern]*int64{Head: read.Head, Index: read.Index, Status: read.Status, Config: read.Config} {
		if v != nil {
			w.V[c] = *v
		}
	}
	return nil
}

// Subscriptions are what a client knows, by pk.
type Subscriptions map[string]Watermarks

// Add subscribes to a record of which the client knows nothing but that it is there.
func (s Subscriptions) Add(r *Record, in Interest) { s[r.Alias.String()] = in.begin(r.Type) }

// Interest are the records that a client wants to hear of although it does not know them yet.
type Interest struct {
	Types    []string  // of records; none means none, "" means all
	Concerns []Concern // none means all
}

// Change is a concern that is newer than a client knows.
type Change struct {
	Alias   Alias
	Type    string
	Concern Concern
	Value   Value
	// Gone is true if the record that the client knows is not there any more. It is the only change
	// of such a record, and has neither concern nor value.
	Gone bool
}

// ChangedSince returns what is new for a client: the newer concerns of the records that it knows, as
// far as it has watermarks of them, and those of the records that are of interest and new to it. The
// order is that of pk and concern. The errors are those of Get and List.
func ChangedSince(ctx context.Context, s Service, known Subscriptions, in Interest) ([]Change, error) {
	records := map[string]*Record{}
	for _, kind := range in.Types {
		list, err := s.List(ctx, kind)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			records[r.Alias.String()] = r
		}
	}
	var changes []Change
	for pk, w := range known {
		r := records[pk]
		if r == nil { // damaged, of another type, or gone
			var err error
			if r, err = lookUp(ctx, s, pk); err != nil {
				return nil, err
			}
		}
		if r == nil {
			a, _ := ParseAlias(pk) // lookUp has read it
			changes = append(changes, Change{Alias: a, Type: w.Type, Gone: true})
			continue
		}
		changes = append(changes, w.newer(r)...)
	}
	for pk, r := range records {
		if _, ok := known[pk]; !ok {
			changes = append(changes, in.begin(r.Type).newer(r)...)
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.Alias.String(), b.Alias.String()) })
	return changes, nil
}

// lookUp returns a record, nil for none.
func lookUp(ctx context.Context, s Service, pk string) (*Record, error) {
	a, err := ParseAlias(pk)
	if err != nil {
		return nil, err
	}
	r, err := s.Get(ctx, a)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return r, err
}

// begin are the watermarks of a record of which the client knows nothing.
func (in Interest) begin(kind string) Watermarks {
	concerns := in.Concerns
	if len(concerns) == 0 {
		concerns = Concerns[:]
	}
	w := Watermarks{kind, map[Concern]int64{}}
	for _, c := range concerns {
		w.V[c] = 0
	}
	return w
}

func (w Watermarks) newer(r *Record) []Change {
	var changes []Change
	for _, c := range Concerns {
		if v, ok := w.V[c]; ok && r.Value(c).V > v {
			changes = append(changes, Change{Alias: r.Alias, Type: r.Type, Concern: c, Value: r.Value(c)})
		}
	}
	return changes
}

// Advance notes changes as known.
func (s Subscriptions) Advance(changes []Change, in Interest) {
	for _, c := range changes {
		pk := c.Alias.String()
		if c.Gone {
			delete(s, pk)
			continue
		}
		if _, ok := s[pk]; !ok {
			s[pk] = in.begin(c.Type)
		}
		s[pk].V[c.Concern] = c.Value.V
	}
}
