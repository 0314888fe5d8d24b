package backends

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// saying is a statement of a program and who says it.
type saying struct {
	speaker int
	sql     string
	args    [][]byte // its parameters, nil for a string of statements without any
}

const (
	programs   = 6
	programLen = 70
	speakers   = 2
)

// TestDifferential tells random programs to every backend: each answer, command tag,
// notice and SQLSTATE is the same everywhere. ONTOSQL_SEED=n tells that program alone,
// ONTOSQL_TORTURE=10m tells programs for so long.
func TestDifferential(t *testing.T) {
	if text := os.Getenv("ONTOSQL_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal("ONTOSQL_SEED:", err)
		}
		compare(t, seed)
		return
	}
	first := uint64(time.Now().UnixNano()) % 1_000_000_000
	until := time.Now()
	if text := os.Getenv("ONTOSQL_TORTURE"); text != "" {
		torture, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal("ONTOSQL_TORTURE:", err)
		}
		until = until.Add(torture)
	}
	for n := uint64(0); n < programs || time.Now().Before(until); n++ {
		compare(t, first+n)
		if t.Failed() {
			return
		}
	}
}

// compare runs the program of a seed on all backends. If one differs from the first, shorter
// programs are tried, to report the shortest.
func compare(t *testing.T, seed uint64) {
	t.Helper()
	t.Logf("ONTOSQL_SEED=%d", seed)
	engine := engines[seed%uint64(len(engines))]
	program := write(rand.New(rand.NewPCG(seed, 0)))
	want := answersOf(t, &backends[0], engine, program)
	for i := range backends[1:] {
		b := &backends[1+i]
		at := firstDifference(want, answersOf(t, b, engine, program))
		if at < 0 {
			continue
		}
		short := shorten(t, b, engine, program[:at+1])
		a, c := answersOf(t, &backends[0], engine, short), answersOf(t, b, engine, short)
		for k, s := range short {
			t.Logf("%d: %s %q\n%s", s.speaker, s.sql, s.args, a[k])
		}
		last := len(short) - 1
		t.Errorf("engine %s: %s says\n%s%s says\n%s", engine, backends[0].name, a[last], b.name, c[last])
	}
}

// shorten leaves statements out as long as the last one is still answered differently.
func shorten(t *testing.T, b *backend, engine string, program []saying) []saying {
	for step := len(program) / 2; step > 0; step /= 2 {
		for at := 0; at+step < len(program); {
			less := slices.Delete(slices.Clone(program), at, at+step)
			d := firstDifference(answersOf(t, &backends[0], engine, less), answersOf(t, b, engine, less))
			if d < 0 {
				at += step
				continue
			}
			program = less[:d+1]
		}
	}
	return program
}

// firstDifference is the place of the first answer that differs, -1 if there is none. A
// program is compared up to the statement that reads, in a transaction, what was dropped
// after it began: a bucket still has such rows, a SQLite file has not (docs/sqlite.md).
func firstDifference(a, b []string) int {
	for i := range b {
		switch {
		case rowsAreGone.MatchString(b[i]):
			return -1
		case a[i] != b[i]:
			return i
		}
	}
	return -1
}

var rowsAreGone = regexp.MustCompile(`^ERROR 55000: the rows of \S+ are gone: `)

// answersOf runs a program on a new ontology. It is nil if the backend's server is missing.
func answersOf(t *testing.T, b *backend, engine string, program []saying) (answers []string) {
	skipped := false
	t.Run(b.name, func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		dsn := b.serve(t, engine, true)
		var clients [speakers]*client
		for i := range clients {
			clients[i] = connect(t, dsn)
		}
		for _, s := range program {
			ctx, speaker := context.WithoutCancel(t.Context()), clients[s.speaker]
			answer := ""
			if s.args == nil {
				answer = speaker.say(ctx, s.sql)
			} else {
				answer = speaker.sayWith(ctx, s.sql, s.args)
			}
			if strings.Contains(s.sql, "RETURNING") { // in no order
				answer = strings.Join(slices.Sorted(strings.Lines(answer)), "")
			}
			answers = append(answers, namesNoRow(s.sql, answer))
		}
	})
	if len(answers) < len(program) && !skipped {
		t.Fatal("the program was not told to its end")
	}
	return answers
}

