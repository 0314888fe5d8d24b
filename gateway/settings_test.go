package gateway

import (
	"errors"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

func TestSettingsAreNormalised(t *testing.T) {
	s := newSettings(nil, func(string, string) {})
	for _, c := range []struct{ name, value, want, code string }{
		{"client_encoding", "'utf-8'", "UTF8", ""},
		{"client_encoding", "LATIN1", "", pgerr.InvalidParameterValue},
		{"statement_timeout", "90s", "90s", ""},
		{"statement_timeout", "60000", "1min", ""},
		{"statement_timeout", "1.5 s", "1500ms", ""},
		{"statement_timeout", "0", "0", ""},
		{"statement_timeout", "-1", "", pgerr.InvalidParameterValue},
		{"statement_timeout", "soon", "", pgerr.InvalidParameterValue},
		{"DateStyle", "ISO, DMY", "ISO, DMY", ""},
		{"DateStyle", "German", "", pgerr.InvalidParameterValue},
		{"timezone", "Europe/Oslo", "Europe/Oslo", ""},
		{"timezone", "Nowhere/Land", "", pgerr.InvalidParameterValue},
		{"default_transaction_read_only", "tr", "on", ""},
		{"extra_float_digits", "3", "3", ""},
		{"extra_float_digits", "4", "", pgerr.InvalidParameterValue},
		{"transaction_isolation", "SERIALIZABLE", "serializable", ""},
		{"server_version", "16", "", pgerr.CantChangeRuntimeParam},
		{"my.own", "anything", "anything", ""},
		{"ontosql.nosuch", "1", "", pgerr.UndefinedObject},
		{"memory_limit", "1GB", "", pgerr.UndefinedObject},
		{"ontosql.as_of", "HEAD~2", "HEAD~2", ""},
		{"ontosql.as_of", "yesterday", "", pgerr.InvalidParameterValue},
	} {
		err := s.set(c.name, c.value, false)
		var e *pgerr.Error
		switch got, _ := s.get(c.name); {
		case c.code != "" && (!errors.As(err, &e) || e.Code != c.code):
			t.Errorf("SET %s = %q: %v, want SQLSTATE %s", c.name, c.value, err, c.code)
		case c.code == "" && (err != nil || got != c.want):
			t.Errorf("SET %s = %q: %v and shows %q, want %q", c.name, c.value, err, got, c.want)
		}
	}
}

// TestSettingsFollowTransactions sets values in and out of transactions.
func TestSettingsFollowTransactions(t *testing.T) {
	var reported []string
	s := newSettings(nil, func(name, value string) { reported = append(reported, name+"="+value) })
	show := func(want string) {
		t.Helper()
		if got := s.value("application_name"); got != want {
			t.Errorf("application_name is %q, want %q", got, want)
		}
	}
	set := func(value string, local bool) {
		t.Helper()
		if err := s.set("application_name", value, local); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.setStart("application_name", "start"); err != nil {
		t.Fatal(err)
	}
	show("start")
	s.enter()
	set("kept", false)
	s.end(true)
	show("kept")
	s.enter()
	set("lost", false)
	s.end(false)
	show("kept")
	s.enter()
	set("for now", true)
	show("for now")
	s.end(true)
	show("kept")
	if err := s.reset("application_name"); err != nil {
		t.Fatal(err)
	}
	show("start")
	want := []string{
		"application_name=kept", "application_name=lost", "application_name=kept",
		"application_name=for now", "application_name=kept", "application_name=start",
	}
	if len(reported) != len(want) {
		t.Fatalf("reported %q, want %q", reported, want)
	}
	for i := range want {
		if reported[i] != want[i] {
			t.Errorf("report %d is %q, want %q", i, reported[i], want[i])
		}
	}
}
