package duckdb

import (
	"errors"
	"testing"
)

// TestConditions runs statements with common mistakes and checks how DuckDB's errors are
// classified, by type or by message.
func TestConditions(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	exec(t, c, "CREATE TABLE t (a int PRIMARY KEY, b varchar NOT NULL, d date)", "INSERT INTO t VALUES (1, 'one', NULL), (2, 'two', NULL)")
	for _, test := range []struct {
		sql       string
		condition Condition
		position  int
		name      string
	}{
		{"SELECT 1 frm frm", SyntaxError, 13, ""},
		{"SELECT 'unterminated", SyntaxError, 7, ""},
		{"SELECT nocol FROM t", UndefinedColumn, 7, "nocol"},
		{"SELECT t.nocol FROM t", UndefinedColumn, 7, "nocol"},
		{`SELECT "nope"`, UndefinedColumn, 7, "nope"},
		{"SELECT * FROM t JOIN t u USING (zz)", UndefinedColumn, -1, "zz"},
		{"SELECT x.a FROM t", UndefinedTable, 7, "x"},
		{"SELECT a FROM t t1, t t2", AmbiguousColumn, 7, "a"},
		{"SELECT * FROM t, t", DuplicateAlias, -1, "memory.main.t"},
		{"SELECT * FROM notab", UndefinedTable, 14, "notab"},
		{"SELECT * FROM nosuch.t", UndefinedTable, 14, "nosuch.t"},
		{"SELECT frobnicate(1)", UndefinedFunction, 7, "frobnicate"},
		{"SELECT * FROM nosuchfun(1)", UndefinedFunction, 14, "nosuchfun"},
		{"SELECT upper(1, 2)", UndefinedFunction, 7, "upper"},
		{"SELECT 1::nosuchtype", UndefinedType, 10, "nosuchtype"},
		{"CREATE TABLE t (a int)", DuplicateTable, -1, "t"},
		{"SELECT a, count(*) FROM t", Grouping, 7, ""},
		{"SELECT a FROM t WHERE sum(a) > 1", Grouping, 22, ""},
		{"SELECT a FROM t WHERE row_number() OVER () = 1", Grouping, 22, ""},
		{"SELECT sum(sum(a)) FROM t", Grouping, 11, ""},
		{"SELECT CASE WHEN true THEN d ELSE 5 END FROM t", TypeMismatch, 7, ""},
		{"SELECT a FROM t UNION SELECT a, b FROM t", SyntaxError, -1, ""},
		{"SELECT (SELECT a, b FROM t)", SyntaxError, 7, ""},
		{"SELECT (SELECT a FROM t)", CardinalityViolation, -1, ""},
		{"SELECT 'x'::bigint", InvalidText, 10, ""},
		{"SELECT '99999999999999999999'::bigint", NumericOverflow, 29, ""},
		{"SELECT 12345.5::DECIMAL(8,2)::DECIMAL(4,2)", NumericOverflow, 28, ""},
		{"SELECT CAST('123456' || '.5' AS DECIMAL(6,2))", NumericOverflow, 7, ""},
		{"SELECT 99999::int::smallint", NumericOverflow, 17, ""},
		{"SELECT 9223372036854775807::bigint + 1", NumericOverflow, -1, ""},
		{"SELECT 'abc'::decimal(10,2)", InvalidText, 12, ""},
		{"SELECT 'abc'::boolean", InvalidText, 12, ""},
		{"SELECT 'abc'::uuid", InvalidText, 12, ""},
		{"SELECT '{'::json", InvalidText, 10, ""},
		{"SELECT 'abc'::date", InvalidDatetime, 12, ""},
		{"SELECT 'x'::timestamptz", InvalidDatetime, 10, ""},
		{"SELECT '2024-02-30'::date", DatetimeOverflow, 19, ""},
		{"SELECT '2024-13-45 00:00:00'::timestamp", DatetimeOverflow, 28, ""},
		{"SELECT '25:00'::time", DatetimeOverflow, 14, ""},
		{"SELECT 'zz'::interval", InvalidDatetime, 11, ""},
		{"SELECT error('division by zero')", DivisionByZero, -1, ""},
		{"SELECT sqrt(-1)", InvalidArgument, -1, ""},
		{"SELECT regexp_matches('a', '(')", InvalidRegexp, -1, ""},
		{"SELECT regexp_matches('a', '[')", InvalidRegexp, -1, ""},
		{"SELECT regexp_matches('a', '*')", InvalidRegexp, -1, ""},
		{`SELECT regexp_matches('a', '\')`, InvalidRegexp, -1, ""},
		{"SELECT a FROM t ORDER BY 5", InvalidArgument, 25, ""},
		{"SELECT a FROM t LIMIT -1", InvalidArgument, 22, ""},
		{"SELECT date_trunc('foo', now())", InvalidArgument, -1, ""},
		{"SELECT now() AT TIME ZONE 'Nowhere/X'", InvalidArgument, -1, ""},
		{"INSERT INTO t VALUES (1, 'again', NULL)", UniqueViolation, -1, ""},
		{"INSERT INTO t VALUES (3, NULL, NULL)", NotNullViolation, -1, ""},
		{"SELECT * FROM read_csv('/etc/passwd')", Denied, 14, ""},
		{"SELECT error('anything else')", Unclassified, -1, ""},
	} {
		err := c.Exec(t.Context(), test.sql)
		var got *Error
		if !errors.As(err, &got) {
			t.Errorf("%s: %v, want an *Error", test.sql, err)
			continue
		}
		if got.Condition != test.condition || got.Position != test.position || got.Name != test.name {
			t.Errorf("%s:\n got condition %d position %d name %q\nwant condition %d position %d name %q\n%#v",
				test.sql, got.Condition, got.Position, got.Name, test.condition, test.position, test.name, got)
		}
	}
}

