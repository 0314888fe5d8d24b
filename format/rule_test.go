package format_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// asked is a result of pydantic (testdata/conform/make_conform.py).
type asked struct {
	Type     string
	TypeSpec json.RawMessage `json:"type_spec"`
	Loads    []string
	Refuses  []string
}

func pydantic(t testing.TB) (answers []asked) {
	t.Helper()
	body, err := os.ReadFile("testdata/conform/conform.json")
	if err == nil {
		err = json.Unmarshal(body, &answers)
	}
	if err != nil || len(answers) == 0 {
		t.Fatalf("%d types: %v", len(answers), err)
	}
	return answers
}

func ruleOf(spelling string, spec []byte) *format.Rule {
	return format.RuleOf(format.SchemaField{Name: "f", Type: spelling, TypeSpec: spec})
}

// TestRulesAgreeWithPydantic checks that rules accept every value that pydantic loads. Values that
// pydantic rejects and a rule accepts are listed in the golden file. A star marks types whose rule
// accepts everything.
func TestRulesAgreeWithPydantic(t *testing.T) {
	var lenient strings.Builder
	for _, a := range pydantic(t) {
		rule := ruleOf(a.Type, a.TypeSpec)
		for _, text := range a.Loads {
			if err := rule.Check(parse(t, text)); err != nil {
				t.Errorf("%s: pydantic loads %.60s, the rule says %v", a.Type, text, err)
			}
		}
		if rule.AdmitsAll() && len(a.Refuses) > 0 {
			fmt.Fprintf(&lenient, "%s: *\n", a.Type)
			continue
		}
		for _, text := range a.Refuses {
			if rule.Check(parse(t, text)) == nil {
				fmt.Fprintf(&lenient, "%s: %.60s\n", a.Type, text)
			}
		}
	}
	datadriven.RunTest(t, "testdata/conform/lenient.txt", func(t *testing.T, d *datadriven.TestData) string { return lenient.String() })
}

// TestMisfits checks the path and the text of MisfitError. The first line of a case is the
// type_spec, every other line is a value.
func TestMisfits(t *testing.T) {
	datadriven.RunTest(t, "testdata/conform/misfits.txt", func(t *testing.T, d *datadriven.TestData) string {
		spec, values, _ := strings.Cut(d.Input, "\n")
		spelling := ""
		d.MaybeScanArgs(t, "type", &spelling)
		rule := ruleOf(spelling, []byte(spec))
		var out strings.Builder
		for text := range strings.Lines(values) {
			verdict := "admitted"
			if err := rule.Check(parse(t, text)); err != nil {
				verdict = err.Error()
			}
			fmt.Fprintln(&out, verdict)
		}
		return out.String()
	})
}

