package gateway_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// timesOfPoints are spellings of one moment, between commits of the demo, and of moments
// relative to the clock.
var timesOfPoints = []string{
	"2025-06-30 12:00:00+00", "2025-06-30 08:00 America/New_York", "2025-06-30 07:00 EST", "20250630T120000Z", "2025-181 12:00Z", "06/30/2025 12:00 UTC",
	"June 30 2025 12:00 PM UTC", "now", "today", "yesterday", "epoch", "infinity", "-infinity",
}

// TestEveryDoorReadsTimes names points by times as PostgreSQL spells them, in every way
// that there is: all ways read the same commit.
func TestEveryDoorReadsTimes(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	for _, point := range timesOfPoints {
		quoted := "'" + point + "'"
		want := must(t, s, "SELECT count(*), max(commit_id) FROM as_of.customer("+quoted+")")[0]
		for _, sql := range []string{
			"SELECT count(*), max(commit_id) FROM customer FOR SYSTEM_TIME AS OF " + quoted,
			"SELECT count(*), max(commit_id) FROM customer FOR SYSTEM_TIME AS OF TIMESTAMP " + quoted,
			"SELECT count(*), max(commit_id) FROM as_of.customer(TIMESTAMPTZ " + quoted + ")",
		} {
			if got := must(t, s, sql)[0]; got != want {
				t.Errorf("%s: %s, want %s", sql, got, want)
			}
		}
		for _, sql := range []string{"SELECT count(*), max(commit_id) FROM as_of.customer($1)", "SELECT count(*), max(commit_id) FROM customer FOR SYSTEM_TIME AS OF $1"} {
			if got := must(t, s, sql, point)[0]; got != want {
				t.Errorf("%s with %q: %s, want %s", sql, point, got, want)
			}
		}
		must(t, s, "SET ontosql.as_of = "+quoted)
		if got := must(t, s, "SELECT count(*), max(commit_id) FROM customer")[0]; got != want {
			t.Errorf("SET ontosql.as_of = %s: %s, want %s", quoted, got, want)
		}
		must(t, s, "RESET ontosql.as_of")
		must(t, s, "SELECT set_config('ontosql.as_of', "+quoted+", false)")
		if got := must(t, s, "SELECT count(*), max(commit_id) FROM customer")[0]; got != want {
			t.Errorf("set_config to %s: %s, want %s", quoted, got, want)
		}
		must(t, s, "RESET ontosql.as_of")
		for where, other := range map[string]wire.Session{
			"options":              h.session(t, "onto", wire.Option{Name: "ontosql.as_of", Value: point}),
			"the database's name ": h.session(t, "onto@"+point),
		} {
			if got := must(t, other, "SELECT count(*), max(commit_id) FROM customer")[0]; got != want {
				t.Errorf("%s %q: %s, want %s", where, point, got, want)
			}
		}
	}
}

// TestPointsFollowTheSession reads a date of numbers by DateStyle, a time without zone by
// TimeZone, and keeps a moment that was set.
func TestPointsFollowTheSession(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto", wire.Option{Name: "DateStyle", Value: "ISO, DMY"}, wire.Option{Name: "ontosql.as_of", Value: "30/06/2025"}, wire.Option{Name: "TimeZone", Value: "Asia/Tokyo"})
	answers(t, s, "SHOW ontosql.as_of", "2025-06-29T15:00:00Z")
	must(t, s, "SET DateStyle = 'ISO, MDY'")
	answers(t, s, "SHOW ontosql.as_of", "2025-06-29T15:00:00Z")
	must(t, s, "SET ontosql.as_of = '06/30/2025'")
	answers(t, s, "SHOW ontosql.as_of", "2025-06-29T15:00:00Z")
	must(t, s, "SET ontosql.as_of = 'now'")
	at, err := time.Parse(time.RFC3339Nano, must(t, s, "SHOW ontosql.as_of")[0])
	if age := time.Since(at); err != nil || age < 0 || age > time.Minute {
		t.Errorf("now is %v, %v", at, err)
	}
	must(t, s, "SET ontosql.as_of = '20250630'") // a commit id
	answers(t, s, "SHOW ontosql.as_of", "20250630")
}

