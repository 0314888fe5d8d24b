package events

import (
	"fmt"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// The columns of the rows, in the order in which the readers below expect them.
const (
	eventColumns  = "e.id, e.namespace, e.type, e.payload, e.created_at, e.priority, e.root_event_id, e.chain_depth"
	claimColumns  = "c.event_id, c.handler_id, c.session_id, c.claimed_at, c.lease_until, c.ack_at, c.attempts, c.available_at, c.last_error, c.dead_lettered_at"
	letterColumns = "d.event_id, d.handler_id, d.namespace, d.failed_at, d.attempts, d.last_error, d.event_type"
)

// columns reads a row and keeps the first error.
type columns struct {
	row  *lite.Stmt
	name string // of the row, in errors
	at   int
	err  error
}

func (c *columns) next() int {
	c.at++
	return c.at - 1
}

func (c *columns) text() string { return c.row.ColumnText(c.next()) }

func (c *columns) number() int64 { return c.row.ColumnInt64(c.next()) }

func (c *columns) fail(i int, err error) {
	if c.err == nil {
		c.err = &ontosql.CorruptError{Key: c.name, Field: c.row.ColumnName(i), Err: err}
	}
}

func (c *columns) time() format.Time {
	i := c.next()
	t, err := format.ParseTime(c.row.ColumnText(i))
	if err != nil {
		c.fail(i, err)
	}
	return t
}

func (c *columns) timeOrNil() *format.Time {
	if c.row.ColumnIsNull(c.at) {
		c.at++
		return nil
	}
	t := c.time()
	return &t
}

func (c *columns) textOrNil() *string {
	if c.row.ColumnIsNull(c.at) {
		c.at++
		return nil
	}
	s := c.text()
	return &s
}

// document is a column with a JSON object, as canonical JSON; {} if it is NULL.
func (c *columns) document() []byte {
	i := c.next()
	if c.row.ColumnIsNull(i) {
		return []byte("{}")
	}
	v, err := format.ParseJSON([]byte(c.row.ColumnText(i)))
	if err == nil && v.Kind() != format.JSONObject {
		err = fmt.Errorf("expected an object, found %s", v.Kind())
	}
	if err != nil {
		c.fail(i, err)
	}
	return v.Append(nil, format.Canonical)
}

// readEvent reads eventColumns, from the column first on.
func readEvent(row *lite.Stmt, first int) (format.Event, error) {
	c := columns{row: row, name: "events " + row.ColumnText(first), at: first}
	e := format.Event{
		ID: c.text(), Namespace: c.text(), Type: c.text(), Payload: c.document(), CreatedAt: c.time(),
		Priority: c.number(), RootEventID: c.text(), ChainDepth: c.number(),
	}
	return e, c.err
}

// readClaim reads claimColumns, from the column first on. Without a row it is nil.
func readClaim(row *lite.Stmt, first int) (*format.Claim, error) {
	if row.ColumnIsNull(first) {
		return nil, nil
	}
	c := columns{row: row, name: "event_claims " + row.ColumnText(first) + " " + row.ColumnText(first+1), at: first}
	claim := &format.Claim{
		EventID: c.text(), HandlerID: c.text(), SessionID: c.text(), ClaimedAt: c.time(), LeaseUntil: c.time(), AckAt: c.timeOrNil(),
		Attempts: c.number(), AvailableAt: c.time(), LastError: c.textOrNil(), DeadLetteredAt: c.timeOrNil(),
	}
	return claim, c.err
}

func readLetter(row *lite.Stmt) (format.DeadLetter, error) {
	c := columns{row: row, name: "dead_letters " + row.ColumnText(0) + " " + row.ColumnText(1)}
	d := format.DeadLetter{
		EventID: c.text(), HandlerID: c.text(), Namespace: c.text(), FailedAt: c.time(), Attempts: c.number(), LastError: c.text(), EventType: c.text(),
	}
	return d, c.err
}

func readSession(row *lite.Stmt) (format.Session, error) {
	c := columns{row: row, name: "sessions " + row.ColumnText(0)}
	s := format.Session{ID: c.text(), Namespace: c.text(), StartedAt: c.time(), LastHeartbeat: c.time(), Metadata: c.document()}
	return s, c.err
}

// Insert inserts events into an open transaction of the file. An event whose id is there is left
// alone. It creates the tables if they are missing.
func Insert(w *sqlconn.Writer, events []format.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := Upgrade(w); err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		payload, err := spaced(e.Payload)
		if err != nil {
			return fmt.Errorf("payload of event %s: %w", e.ID, err)
		}
		err = w.Exec("INSERT INTO events (id, namespace, type, payload, created_at, priority, root_event_id, chain_depth) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
			e.ID, e.Namespace, e.Type, payload, e.CreatedAt.String(), e.Priority, e.RootEventID, e.ChainDepth)
		if err != nil {
			return err
		}
	}
	return nil
}

// spaced is a JSON text as the original's tables store it: with sorted keys and spaces.
func spaced(text []byte) (string, error) {
	v, err := format.ParseJSON(text)
	return string(v.Append(nil, format.Spaced)), err
}

// putClaim inserts or replaces a claim.
func putClaim(w *sqlconn.Writer, c *format.Claim) error {
	return w.Exec(`INSERT OR REPLACE INTO event_claims (event_id, handler_id, session_id, claimed_at, lease_until, ack_at, attempts, available_at, last_error, dead_lettered_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.EventID, c.HandlerID, c.SessionID, c.ClaimedAt.String(), c.LeaseUntil.String(), orNull(c.AckAt), c.Attempts, c.AvailableAt.String(),
		textOrNull(c.LastError), orNull(c.DeadLetteredAt))
}

func orNull(t *format.Time) any {
	if t == nil {
		return nil
	}
	return t.String()
}

func textOrNull(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}
