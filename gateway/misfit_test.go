package gateway_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TestInsertHoldsValuesAgainstPythonTypes: a column whose Python type says more
// than its SQL type takes what the original's model could load, and nothing else.
func TestInsertHoldsValuesAgainstPythonTypes(t *testing.T) {
	field := func(name, spelling, spec string) format.SchemaField {
		return format.SchemaField{Name: name, Type: spelling, TypeSpec: []byte(spec)}
	}
	primitive := func(name string) string { return `{"kind":"primitive","name":"` + name + `"}` }
	b := storeOf(t, format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Member"}, Fields: []format.SchemaField{
		keyField("id", format.FieldStr),
		field("tier", "typing.Literal['gold', 'silver']", primitive("typing.Literal['gold', 'silver']")),
		field("mood", "typing.Optional[typing.Literal['good']]", `{"kind":"union","members":[`+primitive("NoneType")+`,`+primitive("typing.Literal['good']")+`]}`),
		field("visits", "list[m.Visit] | None", primitive("list[m.Visit] | None")),
		field("home", "typing.Optional[m.Address]", `{"kind":"union","members":[{"kind":"typed_dict","name":"Address","total":false,"fields":{"city":`+primitive("str")+`,"floors":{"kind":"list","item":`+primitive("int")+`}}},`+primitive("NoneType")+`]}`),
		field("points", "dict[str, int] | None", primitive("dict[str, int] | None")),
	}})
	s := newHouse(t, b).session(t, "onto")
	tagged(t, s, `INSERT INTO member (id, tier, mood, visits, home, points) VALUES ('a', 'gold', NULL, '[1, "nobody can tell"]', '{"city":"Köln","floors":[1,"2"],"else":{}}', '{"x":1.0}'), ('b', 'silver', 'good', NULL, 'null', '{}')`, "INSERT 0 2")
	tagged(t, s, `INSERT INTO member (id, tier, mood, visits, home, points) SELECT 'c', tier, mood, visits, home, points FROM member WHERE id = 'a'`, "INSERT 0 1")
	for _, c := range []struct{ sql, column, message, detail, where string }{
		{`INSERT INTO member (id, tier, mood) VALUES ('d', 'gold', NULL), ('e', 'platinum', NULL)`, "tier", `invalid input value for column "tier": "platinum"`, `Expected Literal["gold", "silver"].`, `row 2, column "tier" of the rows for "member"`},
		{`INSERT INTO member (id, tier, mood) VALUES ('d', 'gold', '')`, "mood", `invalid input value for column "mood": ""`, `Expected None | Literal["good"].`, `row 1, column "mood" of the rows for "member"`},
		{`INSERT INTO member (id, tier, home) VALUES ('d', 'gold', '{"city":"Köln","floors":[1,"two"]}')`, "home", `invalid input value for column "home"`, `At $.floors[1]: expected int, found "two".`, `row 1, column "home" of the rows for "member"`},
		{`INSERT INTO member (id, tier, home) VALUES ('d', 'gold', '[]')`, "home", `invalid input value for column "home": an array`, `Expected Address | None.`, `row 1, column "home" of the rows for "member"`},
		{`INSERT INTO member (id, tier, points) VALUES ('d', 'gold', '{"x":1,"y z":1.5}')`, "points", `invalid input value for column "points"`, `At $."y z": expected int, found 1.5.`, `row 1, column "points" of the rows for "member"`},
	} {
		e := refused(t, s, "22P02", c.sql)
		if diff := cmp.Diff([]string{c.column, c.message, c.detail, c.where}, []string{columnOf(t, e), e.Message, e.Detail, e.Where}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.sql, diff)
		}
	}
	answers(t, s, "SELECT string_agg(id, ',' ORDER BY id) FROM member", "a,b,c")
}
