package gateway_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// described tells the client of a statement or portal and returns the names of its
// columns.
func described(t *testing.T, of interface{ Columns() []wire.Column }) (names []string) {
	t.Helper()
	if err := of.(wire.Describer).Describe(t.Context()); err != nil {
		t.Fatalf("describe: %v", err)
	}
	for _, c := range of.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// TestPreparedAfterForeignDDL prepares statements when another gateway has changed
// their table, and this one has not looked at the store since: they have the columns
// of now, whether the client asks for a description or not.
func TestPreparedAfterForeignDDL(t *testing.T) {
	const all = "SELECT * FROM shelf"
	prepare := func(t *testing.T, s wire.Session, q wire.Query) wire.Statement {
		t.Helper()
		st, err := s.Prepare(t.Context(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	bind := func(t *testing.T, st wire.Statement) wire.Portal {
		t.Helper()
		p, err := st.Bind(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, columns := range map[string]func(t *testing.T, s wire.Session) (names, rows []string, err error){
		"statement described": func(t *testing.T, s wire.Session) (names, rows []string, err error) {
			st := prepare(t, s, wire.Query{SQL: all})
			names = described(t, st)
			rows, err = bindAndRun(t, s, st)
			return names, rows, err
		},
		"statement described before Sync": func(t *testing.T, s wire.Session) (names, rows []string, err error) {
			st := prepare(t, s, wire.Query{SQL: all})
			names = described(t, st)
			if err := s.Sync(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			rows, err = bindAndRun(t, s, st)
			return names, rows, err
		},
		"portal described": func(t *testing.T, s wire.Session) (names, rows []string, err error) {
			p := bind(t, prepare(t, s, wire.Query{SQL: all}))
			names = described(t, p)
			rows, err = drain(t.Context(), p)
			return names, rows, errors.Join(err, s.Sync(t.Context(), err != nil))
		},
		"nothing described": func(t *testing.T, s wire.Session) (names, rows []string, err error) {
			p := bind(t, prepare(t, s, wire.Query{SQL: all}))
			rows, err = drain(t.Context(), p)
			for _, c := range p.Columns() {
				names = append(names, c.Name)
			}
			return names, rows, errors.Join(err, s.Sync(t.Context(), err != nil))
		},
		"simple": func(t *testing.T, s wire.Session) (names, rows []string, err error) {
			p := bind(t, prepare(t, s, wire.Query{SQL: all, Simple: true}))
			names = described(t, p)
			rows, err = drain(t.Context(), p)
			return names, rows, errors.Join(err, s.Sync(t.Context(), err != nil))
		},
		"of a row that is written": func(t *testing.T, s wire.Session) (names, rows []string, err error) {
			st := prepare(t, s, wire.Query{SQL: "UPDATE shelf SET height = 8 RETURNING *"})
			names = described(t, st)
			rows, err = bindAndRun(t, s, st)
			return names, rows, err
		},
	} {
		for _, known := range []bool{false, true} { // the text, and its plan, from before
			t.Run(name+map[bool]string{true: ", of a text that came before"}[known], func(t *testing.T) {
				store := shop(t)
				a, b := newHouse(t, store).session(t, "onto"), newHouse(t, store).session(t, "onto")
				must(t, a, "INSERT INTO shelf VALUES ('s', 8)")
				must(t, b, "SELECT name FROM shelf")
				if known {
					for range 2 { // the second time at a guess
						must(t, b, all)
					}
				}
				must(t, a, "ALTER TABLE shelf ADD COLUMN wood text DEFAULT 'oak'")
				names, rows, err := columns(t, b)
				if err != nil {
					t.Fatalf("of a table that another gateway has changed: %v", err)
				}
				if diff := cmp.Diff([]string{"name", "height", "wood"}, names); diff != "" {
					t.Errorf("columns (-want +got):\n%s", diff)
				}
				if len(rows) > 0 && rows[0] != "s|8|oak" {
					t.Errorf("rows are %q", rows)
				}
			})
		}
	}
}

// TestParametersAfterForeignDDL gives values to parameters that are of another type
// since another gateway has changed the column they are compared with.
func TestParametersAfterForeignDDL(t *testing.T) {
	const text, bigint = 25, 20
	for _, test := range []struct {
		value string
		want  []string
	}{
		{"tall", []string{"t"}}, // which is no bigint
		{"007", nil},            // which is 7 as a bigint
	} {
		for _, describe := range []bool{false, true} {
			store := shop(t)
			a, b := newHouse(t, store).session(t, "onto"), newHouse(t, store).session(t, "onto")
			must(t, a, "INSERT INTO shelf VALUES ('s', 7), ('t', 8)")
			must(t, b, "SELECT name FROM shelf")
			must(t, a, "ALTER TABLE shelf ALTER COLUMN height TYPE text USING CASE height WHEN 8 THEN 'tall' ELSE height::text END")
			st, err := b.Prepare(t.Context(), wire.Query{SQL: "SELECT name FROM shelf WHERE height = $1"}, nil)
			if err != nil || st.Params()[0] != bigint {
				t.Fatalf("prepared without a look at the store: %v, %v, want a parameter of type bigint", st, err)
			}
			if describe {
				if described(t, st); st.Params()[0] != text {
					t.Errorf("the parameter is described as of type %d, want text", st.Params()[0])
				}
			}
			if got, err := bindAndRun(t, b, st, test.value); err != nil || !cmp.Equal(got, test.want) {
				t.Errorf("rows of height %q, described %t: %q, %v, want %q", test.value, describe, got, err, test.want)
			}
		}
	}
}

// TestDescriptionIsBinding: what a client has been told of a statement, or seen of
// its rows, does not change without a word.
func TestDescriptionIsBinding(t *testing.T) {
	for _, by := range []string{"description", "execution"} {
		store := shop(t)
		a, b := newHouse(t, store).session(t, "onto"), newHouse(t, store).session(t, "onto")
		must(t, a, "INSERT INTO shelf VALUES ('s', 7)")
		must(t, b, "SELECT name FROM shelf")
		st, err := b.Prepare(t.Context(), wire.Query{SQL: "SELECT * FROM shelf"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if by == "description" {
			described(t, st)
			err = b.Sync(t.Context(), false)
		} else {
			_, err = bindAndRun(t, b, st)
		}
		if err != nil {
			t.Fatal(err)
		}
		must(t, a, "ALTER TABLE shelf ADD COLUMN wood text")
		rows, err := bindAndRun(t, b, st)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != pgerr.FeatureNotSupported {
			t.Errorf("bound by its %s, a statement of other columns answered %q, %v", by, rows, err)
		}
	}
}

// TestRequestsOfADescription: preparing a statement makes no request. Its first description
// reads the head and the schema objects, which the execution uses, and later descriptions make
// no request.
func TestRequestsOfADescription(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	must(t, s, "SELECT count(*) FROM customer")
	spent := func(what string, want int64, do func()) {
		t.Helper()
		before := h.bucket.Status().Total().Requests
		if do(); h.bucket.Status().Total().Requests-before != want {
			t.Errorf("%s cost %d requests, want %d", what, h.bucket.Status().Total().Requests-before, want)
		}
	}
	var st wire.Statement
	var err error
	spent("Parse", 0, func() { st, err = s.Prepare(t.Context(), wire.Query{SQL: "SELECT count(*) + 1 FROM customer"}, nil) })
	if err != nil {
		t.Fatal(err)
	}
	spent("Describe", 2, func() { described(t, st) })
	spent("Execute", 0, func() { _, err = bindAndRun(t, s, st) })
	if err != nil {
		t.Fatal(err)
	}
	spent("Describe again", 0, func() { described(t, st) })
}

// TestArgumentForTheResult calls a function as JDBC's prepareCall("{? = call upper(?)}")
// does, for which the result's place is a parameter of type void.
func TestArgumentForTheResult(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, sql := range []string{"SELECT * FROM upper($1, $2) AS result", "SELECT upper($1, $2) AS result"} {
		const void, varchar = 2278, 1043
		st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, []uint32{void, varchar})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		p, err := st.Bind(t.Context(), [][]byte{nil, []byte("a")})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if rows, err := drain(t.Context(), p); err != nil || len(rows) != 1 || rows[0] != "A" {
			t.Errorf("%s: %q, %v", sql, rows, err)
		}
	}
}

// TestColumnsNameTheirTable: the columns of a result name their table before the catalog was
// read, within the transaction that creates the table, and after it.
func TestColumnsNameTheirTable(t *testing.T) {
	asksNoMirror(t)
	s := openHouse(t, shop(t), false).session(t, "onto")
	attributes := func(sql string) (all []uint32) {
		t.Helper()
		st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range st.Columns() {
			all = append(all, c.TableOID, uint32(c.Attnum))
		}
		return all
	}
	shelf, catalogs := attributes("SELECT height, 1 FROM shelf"), attributes("SELECT relname FROM pg_class")
	must(t, s, "BEGIN")
	must(t, s, "CREATE TABLE crate (id text PRIMARY KEY, weight bigint)")
	within := attributes("SELECT weight FROM crate")
	must(t, s, "COMMIT")
	crate := attributes("INSERT INTO crate VALUES ('c', 1) RETURNING weight")
	want := must(t, s, "SELECT 'shelf'::regclass::oid::bigint, 'crate'::regclass::oid::bigint")[0]
	if got := fmt.Sprintf("%d|%d", shelf[0], crate[0]); got != want {
		t.Errorf("the tables are %s, want %s", got, want)
	}
	if want := []uint32{shelf[0], 2, 0, 0}; !slices.Equal(shelf, want) {
		t.Errorf("the columns of shelf are %v, want %v", shelf, want)
	}
	if want := []uint32{crate[0], 2}; !slices.Equal(within, want) || !slices.Equal(crate, want) {
		t.Errorf("the column of crate is %v within the transaction, %v behind it, want %v", within, crate, want)
	}
	if want := []uint32{1259, 2}; !slices.Equal(catalogs, want) {
		t.Errorf("the column of pg_class is %v, want %v", catalogs, want)
	}
}
