package gateway_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/ontosql/ontosql/wire"
)

func TestExplainOfAnInsertWritesNothing(t *testing.T) {
	h := openHouse(t, shop(t), false)
	h.ending = true
	s := h.session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	lines := strings.Join(must(t, s, "EXPLAIN INSERT INTO shelf SELECT name || '2', height FROM shelf"), "\n")
	for _, want := range []string{"Insert on public.shelf\n", "Pin: commit 2\n", "->  public.shelf", "Files: 1 considered, 0 pruned, 1 read"} {
		if !strings.Contains(lines, want) {
			t.Errorf("EXPLAIN of an INSERT lacks %q:\n%s", want, lines)
		}
	}
	refused(t, s, "0A000", "EXPLAIN ANALYZE INSERT INTO shelf VALUES ('b', 1)")
	answers(t, s, "SELECT count(*), (SELECT max(commit_id) FROM ontosql.commits) FROM shelf", "1|2")
}

func TestExplainOptions(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	for options, want := range map[string]string{
		"":                                 "no times",
		"VERBOSE":                          "no times",
		"(COSTS, BUFFERS 1, SETTINGS OFF)": "no times",
		"(ANALYZE FALSE, FORMAT TEXT)":     "no times",
		"(TIMING OFF)":                     "no times",
		"(SUMMARY)":                        "planning",
		"(ANALYZE, SUMMARY 'off')":         "no times",
		"ANALYZE":                          "planning and execution",
		"ANALYZE VERBOSE":                  "planning and execution",
		"(ANALYZE on, WAL, TIMING true)":   "planning and execution",
		"(WAL, ANALYZE)":                   "planning and execution",
	} {
		lines := strings.Join(must(t, s, "EXPLAIN "+options+" SELECT id FROM customer"), "\n")
		planning, execution := strings.Contains(lines, "Planning Time: "), strings.Contains(lines, "Execution Time: ")
		got := map[[2]bool]string{{}: "no times", {true, false}: "planning", {true, true}: "planning and execution"}[[2]bool{planning, execution}]
		if got != want || strings.Contains(lines, "Object store: ") != strings.Contains(lines, "(rows=40)") {
			t.Errorf("EXPLAIN %s has %s, want %s:\n%s", options, got, want, lines)
		}
	}
	for options, code := range map[string]string{
		"(nosuch)":                  "42601",
		"(GENERIC_PLAN)":            "42601", // of a later PostgreSQL, as are the next two
		"(MEMORY)":                  "42601",
		"(SERIALIZE)":               "42601",
		"(ANALYZE maybe)":           "42601",
		"(COSTS 2)":                 "42601",
		"(BUFFERS 'yes')":           "42601",
		"(ANALYZE '')":              "42601",
		"(FORMAT nosuch)":           "22023",
		"(WAL)":                     "22023",
		"(TIMING, ANALYZE off)":     "22023",
		"(FORMAT YAML)":             "0A000",
		"(ANALYZE, FORMAT 'yaml')":  "0A000",
		"(ANALYZE, TIMING perhaps)": "42601",
	} {
		refused(t, s, code, "EXPLAIN "+options+" SELECT id FROM customer")
	}
}

