package pgcatalog

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// TestAFillFromAnEarlierOneIsAsOneFromNothing changes a catalog in every way that there
// is, and fills it both ways.
func TestAFillFromAnEarlierOneIsAsOneFromNothing(t *testing.T) {
	for name, change := range map[string]func(in *Input){
		"nothing":      func(*Input) {},
		"a type goes":  func(in *Input) { in.Catalog.Types = slices.Delete(in.Catalog.Types, 1, 2) },
		"a type comes": func(in *Input) { in.Catalog.Types = append(in.Catalog.Types, many(1).Types...) },
		"a column comes": func(in *Input) {
			in.Catalog.Types[0].Columns = append(in.Catalog.Types[0].Columns, many(1).Types[0].Columns[1])
		},
		"a key is renamed":    func(in *Input) { in.Catalog.Types[1].Columns[0].Name = "number" },
		"a comment":           func(in *Input) { in.Catalog.Types[0].Comment = "Who buys." },
		"a column's comment":  func(in *Input) { in.Catalog.Types[2].Columns[2].Comment = "The day." },
		"a default":           func(in *Input) { in.Catalog.Types[0].Columns[1].Default = "'nobody'" },
		"NOT NULL":            func(in *Input) { in.Catalog.Types[0].Columns[3].NotNull = true },
		"another type's name": func(in *Input) { in.Catalog.Types[0].Ref.Name, in.Catalog.Types[0].Table = "Client", "client" },
		"a user":              func(in *Input) { in.Roles = in.Roles.With(roles.New("eve")) },
		"a superuser":         func(in *Input) { in.Roles = in.Roles.With(roles.Role{Name: "alice", Superuser: true}) },
		"a database":          func(in *Input) { in.Databases = nil },
		"a virtual relation":  func(in *Input) { in.Virtual[0].Columns = in.Virtual[0].Columns[:1] },
	} {
		t.Run(name, func(t *testing.T) {
			in := shopInput()
			change(&in)
			got, err := Fill(in, mustFill(t, shopInput()))
			if err != nil {
				t.Fatal(err)
			}
			want := mustFill(t, in)
			for _, r := range Tables() {
				if diff := cmp.Diff(rowsOf(t, want, r), rowsOf(t, got, r)); diff != "" {
					t.Errorf("%s (-from nothing +from an earlier one):\n%s", r.Name, diff)
				}
			}
			if diff := cmp.Diff(want.byName, got.byName); diff != "" {
				t.Errorf("names:\n%s", diff)
			}
			a, b := want.View([]string{"public"}), got.View([]string{"public"})
			for _, f := range want.facts.all {
				for _, n := range f.names {
					if as, is := a.objectName(n.class, n.oid), b.objectName(n.class, n.oid); as != is {
						t.Errorf("object %d of class %d is called %s, and %s from an earlier one", n.oid, n.class, as, is)
					}
				}
				for part, text := range f.comments {
					if is, _ := got.facts.comment(part); is != text && part.class != 0 {
						t.Errorf("comment on %v is %q, want %q", part, is, text)
					}
				}
			}
		})
	}
}

// rowsOf are the rows of a relation as text, sorted: no order is promised.
func rowsOf(t *testing.T, f *Filled, r *Relation) []string {
	t.Helper()
	filled, err := f.Rows(r)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, b := range filled.All() {
		for i := range b.Len {
			row := ""
			for c := range b.Cols {
				row += fmt.Sprintf("%s=%s ", r.Columns[c].Name, cell(&b.Cols[c], i))
			}
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

// TestWhatDoesNotChangeIsNotMadeAgain: a catalog in which one type is another has the
// rows of all other types from the one before, so that a table of the engine that has
// no other rows can stay. A type makes a batch for its table and one for its views.
func TestWhatDoesNotChangeIsNotMadeAgain(t *testing.T) {
	before := mustFill(t, Input{Database: "onto", Catalog: many(10)})
	in := Input{Database: "onto", Catalog: many(10)}
	in.Catalog.Types = append(in.Catalog.Types, &catalog.Type{Table: "another", Columns: []catalog.Column{{Name: "id", Type: column.Type{Kind: column.Text}}}, Key: []int{0}})
	after, err := Fill(in, before)
	if err != nil {
		t.Fatal(err)
	}
	for relation, fresh := range map[string]int{"pg_class": 2, "pg_attribute": 2, "pg_namespace": 0, "pg_roles": 0, "pg_operator": 0} {
		had, _ := before.Rows(Find("pg_catalog", relation))
		has, _ := after.Rows(Find("pg_catalog", relation))
		n := 0
		for _, b := range has.All() {
			if !slices.Contains(had.All(), b) {
				n++
			}
		}
		if n != fresh {
			t.Errorf("%s has %d batches that it had not before, want %d", relation, n, fresh)
		}
	}
}

// TestRowsThatSayTheSameAreNotMadeAgain changes a comment: only the relations that show
// comments are filled again, whether or not information_schema was queried before.
func TestRowsThatSayTheSameAreNotMadeAgain(t *testing.T) {
	in := Input{Database: "onto", Catalog: many(10)}
	before := mustFill(t, in)
	for _, r := range Tables() {
		if _, err := before.Rows(r); err != nil {
			t.Fatal(err)
		}
	}
	between, after := in, in
	between.Catalog, after.Catalog = many(10), many(10)
	between.Catalog.Types[3].Comment, after.Catalog.Types[3].Comment = "once", "twice"
	middle, err := Fill(between, before)
	if err != nil {
		t.Fatal(err)
	}
	last, err := Fill(after, middle)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Tables() {
		had, _ := before.Rows(r)
		has, err := last.Rows(r)
		if err != nil {
			t.Fatal(err)
		}
		if told := r.Name == "pg_description"; slices.Equal(had.All(), has.All()) == told {
			t.Errorf("%s.%s has the same rows: %t", r.Schema, r.Name, !told)
		}
	}
}
