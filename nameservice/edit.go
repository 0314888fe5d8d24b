package nameservice

// Retracted is the state of a record that was taken out of service.
const Retracted = "retracted"

// Edit is a conditional change of one concern of a record. It is pure: a store reads the record,
// applies the edit and writes the concern, in one atomic step. A store that writes by expressions of
// its own must decide as Apply does.
type Edit struct {
	Concern  Concern
	Expected *Value // what was there when the caller looked; nil means that any lower watermark will do
	Next     Value
	Retract  bool // also marks the record as retracted, in the same write
}

// NewPush returns the edit of a compare-and-set (seed 003, push_head to push_config): the watermark
// must be the expected one, and grow. Of the head, the payload must be the expected one too, unless
// the head is unborn.
func NewPush(c Concern, expected, next Value) Edit {
	return Edit{Concern: c, Expected: &expected, Next: next}
}

// NewFastForward returns the edit of a synchronisation (seed 003, push_head, option A): the watermark
// must grow, whatever was there.
func NewFastForward(c Concern, next Value) Edit { return Edit{Concern: c, Next: next} }

// NewRetract returns the edit that takes a record out of service (seed 003, retract): a push of the
// status, of which the watermark is expected, that marks the record too.
func NewRetract(expected int64, next Value) Edit {
	return Edit{Concern: Status, Expected: &Value{V: expected}, Next: next, Retract: true}
}

// Prepare checks the new value and returns the edit with its payload as it is stored. Stores call it
// before they do anything else. The error wraps ErrPayload.
func (e Edit) Prepare() (Edit, error) {
	if err := checkValue(e.Concern, e.Next); err != nil {
		return e, err
	}
	e.Next.Payload = compact(e.Next.Payload)
	return e, nil
}

// Apply changes the record if the condition of the edit holds, else it returns the conflict.
func (e Edit) Apply(r *Record) Result {
	if current := r.Value(e.Concern); !e.allowed(current) {
		return Conflict(&current)
	}
	r.Set(e.Concern, e.Next)
	r.Retracted = r.Retracted || e.Retract
	return Updated()
}

func (e Edit) allowed(current Value) bool {
	switch {
	case e.Next.V <= current.V:
		return false
	case e.Expected == nil:
		return true
	case e.Expected.V != current.V:
		return false
	case e.Concern == Head && !current.unborn():
		return EqualPayloads(e.Expected.Payload, current.Payload)
	}
	return true
}

// Done reports whether a record is as the edit leaves it. After a write whose answer was lost, that
// says that it has happened.
func (e Edit) Done(r *Record) bool {
	return r.Value(e.Concern).Equal(e.Next) && (r.Retracted || !e.Retract)
}

// MayPurge reports whether a record may be removed for good: it is retracted, and nothing of it was
// written since it was seen.
func MayPurge(current, seen *Record) bool {
	if !current.Retracted || current.CreatedAt != seen.CreatedAt {
		return false
	}
	for _, c := range Concerns {
		if current.Value(c).V != seen.Value(c).V {
			return false
		}
	}
	return true
}
