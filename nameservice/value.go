package nameservice

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Concern is one of the four parts of a record that are written independently.
type Concern uint8

// The concerns of a record.
const (
	Head   Concern = iota // the last commit; written by who commits
	Index                 // the published indexes; written by who indexes
	Status                // state, figures and soft locks; written by anybody
	Config                // settings; written by administrators
)

// Concerns are all concerns, in the order of a record's attributes.
var Concerns = [...]Concern{Head, Index, Status, Config}

var concernNames = [...]string{"head", "index", "status", "config"}

// String returns the attribute of the payload: "head".
func (c Concern) String() string { return concernNames[c] }

// Watermark returns the attribute of the watermark: "head_v".
func (c Concern) Watermark() string { return concernNames[c] + "_v" }

// ParseConcern reads the name of a concern.
func ParseConcern(name string) (Concern, error) {
	if i := slices.Index(concernNames[:], name); i >= 0 {
		return Concern(i), nil
	}
	return 0, fmt.Errorf("unknown concern %q: want head, index, status or config", name)
}

// Value is a concern of a record. V = 0 with a null payload means that it is unborn: the record is
// there, and nothing was written yet. The status of a record begins at 1.
type Value struct {
	V       int64           `json:"v"`       // watermark; of head the commit id, else a counter
	Payload json.RawMessage `json:"payload"` // a JSON object; nil is null
}

// Equal reports whether two values have equal watermarks and equal payloads (EqualPayloads).
func (v Value) Equal(o Value) bool { return v.V == o.V && EqualPayloads(v.Payload, o.Payload) }

func (v Value) unborn() bool { return v.V == 0 && isNull(v.Payload) }

// Initial is the value of a concern in a new record.
func Initial(c Concern) Value {
	if c == Status {
		return Value{V: 1, Payload: json.RawMessage(`{"state":"ready"}`)}
	}
	return Value{}
}

// Result is the answer to a conditional write. A conflict is not an error: it is what happens when
// others write too.
type Result struct {
	Updated bool // the value was written
	// Actual is the current value after a conflict, for the caller to reconcile. It is nil if the
	// record does not exist, and after an update.
	Actual *Value
}

// Updated is the result of a write that was made.
func Updated() Result { return Result{Updated: true} }

// Conflict is the result of a write that was refused because of the current value; nil means that
// there is no such record.
func Conflict(actual *Value) Result { return Result{Actual: actual} }

// Diverged reports whether a value that met this conflict can never be written by a retry, because
// the current watermark is as great already. A record that does not exist has not diverged.
func (r Result) Diverged(next Value) bool { return r.Actual != nil && next.V <= r.Actual.V }
