package gateway

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// catalogue holds the settings that exist. Those of PostgreSQL have its default
// and, where the gateway has one behaviour only, refuse what would be another.
var catalogue = []setting{
	{name: "allow_system_table_mods", boot: "off", fixed: true, about: "Allows modifications of the structure of system tables."},
	{name: "application_name", reported: true, about: "Sets the application name to be reported in statistics and logs."},
	{name: "backslash_quote", boot: "safe_encoding", about: "Sets whether \"\\'\" is allowed in string literals."},
	{name: "bytea_output", boot: "hex", check: oneOf("bytea_output", "escape", "hex"), about: "Sets the output format for bytea."},
	{name: "check_function_bodies", boot: "on", check: boolean("check_function_bodies"), about: "Check routine bodies during CREATE FUNCTION."},
	{name: "client_encoding", boot: "UTF8", reported: true, check: encoding, about: "Sets the client's character set encoding."},
	{name: "client_min_messages", boot: "notice", check: oneOf("client_min_messages", "debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"), about: "Sets the message levels that are sent to the client."},
	{name: "DateStyle", boot: "ISO, MDY", reported: true, list: true, about: "Sets the display format for date and time values."},
	{name: "default_table_access_method", boot: "heap", check: accessMethod, about: "Sets the default table access method for new tables."},
	{name: "default_transaction_isolation", boot: "read committed", check: isolation("default_transaction_isolation"), about: "Sets the transaction isolation level of each new transaction."},
	{name: "default_transaction_read_only", boot: "off", reported: true, check: boolean("default_transaction_read_only"), about: "Sets the default read-only status of new transactions."},
	{name: "default_transaction_deferrable", boot: "off", check: boolean("default_transaction_deferrable"), about: "Sets the default deferrable status of new transactions."},
	{name: "extra_float_digits", boot: "1", check: integer("extra_float_digits", -15, 3), about: "Sets the number of digits displayed for floating-point values."},
	{name: "idle_in_transaction_session_timeout", boot: "0", unit: "ms", check: duration("idle_in_transaction_session_timeout"), about: "Sets the maximum allowed idle time between queries, when in a transaction."},
	{name: "idle_session_timeout", boot: "0", unit: "ms", check: duration("idle_session_timeout"), about: "Sets the maximum allowed idle time between queries, when not in a transaction."},
	{name: "in_hot_standby", boot: "off", reported: true, fixed: true, about: "Shows whether hot standby is currently active."},
	{name: "integer_datetimes", boot: "on", reported: true, fixed: true, about: "Shows whether datetimes are integer based."},
	{name: "IntervalStyle", boot: "postgres", reported: true, check: oneOf("intervalstyle", "postgres", "postgres_verbose", "sql_standard", "iso_8601"), about: "Sets the display format for interval values."},
	{name: "is_superuser", boot: "on", reported: true, fixed: true, about: "Shows whether the current user is a superuser."},
	{name: "jit", boot: "off", check: boolean("jit"), about: "Allow JIT compilation. Accepted and without effect."},
	{name: "lc_collate", boot: "C", fixed: true, about: "Shows the collation order locale."},
	{name: "lc_ctype", boot: "C", fixed: true, about: "Shows the character classification and case conversion locale."},
	{name: "lc_messages", boot: "C", about: "Sets the language in which messages are displayed."},
	{name: "lc_monetary", boot: "C", about: "Sets the locale for formatting monetary amounts."},
	{name: "lc_numeric", boot: "C", about: "Sets the locale for formatting numbers."},
	{name: "lc_time", boot: "C", about: "Sets the locale for formatting date and time values."},
	{name: "lock_timeout", boot: "0", unit: "ms", check: duration("lock_timeout"), about: "Sets the maximum allowed duration of any wait for a lock."},
	{name: "max_connections", boot: "200", fixed: true, about: "Sets the maximum number of concurrent connections."},
	{name: "max_identifier_length", boot: "63", fixed: true, about: "Shows the maximum identifier length."},
	{name: "max_index_keys", boot: "32", fixed: true, about: "Shows the maximum number of index keys."},
	{name: "role", boot: "none", about: "Sets the current role."},
	{name: "row_security", boot: "on", check: boolean("row_security"), about: "Enable row security."},
	{name: "search_path", boot: `"$user", public`, list: true, names: true, check: nameList("search_path"), about: "Sets the schema search order for names that are not schema-qualified."},
	{name: "server_encoding", boot: "UTF8", reported: true, fixed: true, about: "Shows the server (database) character set encoding."},
	{name: "server_version", reported: true, fixed: true, about: "Shows the server version."},
	{name: "server_version_num", fixed: true, about: "Shows the server version as an integer."},
	{name: "session_authorization", reported: true, fixed: true, about: "Shows the session user name."},
	{name: "standard_conforming_strings", boot: "on", reported: true, check: oneOf("standard_conforming_strings", "on"), about: "Causes '...' strings to treat backslashes literally."},
	{name: "statement_timeout", boot: "0", unit: "ms", check: duration("statement_timeout"), about: "Sets the maximum allowed duration of any statement."},
	{name: "synchronous_commit", boot: "on", about: "Sets the current transaction's synchronization level."},
	{name: "TimeZone", boot: "UTC", reported: true, check: timeZone, about: "Sets the time zone for displaying and interpreting time stamps."},
	{name: "transaction_deferrable", boot: "off", check: boolean("transaction_deferrable"), about: "Whether to defer a read-only serializable transaction."},
	{name: "transaction_isolation", boot: "read committed", check: isolation("transaction_isolation"), about: "Sets the current transaction's isolation level."},
	{name: "transaction_read_only", boot: "off", check: boolean("transaction_read_only"), about: "Sets the current transaction's read-only status."},
	{name: "xmloption", boot: "content", about: "Sets whether XML data is to be considered as documents or content fragments."},

	{name: "ontosql.as_of", reported: true, check: pointText, about: "The point of the past at which tables are read: a commit id, HEAD~n or a timestamp; empty for the newest."},
	{name: settingMeta, check: metaText, about: "Metadata of the commits the session makes: a JSON object whose values are strings; empty for none."},
	{name: settingMessage, check: messageText, about: "The message of the commits the session makes; empty for none."},
	{name: settingExpectHead, check: commitNumber(settingExpectHead), about: "Commits only on this head, else the transaction fails to serialize; empty for any head."},
	{name: settingLastCommit, fixed: true, about: "Shows the number of the session's last commit; empty before the first."},
	{name: settingNotice, boot: "off", check: boolean(settingNotice), about: "Tells the number of each commit in a NOTICE."},
	{name: settingResultCache, boot: "on", check: boolean(settingResultCache), about: "Keeps results, and answers from one that is kept where that is the same."},
	{name: settingOnConflict, boot: "error", check: oneOf(settingOnConflict, "error", "update", "nothing"), about: "What COPY and INSERT without ON CONFLICT do with a row whose key exists: refuse it, update it, or skip the new one."},
	{name: settingPurge, boot: "off", check: boolean(settingPurge), about: "Lets DROP TABLE drop a table that has rows: they and their history are not shown any more."},
	{name: settingReadAfter, check: commitNumber(settingReadAfter), about: "Setting it waits until this commit is seen, so that the next statement reads it."},
}