// TestRefusedPoints: SQLSTATE, position and hint of what is no point, wherever it stands.
func TestRefusedPoints(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	for _, c := range []struct{ sql, detail string }{
		{"SELECT * FROM as_of.customer('some day')", ""},
		{"SELECT * FROM as_of.customer('2025-02-30')", `Date/time field value out of range: "2025-02-30".`},
		{"SELECT * FROM customer FOR SYSTEM_TIME AS OF 'some day'", ""},
		{"SELECT * FROM customer FOR SYSTEM_TIME AS OF '2025-01-01 Nowhere/Far'", `Time zone "nowhere/far" not recognized.`},
		{"SET ontosql.as_of = 'some day'", ""},
		{"SELECT set_config('ontosql.as_of', 'some day', false)", ""},
	} {
		e := refused(t, s, pgerr.InvalidParameterValue, c.sql)
		if e.Hint == "" || e.Detail != c.detail {
			t.Errorf("%s: detail %q, want %q; hint %q", c.sql, e.Detail, c.detail, e.Hint)
		}
		if want := strings.Index(c.sql, "'") + 1; strings.Contains(c.sql, "FROM") && e.Position != want {
			t.Errorf("%s: position %d, want %d", c.sql, e.Position, want)
		}
	}
	for _, point := range []string{"some day", "2025-02-30"} {
		_, _, err := h.gateway.Open(t.Context(), wire.Startup{User: "tester", Database: "onto@" + point})
		if e := (*pgerr.Error)(nil); !errors.As(err, &e) || e.Code != pgerr.InvalidParameterValue || e.Hint == "" {
			t.Errorf("onto@%s: %v", point, err)
		}
	}
}

// TestExpressionsForPoints: the operand of AS OF and the argument of as_of are expressions,
// which may read relations.
func TestExpressionsForPoints(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	count := func(point string) string {
		return must(t, s, "SELECT count(*), max(commit_id) FROM as_of.customer("+point+")")[0]
	}
	head, early := count("'HEAD'"), count("5")
	if head == early {
		t.Fatal("the demo does not change")
	}
	for point, want := range map[string]string{
		"CURRENT_TIMESTAMP": head, "current_timestamp(3)": head, "LOCALTIMESTAMP": head, "now()": head, "pg_catalog.now()": head, "(now())": head,
		"(now() - interval '1 hour')": head, "(CURRENT_DATE + 1)": head, "(5)": early, "('5')": early, "(2 + 3)": early, "('HEAD')": head,
		"(CASE WHEN true THEN 5 ELSE 6 END)": early, "make_date(1999, 1, 1)": count("0"),
		"(SELECT 5)": early, "(SELECT min(commit_id) + 4 FROM ontosql.commits)": early, "(SELECT max(commit_id) FROM customer)": head,
		"((SELECT created_at FROM ontosql.commits WHERE commit_id = 5))": early, "(SELECT max(commit_id) FROM as_of.customer(5))": early,
		"(SELECT setting::int + 5 FROM (SELECT 0 AS setting) s)": early, "(SELECT 5 FROM pg_class LIMIT 1)": early,
		"(coalesce((SELECT commit_id FROM ontosql.commits WHERE false), 5))": early,
	} {
		sql := "SELECT count(*), max(c.commit_id) FROM customer FOR SYSTEM_TIME AS OF " + point + " c WHERE c.id <> 'ä'"
		if got := must(t, s, sql)[0]; got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
		if sql := "SELECT count(*), max(c.commit_id) FROM as_of.customer(" + point + ") AS c"; want != must(t, s, sql)[0] {
			t.Errorf("%s: want %s", sql, want)
		}
	}
	for _, sql := range []string{
		"SELECT count(*), max(c.commit_id) FROM customer FOR SYSTEM_TIME AS OF ($1::int + 3) c",
		"SELECT count(*), max(c.commit_id) FROM as_of.customer($1::int + 3) c",
	} {
		if got := must(t, s, sql, "2")[0]; got != early {
			t.Errorf("%s: %s, want %s", sql, got, early)
		}
	}
	// In one statement, and over the rows that a transaction reads.
	answers(t, s, "SELECT (SELECT count(*) FROM as_of.customer((SELECT 5))) < (SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP)", "true")
}