// TestRulesAdmitWhatTheOriginalStored checks every row that the original wrote against the rules of
// its schema version.
func TestRulesAdmitWhatTheOriginalStored(t *testing.T) {
	checked := 0
	for _, store := range fixtures.Stores {
		dir := fixtures.Dir(t, store+"/objects")
		objects := fixtures.Objects(t, store)
		for _, key := range slices.Sorted(maps.Keys(objects)) {
			if !strings.HasSuffix(key, "/manifest.json") {
				continue
			}
			m, err := format.DecodeManifest(key, objects[key])
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range m.Files {
				kind, err := ontosql.ParseKind(f.Kind)
				if err != nil {
					t.Fatal(err)
				}
				key := format.VersionsKey(ontosql.TypeRef{Kind: kind, Name: f.TypeName})
				versions, err := format.DecodeVersions(key, objects[key])
				if err != nil {
					t.Fatal(err)
				}
				rows, err := format.ReadRows(filepath.Join(dir, filepath.FromSlash(f.Path)))
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range rows {
					checked += checkRow(t, versions, row)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d values were held against a rule", checked)
	}
}

func checkRow(t *testing.T, versions *format.Versions, row format.Row) (checked int) {
	t.Helper()
	i := slices.IndexFunc(versions.Versions, func(v format.SchemaVersion) bool { return v.SchemaVersionID == row.SchemaVersionID })
	if i < 0 {
		return 0 // the type was dropped later
	}
	schema, err := format.DecodeSchema("versions", "", []byte(versions.Versions[i].SchemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	fields := parse(t, string(row.Fields))
	for _, f := range schema.Fields {
		rule := format.RuleOf(f)
		v, present := fields.Get(f.Name)
		if !present {
			continue
		}
		checked++
		if err := rule.Check(v); err != nil {
			t.Errorf("%s.%s of type %s: %v in %s", schema.Ref, f.Name, f.Type, err, row.Fields)
		}
		if misfit := format.Array(format.Array()); !rule.AdmitsAll() && rule.Check(misfit) == nil {
			t.Errorf("%s.%s of type %s: [[]] is admitted", schema.Ref, f.Name, f.Type)
		}
	}
	return checked
}

// TestRulesAreBounded checks that hostile schemas do not take exponential time.
func TestRulesAreBounded(t *testing.T) {
	deep := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	ref := func(name string) string { return `{"kind":"ref","name":"` + name + `"}` }
	dict := func(name, of string) string {
		return `{"kind":"typed_dict","name":"` + name + `","total":true,"fields":{"a":` + of + `}}`
	}
	either := func(a, b string) string { return `{"kind":"union","members":[` + a + `,` + b + `]}` }
	for name, c := range map[string]struct{ spec, value string }{
		"twice as long for each level of the value": {dict("T", either(ref("T"), dict("S", either(ref("T"), ref("S"))))), deep(`{"a":`, "1", "}", 1000)},
		"unions in unions under a recursive type":   {dict("T", deep(`{"kind":"union","members":[{"kind":"primitive","name":"NoneType"},`, ref("T"), "]}", 2000)), deep(`{"a":`, "1", "}", 4000)},
		"a spelling of brackets":                    {`{"kind":"primitive","name":"` + deep("list[", "int", "]", 100000) + `"}`, deep("[", "1", "]", 100)},
	} {
		rule := ruleOf("", []byte(c.spec))
		start := time.Now()
		err := rule.Check(parse(t, c.value))
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		var misfit *format.MisfitError
		if err != nil && (!errors.As(err, &misfit) || len(misfit.Path) > 1000 || len(misfit.Want) > 1000) {
			t.Errorf("%s: %.200s", name, err)
		}
	}
}

// FuzzRule checks that no type_spec and no value makes a rule panic or hang, and that AdmitsAll is
// correct.
func FuzzRule(f *testing.F) {
	answers := pydantic(f)
	for i, a := range answers {
		values := slices.Concat(a.Loads, a.Refuses)
		f.Add(a.Type, []byte(a.TypeSpec), []byte(values[i%len(values)]))
	}
	f.Add("", []byte(`{"kind":"ref","name":"T"}`), []byte("1"))
	f.Add("tuple[", []byte(`{"kind":"primitive","name":"typing.Literal['\\x4"}`), []byte(`"a"`))
	f.Fuzz(func(t *testing.T, spelling string, spec, text []byte) {
		v, err := format.ParseJSON(text)
		if err != nil {
			return
		}
		for _, rule := range []*format.Rule{
			ruleOf(spelling, spec),
			ruleOf(spelling, format.Object(format.Member{Name: "kind", Value: format.String("primitive")}, format.Member{Name: "name", Value: format.String(spelling)}).Append(nil, format.Canonical)),
		} {
			err := rule.Check(v)
			if err == nil {
				continue
			}
			var misfit *format.MisfitError
			if rule.AdmitsAll() || !errors.As(err, &misfit) || !strings.HasPrefix(misfit.Path, "$") || misfit.Want == "" {
				t.Fatalf("rule %s of %q %q: %v", rule, spelling, spec, err)
			}
		}
	})
}

func BenchmarkRule(b *testing.B) {
	spec := `{"item":{"fields":{"kind":{"kind":"primitive","name":"str"},"n":{"kind":"primitive","name":"int"}},"kind":"typed_dict","name":"Visit","total":true},"kind":"list"}`
	b.Run("RuleOf", func(b *testing.B) {
		for b.Loop() {
			ruleOf("list[m.Visit]", []byte(spec))
		}
	})
	b.Run("Check", func(b *testing.B) {
		rule := ruleOf("list[m.Visit]", []byte(spec))
		v, err := format.ParseJSON([]byte(`[{"kind":"call","n":1},{"kind":"mail","n":2}]`))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := rule.Check(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