// oneOf accepts the given words, in any case.
func oneOf(name string, words ...string) func(string) (string, error) {
	return func(v string) (string, error) {
		for _, w := range words {
			if strings.EqualFold(v, w) {
				return w, nil
			}
		}
		e := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
		if len(words) == 1 {
			return "", e.WithHint("Only %s is supported.", words[0])
		}
		return "", e.WithHint("Available values: %s.", strings.Join(words, ", "))
	}
}

func nameList(name string) func(string) (string, error) {
	return func(v string) (string, error) {
		if _, ok := pgfunc.NameList(v); !ok {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"%s\": \"%s\"", name, v).WithDetail("List syntax is invalid.")
		}
		return v, nil
	}
}

// accessMethod takes the one that pg_dump names.
func accessMethod(v string) (string, error) {
	if v != "heap" {
		return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", "default_table_access_method", v).
			WithDetail("Table access method %q does not exist.", v)
	}
	return v, nil
}

func boolean(name string) func(string) (string, error) {
	return func(v string) (string, error) {
		b, ok := parseBool(v)
		if !ok {
			return "", pgerr.New(pgerr.InvalidParameterValue, "parameter %q requires a Boolean value", name)
		}
		return onOff(b), nil
	}
}

// parseBool reads a boolean as PostgreSQL does: unique prefixes of the words.
func parseBool(v string) (value, ok bool) {
	v = strings.ToLower(strings.TrimSpace(v))
	if v == "" {
		return false, false
	}
	for _, w := range []struct {
		word  string
		least int
		value bool
	}{{"true", 1, true}, {"yes", 1, true}, {"on", 2, true}, {"1", 1, true}, {"false", 1, false}, {"no", 1, false}, {"off", 2, false}, {"0", 1, false}} {
		if len(v) >= w.least && strings.HasPrefix(w.word, v) {
			return w.value, true
		}
	}
	return false, false
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func integer(name string, low, high int) func(string) (string, error) {
	return func(v string) (string, error) {
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
		}
		if n < low || n > high {
			return "", pgerr.New(pgerr.InvalidParameterValue, "%d is outside the valid range for parameter %q (%d .. %d)", n, name, low, high)
		}
		return strconv.Itoa(n), nil
	}
}

