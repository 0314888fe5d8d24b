package nameservice

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// SchemaVersion is the attribute v of the records that are written.
const SchemaVersion = 2

// Ledger is the type of an ontology. The types of graph sources begin with "vg:".
const Ledger = "ledger"

// Record is what a name service knows of an ontology or a graph source: the 16 attributes of seed
// 003. Its JSON is that of the seed.
type Record struct {
	Alias
	Type      string
	Deps      []string // aliases that a graph source is made from; nil is null
	CreatedAt int64    // seconds since 1970
	Retracted bool     // it was taken out of service; what it refers to is still there
	Head      Value
	Index     Value
	Status    Value // V = 0: a record that others have written without a status
	Config    Value

	// Extra are the top-level members that are no attributes. They are kept.
	Extra map[string]json.RawMessage
	// Legacy is true if the record is stored in the form of version 1. The next write of it stores
	// version 2.
	Legacy bool
}

// New is a record to be created.
type New struct {
	Alias     Alias
	Type      string    // "" is Ledger; the type of a graph source begins with "vg:"
	Deps      []string  // of a graph source
	CreatedAt time.Time // whole seconds are kept
}

// Record returns the record as it is created: unborn, with the status ready. The error is a
// *NameError or wraps ErrType.
func (n New) Record() (*Record, error) {
	if err := n.Alias.Check(); err != nil {
		return nil, err
	}
	if n.Type == "" {
		n.Type = Ledger
	}
	if err := checkType(n.Alias, n.Type); err != nil {
		return nil, err
	}
	if !n.Alias.Graph && n.Deps != nil {
		return nil, fmt.Errorf("%w: %s is no graph source and cannot have dependencies", ErrType, n.Alias)
	}
	for _, dep := range n.Deps {
		if _, err := ParseAlias(dep); err != nil {
			return nil, fmt.Errorf("dependency: %w", err)
		}
	}
	return &Record{
		Alias: n.Alias, Type: n.Type, Deps: slices.Clone(n.Deps), CreatedAt: n.CreatedAt.Unix(),
		Status: Initial(Status),
	}, nil
}

// checkType reports whether an alias and a type fit together.
func checkType(a Alias, kind string) error {
	source, graph := strings.CutPrefix(kind, graphPrefix)
	switch {
	case a.Graph && (!graph || source == ""):
		return fmt.Errorf("%w: %s is a graph source, whose type begins with %q, not %q", ErrType, a, graphPrefix, kind)
	case !a.Graph && kind != Ledger:
		return fmt.Errorf("%w: %s is no graph source, so its type is %q, not %q", ErrType, a, Ledger, kind)
	}
	return nil
}

// Value returns a concern of the record.
func (r *Record) Value(c Concern) Value { return *r.at(c) }

// Set replaces a concern of the record.
func (r *Record) Set(c Concern, v Value) { *r.at(c) = v }

func (r *Record) at(c Concern) *Value {
	return [...]*Value{Head: &r.Head, Index: &r.Index, Status: &r.Status, Config: &r.Config}[c]
}

// Clone returns a copy that shares only payloads, which nobody changes.
func (r *Record) Clone() *Record {
	c := *r
	c.Deps = slices.Clone(r.Deps)
	return &c
}
