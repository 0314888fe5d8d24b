package format

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
)

// The prefixes of the keys of event data (seed 000 section 15.1).
const (
	EventsPrefix      = "events/"
	ClaimsPrefix      = "claims/"
	DeadLettersPrefix = "dead_letters/"
	SessionsPrefix    = "sessions/"
)

// EventPrefixes lists all prefixes of event data.
var EventPrefixes = []string{EventsPrefix, ClaimsPrefix, DeadLettersPrefix, SessionsPrefix}

// EventKey is the key of an event. createdAt is the text of its creation time.
func EventKey(namespace, createdAt, id string) string {
	return fmt.Sprintf("%s%s/%s_%s.json", EventsPrefix, namespace, strings.ReplaceAll(createdAt, ":", "-"), id)
}

// EventKeyFrom is less than the key of every event of a namespace that was created in the second
// of t or later, with or without a fraction in its text, and greater than all others.
func EventKeyFrom(namespace string, t time.Time) string {
	return EventsPrefix + namespace + "/" + strings.ReplaceAll(t.UTC().Format("2006-01-02T15:04:05"), ":", "-")
}

// ParseEventKey is the reverse of EventKey. ok is false for another key. The namespace is all that
// precedes the last slash; createdAt is the zero Time if its text is not a time in UTC.
func ParseEventKey(key string) (namespace string, createdAt Time, id string, ok bool) {
	rest, ok := strings.CutPrefix(key, EventsPrefix)
	slash := strings.LastIndexByte(rest, '/')
	name, isJSON := strings.CutSuffix(rest[slash+1:], ".json")
	text, id, split := strings.Cut(name, "_")
	if !ok || slash < 1 || !isJSON || !split || id == "" {
		return "", Time{}, "", false
	}
	const day, second = len("2006-01-02T"), len("2006-01-02T15-04-05")
	if clock, utc := strings.CutSuffix(text, "+00-00"); utc && len(clock) >= second {
		createdAt, _ = ParseTime(clock[:day] + strings.ReplaceAll(clock[day:], "-", ":") + "+00:00")
	}
	return rest[:slash], createdAt, id, true
}

// ClaimKey is the key of a handler's claim to an event.
func ClaimKey(namespace, event, handler string) string {
	return fmt.Sprintf("%s%s/%s/%s.json", ClaimsPrefix, namespace, event, handler)
}

// DeadLetterKey is the key of the dead letter of an event that a handler gave up.
func DeadLetterKey(namespace, event, handler string) string {
	return fmt.Sprintf("%s%s/%s/%s.json", DeadLettersPrefix, namespace, event, handler)
}

// SessionKey is the key of a session of the event loop.
func SessionKey(namespace, id string) string {
	return fmt.Sprintf("%s%s/%s.json", SessionsPrefix, namespace, id)
}

// Event is one event of the bus (seed 000 section 15.2). It is never changed.
type Event struct {
	ID          string
	Namespace   string
	Type        string
	Payload     json.RawMessage // canonical JSON, an object
	CreatedAt   Time            // when it was sent
	Priority    int64           // the greater, the earlier
	RootEventID string          // the first event of its chain, itself if nothing caused it
	ChainDepth  int64           // 0 for the root
}

// Key returns the key of e's object.
func (e *Event) Key() string { return EventKey(e.Namespace, e.CreatedAt.String(), e.ID) }

// Claim is the state of an event for one handler (seed 000 section 15.2).
type Claim struct {
	EventID        string
	HandlerID      string
	SessionID      string // who claimed it last
	ClaimedAt      Time
	LeaseUntil     Time
	AckAt          *Time // nil unless the event is done
	Attempts       int64 // failed ones
	AvailableAt    Time  // the handler does not get the event before
	LastError      *string
	DeadLetteredAt *Time // nil unless the event is given up
}

// DeadLetter says that a handler gave up an event (seed 000 section 15.2). An object has the first
// six fields; a row of a SQLite file has a copy of the event in addition (seed 002 section 9.1).
type DeadLetter struct {
	EventID   string
	HandlerID string
	Namespace string
	FailedAt  Time
	Attempts  int64
	LastError string

	EventType string // "" in an object
}

// Session is a worker that claims events (seed 000 section 15.2).
type Session struct {
	ID            string
	Namespace     string
	StartedAt     Time
	LastHeartbeat Time
	Metadata      json.RawMessage // canonical JSON, an object
}