// duration accepts milliseconds or a number with a unit, and prints it as SHOW
// does: in the largest unit that divides it.
func duration(name string) func(string) (string, error) {
	return func(v string) (string, error) {
		d, err := parseDuration(v)
		if err != nil {
			_, _, ok := quantity(v)
			return "", badQuantity(name, v, ok, `"us", "ms", "s", "min", "h", and "d"`)
		}
		if ms := d.Milliseconds(); ms < 0 || ms > math.MaxInt32 {
			return "", pgerr.New(pgerr.InvalidParameterValue, "%d ms is outside the valid range for parameter %q (0 .. %d)", ms, name, math.MaxInt32)
		}
		return printDuration(d), nil
	}
}

var durationUnits = []struct {
	name string
	unit time.Duration
}{
	{"d", 24 * time.Hour},
	{"h", time.Hour},
	{"min", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
}

// quantityNumber is the number that a setting with a unit begins with.
var quantityNumber = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`)

// quantity is the number of a setting with a unit, and the unit; ok is false of what
// begins with no number.
func quantity(v string) (n float64, unit string, ok bool) {
	v = strings.TrimSpace(v)
	number := quantityNumber.FindString(v)
	n, err := strconv.ParseFloat(number, 64)
	return n, strings.TrimSpace(v[len(number):]), err == nil
}

// badQuantity refuses a value; that of a number names the units that there are.
func badQuantity(name, v string, number bool, units string) *pgerr.Error {
	err := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
	if number {
		err = err.WithHint("Valid units for this parameter are %s.", units)
	}
	return err
}

func parseDuration(v string) (time.Duration, error) {
	n, unit, ok := quantity(v)
	if !ok {
		return 0, strconv.ErrSyntax
	}
	factor := time.Millisecond
	if unit != "" {
		factor = 0
		for _, u := range durationUnits {
			if u.name == unit {
				factor = u.unit
			}
		}
		if factor == 0 {
			return 0, strconv.ErrSyntax
		}
	}
	if n*float64(factor) > math.MaxInt64 {
		return 0, strconv.ErrRange
	}
	return time.Duration(math.Round(n*float64(factor)/1e6)) * time.Millisecond, nil
}

func printDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	for _, u := range durationUnits {
		if d%u.unit == 0 {
			return strconv.FormatInt(int64(d/u.unit), 10) + u.name
		}
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}

// encoding is check_client_encoding of PostgreSQL.
func encoding(v string) (string, error) {
	name, _, translated := charset.Find(v)
	refused := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"client_encoding\": \"%s\"", v)
	switch {
	case name == "":
		return "", refused
	case !translated:
		refused.Code = pgerr.FeatureNotSupported
		return "", refused.WithDetail("Conversion between %s and UTF8 is not supported.", name)
	case v == "UNICODE": // some drivers want to read what they wrote
		return v, nil
	}
	return name, nil
}

// dateStyle reads a style and an order of fields, of which the later one of each
// counts and what is left out stays (PostgreSQL manual, 8.5.2).
func dateStyle(v, now string) (string, error) {
	style, order, _ := strings.Cut(now, ", ")
	for word := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch strings.ToUpper(word) {
		case "ISO":
			style = "ISO"
		case "SQL":
			style = "SQL"
		case "POSTGRES":
			style = "Postgres"
		case "GERMAN":
			style, order = "German", "DMY"
		case "MDY", "US", "NONEURO", "NONEUROPEAN":
			order = "MDY"
		case "DMY", "EURO", "EUROPEAN":
			order = "DMY"
		case "YMD":
			order = "YMD"
		case "DEFAULT":
		default:
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"DateStyle\": %q", v).
				WithDetail("Unrecognized key word: %q.", word)
		}
	}
	return style + ", " + order, nil
}

func isolation(name string) func(string) (string, error) {
	return oneOf(name, "serializable", "repeatable read", "read committed", "read uncommitted")
}

func pointText(v string) (string, error) {
	if strings.TrimSpace(v) == "" {
		return "", nil
	}
	if _, err := ontosql.ParsePoint(v, time.UTC); err != nil {
		return "", badPoint(err)
	}
	return v, nil
}

// badPoint is the answer to a text that names no point.
func badPoint(err error) error {
	return pgerr.New(pgerr.InvalidParameterValue, "%s", err.Error()).Because(err)
}