// TestConversionDetails checks the parts of a message that PostgreSQL's messages need.
func TestConversionDetails(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	for _, test := range []struct{ sql, value, object string }{
		{"SELECT 'x''y\"z'::bigint", `x'y"z`, "INT64"},
		{"SELECT E'a\\nb'::int", "a\nb", "INT32"},
		{"SELECT '99999999999'::int", "99999999999", "INT32"},
		{"SELECT 'abc'::decimal(10,2)", "abc", "DECIMAL(10,2)"},
		{"SELECT 'soon'::date", "soon", "date"},
		{"SELECT '2024-02-30'::date", "2024-02-30", "date"},
		{"SELECT 'zz'::interval", "zz", "INTERVAL"},
	} {
		var got *Error
		if err := c.Exec(t.Context(), test.sql); !errors.As(err, &got) || got.Value != test.value || got.Object != test.object {
			t.Errorf("%s: %#v, want value %q of %s", test.sql, got, test.value, test.object)
		}
	}
}

func TestFailedTransaction(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	exec(t, c, "BEGIN")
	if err := c.Exec(t.Context(), "SELECT error('x')"); err == nil {
		t.Fatal("error() succeeded")
	}
	var got *Error
	if err := c.Exec(t.Context(), "SELECT 1"); !errors.As(err, &got) || got.Condition != InFailedTransaction {
		t.Errorf("after an error: %v, want InFailedTransaction", err)
	}
	exec(t, c, "ROLLBACK", "SELECT 1")
}

// TestFatal parses the text of a fatal error: there is no safe way to cause one.
func TestFatal(t *testing.T) {
	e := openEngine(t, Options{})
	err := e.newError(`{"exception_type":"FATAL","exception_message":"Failed: database has been invalidated"}`)
	if e.Err() == nil || e.Err().Error() != err.Error() {
		t.Errorf("Err() = %v, want %v", e.Err(), err)
	}
	if _, err := e.Conn(t.Context()); err == nil {
		t.Error("Conn succeeded after a fatal error")
	}
}

func TestParseError(t *testing.T) {
	for text, want := range map[string]Error{
		"Invalid Input Error: Values were not provided\nmore":                      {Type: InvalidInput, Message: "Values were not provided", Position: -1},
		`Parser Error: {"exception_type":"Parser","exception_message":"at \"{\""}`: {Type: Parser, Condition: SyntaxError, Message: `at "{"`, Position: -1},
		"Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: " + `{"exception_type":"FATAL","exception_message":"too soon"}`: {Type: Fatal, Message: "too soon", Position: -1},
		`{"exception_type":"X"`: {Message: `{"exception_type":"X"`, Position: -1},
		"":                      {Position: -1},
	} {
		got := parseError(text)
		if got.Type != want.Type || got.Condition != want.Condition || got.Message != want.Message || got.Position != want.Position {
			t.Errorf("parseError(%q) = %#v, want %#v", text, *got, want)
		}
	}
}