func TestExplainFormats(t *testing.T) {
	asksNoMirror(t)
	s := openHouse(t, nil, false).session(t, "onto")
	const sql = " SELECT name FROM customer WHERE id IN ('c1', '<c2>')"
	for options, want := range map[string]struct {
		oid  uint32
		text string
	}{
		"(FORMAT JSON, COSTS)": {114, `[
  {
    "Plan": {
      "Node Type": "Result",
      "Pin": "commit 54",
      "Output": [
        "public.customer_1.name"
      ],
      "Plans": [
        {
          "Node Type": "Foreign Scan",
          "Parent Relationship": "Outer",
          "Schema": "public",
          "Relation Name": "customer",
          "Window": "latest at commit 54",
          "Source": "SOURCE",
          "Output": [
            "public.customer_1.name"
          ],
          "Columns": [
            "id",
            "name"
          ],
          "Key": [
            "entity_key = 'c1' or '<c2>'"
          ]
        }
      ]
    }
  }
]`},
		"(FORMAT XML)": {142, `<explain xmlns="http://www.postgresql.org/2009/explain">
  <Query>
    <Plan>
      <Node-Type>Result</Node-Type>
      <Pin>commit 54</Pin>
      <Output>
        <Item>public.customer_1.name</Item>
      </Output>
      <Plans>
        <Plan>
          <Node-Type>Foreign Scan</Node-Type>
          <Parent-Relationship>Outer</Parent-Relationship>
          <Schema>public</Schema>
          <Relation-Name>customer</Relation-Name>
          <Window>latest at commit 54</Window>
          <Source>SOURCE</Source>
          <Output>
            <Item>public.customer_1.name</Item>
          </Output>
          <Columns>
            <Item>id</Item>
            <Item>name</Item>
          </Columns>
          <Key>
            <Item>entity_key = &#39;c1&#39; or &#39;&lt;c2&gt;&#39;</Item>
          </Key>
        </Plan>
      </Plans>
    </Plan>
  </Query>
</explain>`},
	} {
		st, err := s.Prepare(t.Context(), wire.Query{SQL: "EXPLAIN " + options + sql, Simple: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c := st.Columns(); len(c) != 1 || c[0].Name != "QUERY PLAN" || c[0].OID != want.oid {
			t.Errorf("EXPLAIN %s has the columns %+v", options, c)
		}
		got := must(t, s, "EXPLAIN "+options+sql)
		if len(got) != 1 || regexp.MustCompile("Files: [^\"<]*").ReplaceAllString(got[0], "SOURCE") != want.text {
			t.Errorf("EXPLAIN %s says\n%s\nwant\n%s", options, strings.Join(got, "\n--\n"), want.text)
		}
	}
	for _, want := range []string{`"Node Type": "ModifyTable",`, `"Operation": "Update",`, `"Planning Time": `} {
		if got := must(t, s, "EXPLAIN (FORMAT JSON, SUMMARY) UPDATE customer SET name = 'x' WHERE id = 'c1'"); !strings.Contains(got[0], want) {
			t.Errorf("EXPLAIN of an UPDATE lacks %s:\n%s", want, got[0])
		}
	}
	for _, want := range []string{`"Actual Rows": 40,`, `"Object Store": {`, `"Execution Time": `} {
		if got := must(t, s, "EXPLAIN (ANALYZE, FORMAT JSON) SELECT id FROM customer"); !strings.Contains(got[0], want) {
			t.Errorf("EXPLAIN ANALYZE lacks %s:\n%s", want, got[0])
		}
	}
}

// TestExplainTellsWhatReachesTheSource shows the bounds, keys and columns that
// the source of each reference gets, and none of what it does not.
func TestExplainTellsWhatReachesTheSource(t *testing.T) {
	asksNoMirror(t)
	s := openHouse(t, nil, false).session(t, "onto")
	for sql, want := range map[string]string{
		"SELECT name, commit_id FROM customer WHERE id IN ('c1', 'c2')":             "public.customer  (latest at commit 54)|Columns: id, name, commit_id|Key: entity_key = 'c1' or 'c2'",
		"SELECT count(*) FROM history.customer WHERE commit_id > 40":                "history.customer  (history, commits 41 to 54)|Columns: commit_id",
		"SELECT count(*) FROM history.customer WHERE commit_id <= 40":               "history.customer  (history, commits 1 to 40)|Columns: commit_id",
		"SELECT id FROM changes.customer WHERE commit_id > 10 AND commit_id <= 12":  "changes.customer  (changes, commits 11 to 12)|Columns: id, commit_id",
		"SELECT id FROM history.customer WHERE commit_id > 99":                      "history.customer  (history, no commit)|Columns: id, commit_id",
		"SELECT id FROM history.customer WHERE commit_id > 10 AND valid_to > now()": "history.customer  (history at commit 54)|Columns: id, commit_id, valid_to",
		"SELECT tier FROM as_of.customer(7)":                                        "as_of.customer  (latest at commit 7)|Columns: tier",
		"SELECT query FROM ontosql.statements":                                      "ontosql.statements  (computed)",
	} {
		var got []string
		for _, line := range must(t, s, "EXPLAIN "+sql)[2:] {
			if line = strings.TrimPrefix(strings.TrimSpace(line), "->  "); !strings.HasPrefix(line, "Files: ") {
				got = append(got, line)
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("EXPLAIN %s says %q, want %q", sql, strings.Join(got, "|"), want)
		}
	}
}

// TestExplainAnalyzeCountsItsRequests asks a store that has not been read before and is not
// read meanwhile.
func TestExplainAnalyzeCountsItsRequests(t *testing.T) {
	asksNoMirror(t)
	h := openHouse(t, nil, false)
	s := h.session(t, "onto")
	before := h.bucket.Status().Total()
	lines := strings.Join(must(t, s, "EXPLAIN ANALYZE SELECT * FROM customer"), "\n")
	spent := h.bucket.Status().Total()
	want := fmt.Sprintf("\nObject store: %d requests, %d bytes\n", spent.Requests-before.Requests, spent.Bytes-before.Bytes)
	if !strings.Contains(lines, want) || spent.Requests == before.Requests {
		t.Errorf("EXPLAIN ANALYZE lacks %q:\n%s", want, lines)
	}
}

// TestExplainTwice explains a statement that the session has planned before: the columns are
// EXPLAIN's.
func TestExplainTwice(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for range 2 {
		st, err := s.Prepare(t.Context(), wire.Query{SQL: "EXPLAIN SELECT code, city FROM store", Simple: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if columns := st.Columns(); len(columns) != 1 || columns[0].Name != "QUERY PLAN" {
			t.Errorf("EXPLAIN has the columns %+v", columns)
		}
	}
}

// TestExplainExecute explains prepared statements, as sqlx does for each query that it
// checks while a program is compiled.
func TestExplainExecute(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	must(t, s, "PREPARE named AS SELECT id, name FROM customer WHERE id = $1")
	must(t, s, "PREPARE changed(text) AS UPDATE customer SET name = 'x' WHERE id = $1")
	lines := strings.Join(must(t, s, "EXPLAIN EXECUTE named('c1')"), "\n")
	for _, want := range []string{"Result\nPin: commit ", "->  public.customer  (latest at commit ", "Columns: id, name", "Key: entity_key = 'c1'"} {
		if !strings.Contains(lines, want) {
			t.Errorf("EXPLAIN EXECUTE lacks %q:\n%s", want, lines)
		}
	}
	if lines := strings.Join(must(t, s, "EXPLAIN ANALYZE EXECUTE named('c1')"), "\n"); !strings.HasPrefix(lines, "Result  (rows=1)\n") {
		t.Errorf("EXPLAIN ANALYZE EXECUTE found another row:\n%s", lines)
	}
	if lines := must(t, s, "EXPLAIN EXECUTE changed('c1')"); lines[0] != "Update on public.customer" {
		t.Errorf("EXPLAIN EXECUTE of an update: %q", lines)
	}
	for sql, code := range map[string]string{
		"EXPLAIN EXECUTE none":                     "26000",
		"EXPLAIN EXECUTE named":                    "42601",
		"EXPLAIN EXECUTE named('a', 'b')":          "42601",
		"EXPLAIN ANALYZE EXECUTE changed('c1')":    "0A000",
		"EXPLAIN (FORMAT YAML) EXECUTE named('a')": "0A000",
	} {
		refused(t, s, code, sql)
	}
}

func TestExplainJSON(t *testing.T) {
	c := newHouse(t, nil).client(t)
	type node struct {
		Type     string `json:"Node Type"`
		Rows     int    `json:"Actual Rows"`
		Relation string `json:"Relation Name"`
		Key      []string
		Join     string `json:"Join Type"`
		Parent   string `json:"Parent Relationship"`
		Output   []string
		Plans    []node
	}
	type explained struct {
		Plan     node
		Planning float64 `json:"Planning Time"`
	}
	ask := func(sql string) (pgx.Rows, []explained) {
		t.Helper()
		rows, err := c.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[[]explained])
		if err != nil {
			t.Fatal(err)
		}
		return rows, all
	}
	say(t, c, "PREPARE named AS SELECT id FROM customer WHERE id = $1")
	rows, all := ask("EXPLAIN (VERBOSE, ANALYZE, FORMAT JSON) EXECUTE named('c1')")
	if name, oid := rows.FieldDescriptions()[0].Name, rows.FieldDescriptions()[0].DataTypeOID; name != "QUERY PLAN" || oid != pgtype.JSONOID {
		t.Errorf("the column is %s of type %d", name, oid)
	}
	id := []string{"public.customer_1.id"}
	want := node{Type: "Result", Rows: 1, Output: id, Plans: []node{{Type: "Foreign Scan", Parent: "Outer", Relation: "customer", Key: []string{"entity_key = 'c1'"}, Output: id}}}
	if len(all) != 1 || all[0].Planning <= 0 || !reflect.DeepEqual(all[0].Plan, want) {
		t.Errorf("EXPLAIN says %+v, want %+v", all, want)
	}

	// What an outer join leaves without a row is its inner side: sqlx takes the columns for
	// ones that may be NULL.
	for sql, want := range map[string]string{
		"SELECT a.id, b.id, 1 FROM customer a LEFT JOIN customer b ON a.id = b.name":                         "Left Outer Inner",
		"SELECT a.id, b.id FROM customer a RIGHT JOIN customer b ON a.id = b.name":                           "Left Inner Outer",
		"SELECT a.id FROM customer a FULL JOIN (customer b CROSS JOIN store s) ON a.id = b.name":             "Left Inner Inner Inner",
		"SELECT a.id FROM customer a JOIN store s ON a.id = s.code":                                          " Outer Outer",
		"SELECT count(*) FROM customer a JOIN store s ON true LEFT JOIN product p ON p.title = a.name":       "Left Outer Outer Inner",
		"SELECT id FROM (SELECT a.id FROM store s LEFT JOIN customer a ON a.id = s.code) q":                  "Left Outer Inner",
		"SELECT id FROM customer WHERE EXISTS (SELECT FROM store s LEFT JOIN product p ON p.title = s.city)": "Left Outer Outer Inner",
	} {
		_, all := ask("EXPLAIN (FORMAT JSON) " + sql)
		got := all[0].Plan.Join
		for _, p := range all[0].Plan.Plans {
			got += " " + p.Parent
		}
		if got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestExplainProfile joins two types: the steps of the engine have rows and times, the scans the
// names of the types, and nothing has a name of the engine's tables or files.
func TestExplainProfile(t *testing.T) {
	for _, mirrored := range []bool{false, true} {
		h := openHouse(t, shop(t), mirrored)
		h.ending = true
		s := h.session(t, "onto")
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 1), ('b', 2), ('c', 3)", "INSERT 0 3")
		const query = " SELECT count(*) FROM shelf JOIN generate_series(2, 9) AS g ON g = height"
		answers(t, s, query, "2")
		text := strings.Join(must(t, s, "EXPLAIN (ANALYZE, VERBOSE)"+query), "\n")
		for _, want := range []string{
			`(?m)^Result  \(rows=1\)$`,
			`(?m)^        Scanned: [0-9]+ rows in [0-9.]+ ms$`,
			`(?m)^Profile:$`,
			`(?m)^  Ungrouped Aggregate  \(rows=1 time=[0-9.]+ ms\)$`,
			`->  Hash Join  \(rows=2 time=`,
			`Scan on public.shelf  \(rows=`,
		} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("mirrored %v: EXPLAIN (ANALYZE, VERBOSE) lacks %s:\n%s", mirrored, want, text)
			}
		}
		if names := regexp.MustCompile(`parquet|ontosql|memory\.|_SCAN`).FindString(text); names != "" {
			t.Errorf("mirrored %v: EXPLAIN shows %q:\n%s", mirrored, names, text)
		}
		for _, options := range []string{"ANALYZE", "VERBOSE"} {
			if lines := strings.Join(must(t, s, "EXPLAIN "+options+query), "\n"); strings.Contains(lines, "Profile") || strings.Contains(lines, "Scanned") {
				t.Errorf("EXPLAIN %s has a profile:\n%s", options, lines)
			}
		}
		for format, want := range map[string]string{"JSON": `"Profile": {`, "XML": "<Profile>"} {
			if out := strings.Join(must(t, s, "EXPLAIN (ANALYZE, VERBOSE, FORMAT "+format+")"+query), "\n"); !strings.Contains(out, want) {
				t.Errorf("FORMAT %s lacks %s:\n%s", format, want, out)
			}
		}
		answers(t, s, query, "2")
	}
}

// TestExplainProfileOfTwoReferences: both references to one type show the sum of its scans.
func TestExplainProfileOfTwoReferences(t *testing.T) {
	for _, mirrored := range []bool{false, true} {
		h := openHouse(t, shop(t), mirrored)
		h.ending = true
		s := h.session(t, "onto")
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 1), ('b', 2), ('c', 3)", "INSERT 0 3")
		tagged(t, s, "CREATE TEMP TABLE rack AS SELECT height FROM shelf", "SELECT 3")
		for _, table := range []string{"shelf", "rack"} {
			query := "SELECT count(*) FROM " + table + " a JOIN " + table + " b ON a.height + 1 = b.height + 1"
			var text string
			var sums [][]string
			for range 2 { // the mirror may become complete between the two references, once
				text = strings.Join(must(t, s, "EXPLAIN (ANALYZE, VERBOSE) "+query), "\n")
				sums = regexp.MustCompile(`(?m)^        Scanned: ([0-9]+) rows in [0-9.]+ ms, by all 2 references to it$`).FindAllStringSubmatch(text, -1)
				if len(sums) == 2 {
					break
				}
			}
			if len(sums) != 2 || sums[0][1] == "0" || sums[0][1] != sums[1][1] { // the engine may scan once for both
				t.Errorf("mirrored %v, %s: want the same rows for each of two references:\n%s", mirrored, table, text)
			}
		}
		out := strings.Join(must(t, s, "EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) SELECT count(*) FROM rack a, rack b"), "\n")
		if n := strings.Count(out, `"References": 2`); n != 2 {
			t.Errorf("mirrored %v: FORMAT JSON tells %d times that there are two references:\n%s", mirrored, n, out)
		}
	}
}
