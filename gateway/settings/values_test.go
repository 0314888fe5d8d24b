package settings

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

func TestSettingsAreNormalised(t *testing.T) {
	s := New(nil, func(string, string) {})
	for _, c := range []struct{ name, value, want string }{
		{"client_encoding", "'utf-8'", "UTF8"},
		{"client_encoding", "iso_8859-1", "LATIN1"},
		{"client_encoding", "windows1252", "WIN1252"},
		{"client_encoding", "sql_ascii", "SQL_ASCII"},
		{"client_encoding", "Unicode", "UTF8"},
		{"client_encoding", "UNICODE", "UNICODE"},
		{"statement_timeout", "90s", "90s"},
		{"statement_timeout", "60000", "1min"},
		{"statement_timeout", "1.5 s", "1500ms"},
		{"statement_timeout", "0", "0"},
		{"DateStyle", "ISO, DMY", "ISO, DMY"},
		{"DateStyle", "German", "German, DMY"},
		{"timezone", "Europe/Oslo", "Europe/Oslo"},
		{"default_transaction_read_only", "tr", "on"},
		{"extra_float_digits", "3", "3"},
		{"transaction_isolation", "SERIALIZABLE", "serializable"},
		{"my.own", "anything", "anything"},
		{"ontosql.as_of", "HEAD~2", "HEAD~2"},
		{"ontosql.commit_message", "fixed ünits", "fixed ünits"},
		{"ontosql.commit_meta", ` {"ticket":"OPS-7", "ünit":"\u00e9"} `, ` {"ticket":"OPS-7", "ünit":"\u00e9"} `},
		{"ontosql.commit_meta", "", ""},
		{"ontosql.commit_meta", "{}", "{}"},
		{"ontosql.expect_head", " 41 ", "41"},
		{"ontosql.expect_head", "0", "0"},
		{"ontosql.expect_head", "", ""},
		{"ontosql.notice_commits", "yes", "on"},
		{"ontosql.read_after", "7", "7"},
		{"work_mem", "1024", "1MB"},
		{"work_mem", "1.5 GB", "1536MB"},
		{"effective_cache_size", "100", "800kB"},
		{"random_page_cost", "1.10", "1.1"},
		{"TimeZone", "-3", "<-03>+03"},
		{"TimeZone", "5", "<+05>-05"},
	} {
		err := s.Set(c.name, c.value, false)
		if got, _ := s.Get(c.name); err != nil || got != c.want {
			t.Errorf("SET %s = %q: %v and shows %q, want %q", c.name, c.value, err, got, c.want)
		}
	}
}

func TestSettingsAreRefused(t *testing.T) {
	s := New(nil, func(string, string) {})
	for _, c := range []struct{ name, value, code string }{
		{"client_encoding", "EUC_JP", pgerr.FeatureNotSupported},
		{"client_encoding", "mule_internal", pgerr.FeatureNotSupported},
		{"client_encoding", "klingon", pgerr.InvalidParameterValue},
		{"client_encoding", "", pgerr.InvalidParameterValue},
		{"statement_timeout", "-1", pgerr.InvalidParameterValue},
		{"statement_timeout", "soon", pgerr.InvalidParameterValue},
		{"DateStyle", "Elvish", pgerr.InvalidParameterValue},
		{"timezone", "Nowhere/Land", pgerr.InvalidParameterValue},
		{"extra_float_digits", "4", pgerr.InvalidParameterValue},
		{"server_version", "16", pgerr.CantChangeRuntimeParam},
		{"ontosql.nosuch", "1", pgerr.UndefinedObject},
		{"memory_limit", "1GB", pgerr.UndefinedObject},
		{"ontosql.as_of", "some day", pgerr.InvalidParameterValue},
		{"ontosql.commit_message", "half a \xff", pgerr.CharacterNotInRepertoire},
		{"ontosql.commit_message", strings.Repeat("m", maxMetadata+1), pgerr.ProgramLimitExceeded},
		{"ontosql.commit_meta", "ticket=OPS-7", pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `["ticket"]`, pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", "null", pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `{"ticket":7}`, pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `{"ticket":null}`, pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `{"ticket":{"id":"7"}}`, pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `{"ticket":"\u0000"}`, pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `{"ticket":"\ud800"}`, pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `{"\udc00":"x"}`, pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `{"a":"x"} {"b":"y"}`, pgerr.InvalidParameterValue},
		{"ontosql.commit_meta", `{"a":"` + strings.Repeat("m", maxMetadata) + `"}`, pgerr.ProgramLimitExceeded},
		{"ontosql.expect_head", "-1", pgerr.InvalidParameterValue},
		{"ontosql.expect_head", "HEAD", pgerr.InvalidParameterValue},
		{"ontosql.expect_head", "99999999999999999999", pgerr.InvalidParameterValue},
		{"ontosql.notice_commits", "perhaps", pgerr.InvalidParameterValue},
		{"ontosql.read_after", "soon", pgerr.InvalidParameterValue},
		{"ontosql.last_commit_id", "7", pgerr.CantChangeRuntimeParam},
		{"work_mem", "63kB", pgerr.InvalidParameterValue},
		{"work_mem", "1 parsec", pgerr.InvalidParameterValue},
		{"random_page_cost", "-1", pgerr.InvalidParameterValue},
		{"block_size", "4096", pgerr.CantChangeRuntimeParam},
	} {
		err := s.Set(c.name, c.value, false)
		if e := (*pgerr.Error)(nil); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("SET %s = %q: %v, want SQLSTATE %s", c.name, c.value, err, c.code)
		}
	}
}

// TestReservedMetaIsNamed gives each key a commit's writer cannot choose.
func TestReservedMetaIsNamed(t *testing.T) {
	s := New(nil, func(string, string) {})
	for _, key := range []string{
		"namespace", "kind", "migrated_types", "operation", "actor", "message", "target_kind", "target_type", "affected_types",
		"ontosql_attempt", "ontosql_schema", "ontosql_", "ontosql_anything",
	} {
		err := s.Set("ontosql.commit_meta", `{"ticket":"OPS-7","`+key+`":"x"}`, false)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != pgerr.InvalidParameterValue || e.Detail != `The key "`+key+`" is reserved.` {
			t.Errorf("key %s: %+v, want 22023 with a detail that names it", key, err)
		}
	}
	if err := s.Set("ontosql.commit_meta", `{"Actor":"x","ontosql":"x","kinds":"x"}`, false); err != nil {
		t.Errorf("keys that are like reserved ones: %v, want none refused", err)
	}
}

// TestSettingsFollowTransactions sets values in and out of transactions.
func TestSettingsFollowTransactions(t *testing.T) {
	var reported []string
	s := New(nil, func(name, value string) { reported = append(reported, name+"="+value) })
	show := func(want string) {
		t.Helper()
		if got := s.Value("application_name"); got != want {
			t.Errorf("application_name is %q, want %q", got, want)
		}
	}
	set := func(value string, local bool) {
		t.Helper()
		if err := s.Set("application_name", value, local); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetStart("application_name", "start"); err != nil {
		t.Fatal(err)
	}
	show("start")
	s.BeginTransaction()
	set("kept", false)
	s.EndTransaction(true)
	show("kept")
	s.BeginTransaction()
	set("lost", false)
	s.EndTransaction(false)
	show("kept")
	s.BeginTransaction()
	set("for now", true)
	show("for now")
	s.EndTransaction(true)
	show("kept")
	if err := s.Reset("application_name"); err != nil {
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
