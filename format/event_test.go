package format_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// TestEventObjectsRoundTrip reads every object of event data that the original library wrote, and
// writes the same bytes under the same key.
func TestEventObjectsRoundTrip(t *testing.T) {
	seen := map[string]int{}
	for _, store := range []string{"s3-v1/stage3-final", "s3-v2/stage3-final"} {
		for key, body := range fixtures.Objects(t, store) {
			prefix, _, _ := strings.Cut(key, "/")
			var again []byte
			var name string
			var err error
			switch prefix + "/" {
			case format.EventsPrefix:
				var e *format.Event
				if e, err = format.DecodeEvent(key, body); err == nil {
					name = e.Key()
					again, err = format.EncodeEvent(e)
				}
			case format.ClaimsPrefix:
				var c *format.Claim
				if c, err = format.DecodeClaim(key, body); err == nil {
					name, again = format.ClaimKey("fixtures", c.EventID, c.HandlerID), format.EncodeClaim(c)
				}
			case format.DeadLettersPrefix:
				var d *format.DeadLetter
				if d, err = format.DecodeDeadLetter(key, body); err == nil {
					name, again = format.DeadLetterKey(d.Namespace, d.EventID, d.HandlerID), format.EncodeDeadLetter(d)
				}
			case format.SessionsPrefix:
				var s *format.Session
				if s, err = format.DecodeSession(key, body); err == nil {
					name = format.SessionKey(s.Namespace, s.ID)
					again, err = format.EncodeSession(s)
				}
			default:
				continue
			}
			seen[prefix]++
			if err != nil || name != key || string(again) != string(body) {
				t.Errorf("%s of %s: key %s, %v\n got %s\nwant %s", key, store, name, err, again, body)
			}
		}
	}
	for _, prefix := range format.EventPrefixes {
		if seen[strings.TrimSuffix(prefix, "/")] == 0 {
			t.Errorf("no object below %s in the fixtures", prefix)
		}
	}
}

func TestParseEventKey(t *testing.T) {
	at := time.Date(2026, 11, 21, 2, 4, 37, 432338000, time.UTC)
	for _, c := range []struct {
		key, namespace, id string
		at                 time.Time
		ok                 bool
	}{
		{"events/a/2026-11-21T02-04-37.432338+00-00_one.json", "a", "one", at, true},
		{"events/a/b/2026-11-21T02-04-37+00-00_one.json", "a/b", "one", at.Truncate(time.Second), true},
		{"events/a/yesterday_one_two.json", "a", "one_two", time.Time{}, true},
		{"events/a/one.json", "", "", time.Time{}, false},
		{"events/2026-11-21T02-04-37.432338+00-00_one.json", "", "", time.Time{}, false},
		{"claims/a/2026-11-21T02-04-37.432338+00-00_one.json", "", "", time.Time{}, false},
	} {
		namespace, created, id, ok := format.ParseEventKey(c.key)
		if namespace != c.namespace || !created.Equal(c.at) || id != c.id || ok != c.ok {
			t.Errorf("ParseEventKey(%q): got %q, %v, %q, %v", c.key, namespace, created, id, ok)
		}
		if from := format.EventKeyFrom(namespace, created.Time); ok && !created.IsZero() && (from >= c.key || format.EventKeyFrom(namespace, created.Add(time.Second)) < c.key) {
			t.Errorf("EventKeyFrom of the second of %q: got %q", c.key, from)
		}
	}
}

// TestDamagedEventData: an object that is not what it must be is named with the member.
func TestDamagedEventData(t *testing.T) {
	const event = `{"id":"1","namespace":"a","type":"t","created_at":"2026-11-21T02:04:37+00:00","payload":%}`
	for body, want := range map[string]string{
		"{": "k: ", "[]": "k: expected an object",
		strings.Replace(event, "%", "[]", 1):                   "k: payload: expected an object, found an array",
		strings.Replace(event, "%", `{},"priority":"high"`, 1): "k: priority: expected an integer",
		strings.Replace(event, "%", `{},"priority":1e3`, 1):    "k: priority: ",
		`{"payload":{}}`: "k: id: missing",
	} {
		if _, err := format.DecodeEvent("k", []byte(body)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("DecodeEvent of %s: got %v, want %s...", body, err, want)
		}
	}
	if _, err := format.DecodeClaim("k", []byte(`{"event_id":"1","handler_id":"h","lease_until":"soon"}`)); err == nil || !strings.HasPrefix(err.Error(), "k: lease_until: ") {
		t.Errorf("DecodeClaim of a claim whose lease ends soon: %v", err)
	}
}