// namesNoRow is the answer of a statement without the row that it failed at, if that may
// be another one next time: an UPDATE and a change of the schema read rows in no order, and
// several may fail. The rows of an INSERT have an order.
func namesNoRow(sql, answer string) string {
	if strings.HasPrefix(sql, "INSERT") {
		return answer
	}
	return failingRow.ReplaceAllString(answer, "")
}

// failingRow is the line of an answer that names the row a statement failed at.
var failingRow = regexp.MustCompile(`(?m)^DETAIL: (Failing row contains|Key) \(.*\n`)

// author writes a program. It knows what it has declared, not what became of it, so
// that many statements fail.
type author struct {
	*rand.Rand
	program []saying
	speaker int
}

func write(r *rand.Rand) []saying {
	a := &author{Rand: r}
	a.say("CREATE TABLE e0 (id text PRIMARY KEY, a bigint, b text, c double precision DEFAULT 1.5)")
	a.say("CREATE TABLE e1 (id bigint PRIMARY KEY, a bigint NOT NULL DEFAULT 7, d jsonb)")
	a.say("CREATE TABLE r0 (left_key text REFERENCES e0, right_key bigint REFERENCES e1, slot text, a bigint, PRIMARY KEY (left_key, right_key, slot))")
	for len(a.program) < programLen {
		if a.IntN(3) == 0 {
			a.speaker = a.IntN(speakers)
		}
		a.statement()
	}
	for i := range speakers {
		a.speaker = i
		a.say("ROLLBACK")
	}
	for _, table := range []string{"e0", "e1", "r0"} {
		a.reading(table, everyWindow)
	}
	a.say("SELECT commit_id, ARRAY(SELECT t FROM unnest(types) AS u(t) ORDER BY t), row_count, metadata - 'ontosql_attempt' - 'ontosql_schema' FROM ontosql.commits ORDER BY 1")
	a.say("SELECT type_kind, type_name, schema_version_id, schema_hash, schema_json, reason FROM ontosql.schema_versions ORDER BY 1, 2, 3")
	a.say("SELECT * FROM (SELECT type_kind, type_name, table_name, schema_version_id, key_columns, last_commit_id FROM ontosql.types) ORDER BY 1, 2")
	return a.program
}

func (a *author) say(format string, args ...any) {
	a.program = append(a.program, saying{speaker: a.speaker, sql: fmt.Sprintf(format, args...)})
}

func (a *author) of(these ...string) string { return these[a.IntN(len(these))] }

func (a *author) statement() {
	table := a.of("e0", "e0", "e1", "r0")
	switch n := a.IntN(20); {
	case n < 6:
		a.insert(table)
	case n < 9:
		a.say("UPDATE %s SET a = %s%s%s", table, a.number(), a.where(table), a.of("", " RETURNING *"))
	case n < 13:
		a.reading(table, a.IntN(everyWindow))
	case n < 17:
		a.say("%s", a.of("BEGIN", "BEGIN", "BEGIN ISOLATION LEVEL SERIALIZABLE", "COMMIT", "COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s", "RELEASE s"))
	case n < 19:
		a.define(table)
	default:
		a.say("%s", a.of(
			"SET ontosql.on_conflict = 'update'", "SET ontosql.on_conflict = 'nothing'", "RESET ontosql.on_conflict",
			"SET ontosql.commit_message = 'said'", "RESET ontosql.commit_message", "SET ontosql.as_of = 'HEAD~2'", "RESET ontosql.as_of",
			"DELETE FROM e0", "SELECT * FROM nobody", "SELECT * FROM ontosql.write_lock WHERE owner_id IS NULL",
		))
	}
}

func (a *author) number() string {
	return a.of("1", "2", "-3", "a", "a + 1", "NULL", "9223372036854775807", "a * 2", "1 / 2", "'x'", "0")
}