// DecodeEvent reads an event. Its error is a *ontosql.CorruptError with the key.
func DecodeEvent(key string, body []byte) (*Event, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	e := &Event{
		ID: f.text("id"), Namespace: f.text("namespace"), Type: f.text("type"), Payload: f.object("payload"),
		CreatedAt: f.time("created_at"), Priority: f.number("priority", 100), RootEventID: f.optionalText("root_event_id"), ChainDepth: f.number("chain_depth", 0),
	}
	if e.RootEventID == "" {
		e.RootEventID = e.ID
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return e, nil
}

// EncodeEvent writes an event. It fails only if the payload is not JSON.
func EncodeEvent(e *Event) ([]byte, error) {
	v, err := e.value()
	if err != nil {
		return nil, err
	}
	return v.Append(nil, Canonical), nil
}

func (e *Event) value() (Value, error) {
	payload, err := parseMember("payload", e.Payload)
	if err != nil {
		return Value{}, fmt.Errorf("encode event %s: %w", e.ID, err)
	}
	return Object(
		Member{"chain_depth", Int(e.ChainDepth)},
		Member{"created_at", String(e.CreatedAt.String())},
		Member{"id", String(e.ID)},
		Member{"namespace", String(e.Namespace)},
		Member{"payload", payload},
		Member{"priority", Int(e.Priority)},
		Member{"root_event_id", String(e.RootEventID)},
		Member{"type", String(e.Type)},
	), nil
}

// DecodeEvents reads an array of events, as EncodeEvents writes it. Its error is a
// *ontosql.CorruptError with the key.
func DecodeEvents(key string, body []byte) ([]Event, error) {
	v, err := ParseJSON(body)
	if err != nil {
		return nil, &ontosql.CorruptError{Key: key, Err: err}
	}
	if v.kind != JSONArray {
		return nil, ontosql.Corrupt(key, "", "expected an array, found %s", v.kind)
	}
	events := make([]Event, 0, len(v.items))
	for _, item := range v.items {
		e, err := DecodeEvent(key, item.Append(nil, Canonical))
		if err != nil {
			return nil, err
		}
		events = append(events, *e)
	}
	return events, nil
}

// EncodeEvents writes events as a JSON array of their objects. It fails only if a payload is not
// JSON.
func EncodeEvents(events []Event) ([]byte, error) {
	items := make([]Value, len(events))
	for i := range events {
		var err error
		if items[i], err = events[i].value(); err != nil {
			return nil, err
		}
	}
	return Array(items...).Append(nil, Canonical), nil
}

// DecodeClaim reads a claim. Its error is a *ontosql.CorruptError with the key.
func DecodeClaim(key string, body []byte) (*Claim, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	c := &Claim{
		EventID: f.text("event_id"), HandlerID: f.text("handler_id"), SessionID: f.optionalText("session_id"),
		ClaimedAt: f.optionalTime("claimed_at"), LeaseUntil: f.time("lease_until"), AckAt: f.timeOrNil("ack_at"),
		Attempts: f.number("attempts", 0), AvailableAt: f.time("available_at"), LastError: f.textOrNil("last_error"),
		DeadLetteredAt: f.timeOrNil("dead_lettered_at"),
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return c, nil
}

// EncodeClaim writes a claim.
func EncodeClaim(c *Claim) []byte {
	return encodeObject(
		Member{"ack_at", timeOrNull(c.AckAt)},
		Member{"attempts", Int(c.Attempts)},
		Member{"available_at", String(c.AvailableAt.String())},
		Member{"claimed_at", String(c.ClaimedAt.String())},
		Member{"dead_lettered_at", timeOrNull(c.DeadLetteredAt)},
		Member{"event_id", String(c.EventID)},
		Member{"handler_id", String(c.HandlerID)},
		Member{"last_error", textOrNull(c.LastError)},
		Member{"lease_until", String(c.LeaseUntil.String())},
		Member{"session_id", String(c.SessionID)},
	)
}

// DecodeDeadLetter reads a dead letter. Its error is a *ontosql.CorruptError with the key.
func DecodeDeadLetter(key string, body []byte) (*DeadLetter, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	d := &DeadLetter{
		EventID: f.text("event_id"), HandlerID: f.text("handler_id"), Namespace: f.text("namespace"), FailedAt: f.time("failed_at"),
		Attempts: f.number("attempts", 0), LastError: f.optionalText("last_error"), EventType: f.optionalText("event_type"),
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return d, nil
}

// EncodeDeadLetter writes the six members of a dead letter's object.
func EncodeDeadLetter(d *DeadLetter) []byte {
	return encodeObject(
		Member{"attempts", Int(d.Attempts)},
		Member{"event_id", String(d.EventID)},
		Member{"failed_at", String(d.FailedAt.String())},
		Member{"handler_id", String(d.HandlerID)},
		Member{"last_error", String(d.LastError)},
		Member{"namespace", String(d.Namespace)},
	)
}

// DecodeSession reads a session. Its error is a *ontosql.CorruptError with the key.
func DecodeSession(key string, body []byte) (*Session, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	s := &Session{
		ID: f.text("session_id"), Namespace: f.text("namespace"), StartedAt: f.time("started_at"),
		LastHeartbeat: f.time("last_heartbeat"), Metadata: json.RawMessage("{}"),
	}
	if f.has("metadata") {
		s.Metadata = f.object("metadata")
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return s, nil
}

// EncodeSession writes a session. It fails only if the metadata is not JSON.
func EncodeSession(s *Session) ([]byte, error) {
	metadata, err := parseMember("metadata", s.Metadata)
	if err != nil {
		return nil, fmt.Errorf("encode session %s: %w", s.ID, err)
	}
	return encodeObject(
		Member{"last_heartbeat", String(s.LastHeartbeat.String())},
		Member{"metadata", metadata},
		Member{"namespace", String(s.Namespace)},
		Member{"session_id", String(s.ID)},
		Member{"started_at", String(s.StartedAt.String())},
	), nil
}

// object returns a member that must be an object, as canonical JSON.
func (f objectReader) object(name string) json.RawMessage {
	v, ok := f.get(name, JSONObject)
	if !ok {
		return nil
	}
	return canonicalJSON(v)
}

// number returns an integer, or otherwise if the field is missing or null.
func (f objectReader) number(name string, otherwise int64) int64 {
	if !f.has(name) {
		return otherwise
	}
	v, _ := f.get(name, JSONInt)
	n, ok := v.Int64()
	if !ok {
		f.fail(name, "%s is out of range", v.text)
	}
	return n
}

// timeOrNil returns a time, or nil if the field is missing or null.
func (f objectReader) timeOrNil(name string) *Time {
	if !f.has(name) {
		return nil
	}
	t := f.time(name)
	return &t
}

func timeOrNull(t *Time) Value {
	if t == nil {
		return Null()
	}
	return String(t.String())
}