// TestPointsOfWrites: the query of a write may read at points that queries name, of types and of
// ordinary tables.
func TestPointsOfWrites(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	must(t, s, "CREATE TEMP TABLE kept (id text, note text)")
	const early = "(SELECT min(commit_id) + 4 FROM ontosql.commits)"
	old := must(t, s, "SELECT count(*) FROM as_of.customer(5)")[0]
	for _, point := range []string{"FOR SYSTEM_TIME AS OF " + early, "FOR SYSTEM_TIME AS OF 5"} {
		for _, from := range []string{
			"SELECT id, 'x' FROM customer " + point, "SELECT id, max('x') FROM customer " + point + " GROUP BY id",
			"WITH old AS (SELECT id, 'x' FROM customer " + point + ") SELECT * FROM old",
		} {
			must(t, s, "TRUNCATE kept")
			must(t, s, "INSERT INTO kept "+from)
			if got := must(t, s, "SELECT count(*) FROM kept")[0]; got != old {
				t.Errorf("INSERT INTO kept %s: %s rows, want %s", from, got, old)
			}
		}
		must(t, s, "UPDATE kept SET note = 'y' FROM customer "+point+" AS c WHERE c.id = kept.id")
		if got := must(t, s, "SELECT count(*) FROM kept WHERE note = 'y'")[0]; got != old {
			t.Errorf("UPDATE kept .. %s: %s rows, want %s", point, got, old)
		}
		must(t, s, "DELETE FROM kept USING as_of.customer("+strings.TrimPrefix(point, "FOR SYSTEM_TIME AS OF ")+") AS c WHERE c.id = kept.id")
		answers(t, s, "SELECT count(*) FROM kept", "0")
		must(t, s, "BEGIN")
		must(t, s, "UPDATE customer SET name = c.id || '!' FROM customer "+point+" AS c WHERE c.id = customer.id")
		if got := must(t, s, "SELECT count(*) FROM customer WHERE name LIKE '%!'")[0]; got != old {
			t.Errorf("UPDATE customer .. %s: %s rows, want %s", point, got, old)
		}
		must(t, s, "ROLLBACK")
	}
}

// TestRefusedExpressionsForPoints: SQLSTATE and position of an expression that cannot name a
// point.
func TestRefusedExpressionsForPoints(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	for _, c := range []struct{ sql, code, at string }{
		{"SELECT 'ä' FROM customer FOR SYSTEM_TIME AS OF (nothing)", pgerr.FeatureNotSupported, "nothing"},
		{"SELECT 'ä' FROM customer FOR SYSTEM_TIME AS OF (1 +)", pgerr.SyntaxError, ")"},
		{"SELECT 'ä' FROM customer FOR SYSTEM_TIME AS OF (1 / 0)", pgerr.DivisionByZero, "(1 /"},
		{"SELECT 'ä' FROM customer FOR SYSTEM_TIME AS OF (NULL)", pgerr.InvalidParameterValue, "(NULL"},
		{"SELECT 'ä' FROM customer FOR SYSTEM_TIME AS OF ('some ' || 'day')", pgerr.InvalidParameterValue, "('some"},
		{"SELECT 'ä' FROM customer FOR SYSTEM_TIME AS OF nothing()", pgerr.UndefinedFunction, "nothing"},
		{"SELECT 'ä' FROM customer FOR SYSTEM_TIME AS OF SELECT 1", pgerr.SyntaxError, "SELECT 1"},
		{"SELECT 'ä' FROM as_of.customer((SELECT commit_id FROM ontosql.commits))", pgerr.CardinalityViolation, "(SELECT"},
		{"SELECT 'ä' FROM as_of.customer((SELECT commit_id FROM nowhere))", pgerr.UndefinedTable, "nowhere"},
		{"SELECT 'ä' FROM as_of.customer((SELECT nothing FROM customer))", pgerr.UndefinedColumn, "nothing"},
		{"SELECT 'ä' FROM as_of.customer((SELECT commit_id FROM customer WHERE false))", pgerr.InvalidParameterValue, "(SELECT"},
		{"SELECT 'ä' FROM as_of.customer((SELECT commit_id FROM customer WHERE id = $1))", pgerr.FeatureNotSupported, "$1"},
		{"SELECT 'ä' FROM product p, as_of.customer((SELECT max(commit_id) FROM customer WHERE id = p.id))", pgerr.UndefinedTable, "p.id"},
	} {
		e := refused(t, s, c.code, c.sql)
		if want := len([]rune(c.sql[:strings.LastIndex(c.sql, c.at)])) + 1; e.Position != want {
			t.Errorf("%s: position %d, want %d (%s)", c.sql, e.Position, want, e.Message)
		}
	}
}