// key is one of few, so that identities come again.
func (a *author) key(table string) string {
	entity, number := fmt.Sprintf("'k%d'", a.IntN(5)), strconv.Itoa(a.IntN(4))
	switch table {
	case "e0":
		return entity
	case "e1":
		return number
	}
	return entity + ", " + number + ", " + a.of("''", "'s'")
}

func (a *author) insert(table string) {
	rows := make([]string, 1+a.IntN(3))
	for i := range rows {
		rows[i] = fmt.Sprintf("(%s, %s)", a.key(table), a.of("1", "2", "NULL", "30000000000", "-1"))
	}
	keys := map[string]string{"e0": "id", "e1": "id", "r0": "left_key, right_key, slot"}[table]
	if a.IntN(2) == 0 {
		a.insertParameters(table, keys, strings.Join(rows, ", "))
		return
	}
	a.say("INSERT INTO %s (%s, a) VALUES %s%s%s", table, keys, strings.Join(rows, ", "),
		a.of("", "", " ON CONFLICT DO NOTHING", fmt.Sprintf(" ON CONFLICT (%s) DO UPDATE SET a = excluded.a", keys)), a.of("", " RETURNING *"))
}

// insertParameters is an INSERT of these rows, each value a parameter.
func (a *author) insertParameters(table, keys, rows string) {
	args := [][]byte{}
	values := constants.ReplaceAllStringFunc(rows, func(value string) string {
		arg := []byte(strings.Trim(value, "'"))
		if value == "NULL" {
			arg = nil
		}
		args = append(args, arg)
		return fmt.Sprint("$", len(args))
	})
	a.program = append(a.program, saying{a.speaker, fmt.Sprintf("INSERT INTO %s (%s, a) VALUES %s", table, keys, values), args})
}

// constants are the values of a list of rows.
var constants = regexp.MustCompile(`[^(), ]+`)

func (a *author) where(table string) string {
	key := map[string]string{"e0": "id = 'k1'", "e1": "id = 2", "r0": "left_key = 'k1' AND right_key = 2"}[table]
	return a.of("", " WHERE a > 1", " WHERE a IS NULL", " WHERE "+key, " WHERE "+key)
}

// everyWindow asks reading for all that there is of a table.
const everyWindow = 6

func (a *author) reading(table string, window int) {
	keys := map[string]string{"e0": "id", "e1": "id", "r0": "left_key, right_key, slot"}[table]
	all := []string{
		"SELECT * FROM %[1]s ORDER BY %[2]s",
		"SELECT *, commit_id, schema_version_id, fields_json FROM %[1]s" + a.where(table) + " ORDER BY %[2]s",
		fmt.Sprintf("SELECT * FROM as_of.%%[1]s(%d) ORDER BY %%[2]s", a.IntN(12)),
		"SELECT %[2]s, commit_id, schema_version_id, fields_json, valid_to_commit, is_current FROM history.%[1]s ORDER BY %[2]s, commit_id",
		"SELECT %[2]s, commit_id, change, changed_fields, before FROM changes.%[1]s ORDER BY %[2]s, commit_id",
		fmt.Sprintf("SELECT count(*), sum(a), min(commit_id) FROM history.%%[1]s WHERE commit_id > %d", a.IntN(9)),
	}
	if window < everyWindow {
		all = all[window : window+1]
	}
	for _, sql := range all {
		a.say(sql, table, keys)
	}
}

func (a *author) define(table string) {
	a.say(a.of(
		"ALTER TABLE %s ADD COLUMN n bigint DEFAULT 3", "ALTER TABLE %s DROP COLUMN n", "ALTER TABLE %s ALTER COLUMN a TYPE text",
		"ALTER TABLE %s ALTER COLUMN a TYPE bigint USING length(a::text)", "ALTER TABLE %s RENAME COLUMN n TO m", "ALTER TABLE %s ALTER COLUMN a SET NOT NULL",
		"ALTER TABLE %s ALTER COLUMN a DROP NOT NULL", "ALTER TABLE %s ALTER COLUMN a SET DEFAULT 4", "COMMENT ON TABLE %s IS 'a table'",
		"DROP TABLE %s", "SET LOCAL ontosql.purge_history = on; DROP TABLE %s CASCADE",
	), table)
}
