package bulk

import (
	"context"
	"fmt"
	"strings"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Event data is rows in a file and objects in a bucket (seed 002 section 9, seed 000 section
// 15). The exchange format is the object: its key and its canonical JSON.

// claimNamespace finds the namespace of a claim, which only objects have.
const claimNamespace = `coalesce(
	(SELECT namespace FROM events WHERE id = event_id),
	(SELECT d.namespace FROM dead_letters AS d WHERE d.event_id = event_claims.event_id LIMIT 1),
	(SELECT s.namespace FROM sessions AS s WHERE s.session_id = event_claims.session_id), 'default')`

// eventQueries are how the rows are read, by the columns that the objects have.
// The names of columns that hold JSON end in a colon; one that has no other name is
// for the key alone.
var eventQueries = []struct {
	table, query string
	key          func(text func(column string) string) string
}{
	{
		"events", "SELECT id, namespace, type, payload AS 'payload:', created_at, priority, root_event_id, chain_depth FROM events ORDER BY created_at, id",
		func(t func(string) string) string { return format.EventKey(t("namespace"), t("created_at"), t("id")) },
	},
	{
		"event_claims", "SELECT event_id, handler_id, session_id, claimed_at, lease_until, ack_at, attempts, available_at, last_error, dead_lettered_at, " +
			claimNamespace + " AS ':' FROM event_claims ORDER BY event_id, handler_id",
		func(t func(string) string) string { return format.ClaimKey(t(":"), t("event_id"), t("handler_id")) },
	},
	{
		"dead_letters", "SELECT event_id, handler_id, namespace, failed_at, attempts, last_error, event_type, event_payload AS 'event_payload:', root_event_id, chain_depth FROM dead_letters ORDER BY id",
		func(t func(string) string) string {
			return format.DeadLetterKey(t("namespace"), t("event_id"), t("handler_id"))
		},
	},
	{
		"sessions", "SELECT session_id, namespace, started_at, last_heartbeat, metadata AS 'metadata:' FROM sessions ORDER BY session_id",
		func(t func(string) string) string { return format.SessionKey(t("namespace"), t("session_id")) },
	},
}

// EventObjects calls visit for the current event data of the file, as objects of a bucket:
// events, claims, dead letters, sessions. A dead letter includes the file's data of its event,
// in addition to the members of such an object.
func EventObjects(ctx context.Context, db *sqlite.DB, visit func(key string, body []byte) error) error {
	err := db.Read(ctx, func(c *lite.Conn) error {
		there := map[string]bool{}
		if err := sqlconn.Each(c, "SELECT name FROM sqlite_schema WHERE type = 'table'", func(row *lite.Stmt) error {
			there[row.ColumnText(0)] = true
			return nil
		}); err != nil {
			return err
		}
		for _, table := range dbschema.EventTables {
			if !there[table] { // they are made together
				return nil
			}
		}
		for _, q := range eventQueries {
			err := sqlconn.Each(c, q.query, func(row *lite.Stmt) error {
				body, err := eventObject(row)
				if err != nil {
					return fmt.Errorf("%s: %w", q.table, err)
				}
				return visit(q.key(row.GetText), body)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return sqlconn.StorageError("read event data", err)
}

// eventObject is the object of a row.
func eventObject(row *lite.Stmt) ([]byte, error) {
	var members []format.Member
	for i := range row.ColumnCount() {
		name, isJSON := strings.CutSuffix(row.ColumnName(i), ":")
		if name == "" {
			continue
		}
		v := format.Null()
		switch row.ColumnType(i) {
		case lite.TypeInteger:
			v = format.Int(row.ColumnInt64(i))
		case lite.TypeNull:
		default:
			v = format.String(row.ColumnText(i))
			if isJSON {
				var err error
				if v, err = format.ParseJSON([]byte(row.ColumnText(i))); err != nil {
					return nil, &ontosql.CorruptError{Key: row.ColumnText(0), Field: name, Err: err}
				}
			}
		}
		members = append(members, format.Member{Name: name, Value: v})
	}
	return format.Object(members...).Append(nil, format.Canonical), nil
}

// AddEvent inserts or replaces the row of an object of event data. Events must precede dead
// letters, whose rows take missing values from them. Key and body are those of EventObjects;
// an object that has no row form is a *ontosql.CorruptError.
func (h *Writer) AddEvent(key string, body []byte) error {
	object, err := format.ParseJSON(body)
	if err != nil {
		return &ontosql.CorruptError{Key: key, Err: err}
	}
	if there, err := h.w.HasTable("sessions"); err != nil {
		return err
	} else if !there {
		for _, ddl := range dbschema.EventDDL {
			if err := h.w.Exec(ddl); err != nil {
				return sqlconn.StorageError("write event data", err)
			}
		}
	}
	r := eventRow{key: key, object: object}
	switch {
	case strings.HasPrefix(key, format.EventsPrefix):
		err = h.put(&r, "INSERT OR REPLACE INTO events (id, namespace, type, payload, created_at, priority, root_event_id, chain_depth) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			r.text("id"), r.text("namespace"), r.text("type"), r.json("payload"), r.text("created_at"), r.number("priority", 100), r.text("root_event_id"), r.number("chain_depth", 0))
	case strings.HasPrefix(key, format.ClaimsPrefix):
		err = h.put(&r, "INSERT OR REPLACE INTO event_claims (event_id, handler_id, session_id, claimed_at, lease_until, ack_at, attempts, available_at, last_error, dead_lettered_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			r.text("event_id"), r.text("handler_id"), r.text("session_id"), r.text("claimed_at"), r.text("lease_until"), r.optional("ack_at"),
			r.number("attempts", 0), r.text("available_at"), r.optional("last_error"), r.optional("dead_lettered_at"))
	case strings.HasPrefix(key, format.DeadLettersPrefix):
		err = h.addDeadLetter(&r)
	default:
		err = h.put(&r, "INSERT OR REPLACE INTO sessions (session_id, namespace, started_at, last_heartbeat, metadata) VALUES (?, ?, ?, ?, ?)",
			r.text("session_id"), r.text("namespace"), r.text("started_at"), r.text("last_heartbeat"), r.json("metadata"))
	}
	return sqlconn.StorageError("write event data", err)
}

// addDeadLetter writes a dead letter once.
func (h *Writer) addDeadLetter(r *eventRow) error {
	event, handler := r.text("event_id"), r.text("handler_id")
	if err := h.put(r, "DELETE FROM dead_letters WHERE event_id = ? AND handler_id = ?", event, handler); err != nil {
		return err
	}
	return h.put(r, `INSERT INTO dead_letters (event_id, handler_id, namespace, failed_at, attempts, last_error, event_type, event_payload, root_event_id, chain_depth)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, coalesce(?7, e.type, ''), coalesce(?8, e.payload, '{}'), coalesce(?9, e.root_event_id, ?1), coalesce(?10, e.chain_depth, 0)
		FROM (SELECT 1) LEFT JOIN events AS e ON e.id = ?1`,
		event, handler, r.text("namespace"), r.text("failed_at"), r.number("attempts", 0), r.text("last_error"),
		r.optional("event_type"), r.json("event_payload"), r.optional("root_event_id"), r.known("chain_depth"))
}

func (h *Writer) put(r *eventRow, query string, args ...any) error {
	if r.err != nil {
		return r.err
	}
	return h.w.Exec(query, args...)
}

// eventRow reads the members of an object as columns and keeps the first error.
type eventRow struct {
	key    string
	object format.Value
	err    error
}

func (r *eventRow) fail(name string, v format.Value) {
	if r.err == nil {
		r.err = ontosql.Corrupt(r.key, name, "is %s", v.Kind())
	}
}

func (r *eventRow) text(name string) string {
	v, _ := r.object.Get(name)
	if v.Kind() != format.JSONString {
		r.fail(name, v)
	}
	return v.Text()
}

func (r *eventRow) optional(name string) any {
	if v, _ := r.object.Get(name); v.IsNull() {
		return nil
	}
	return r.text(name)
}

func (r *eventRow) number(name string, otherwise int64) any {
	if n := r.known(name); n != nil {
		return n
	}
	return otherwise
}

func (r *eventRow) known(name string) any {
	v, _ := r.object.Get(name)
	if v.IsNull() {
		return nil
	}
	n, ok := v.Int64()
	if !ok {
		r.fail(name, v)
	}
	return n
}

// json returns a member as the original's tables store JSON: with sorted keys and spaces.
func (r *eventRow) json(name string) any {
	v, _ := r.object.Get(name)
	if v.IsNull() {
		return nil
	}
	return string(v.Append(nil, format.Spaced))
}
