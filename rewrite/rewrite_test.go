package rewrite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// TestData runs testdata/*: a statement in, and out what the session learns and
// what the engine gets. The sources are written as <schema.table>, so that a
// name outside of the marks is a name that survived.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata/sql", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "split":
				return showSplit(d.Input)
			case "analyze":
				st, err := syntax.Analyze(d.Input)
				if err != nil {
					return rewritetest.ShowError(err)
				}
				return showStatement(st)
			case "bind":
				return showBind(d.Input, oidsOf(d))
			case "write":
				return showWrite(d.Input, d.HasArg("update"), d.HasArg("nothing"), oidsOf(d))
			}
			t.Fatalf("unknown command %q", d.Cmd)
			return ""
		})
	})
}

// oidsOf are the parameter types of oids=(20,0).
func oidsOf(d *datadriven.TestData) (oids []uint32) {
	for _, a := range d.CmdArgs {
		if a.Key == "oids" {
			for _, v := range a.Vals {
				var n uint32
				fmt.Sscan(v, &n)
				oids = append(oids, n)
			}
		}
	}
	return oids
}

func showSplit(sql string) string {
	texts, err := syntax.Split(sql)
	if err != nil {
		return rewritetest.ShowError(err)
	}
	var s strings.Builder
	for _, x := range texts {
		fmt.Fprintf(&s, "%d: %q\n", x.Offset, x.SQL)
	}
	return s.String()
}

func showStatement(st *syntax.Statement) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s kind=%d read_only=%t", st.Tag, st.Kind, st.ReadOnly)
	if st.Name != "" {
		fmt.Fprintf(&s, " name=%s", st.Name)
	}
	if st.All {
		s.WriteString(" all")
	}
	if st.Local {
		s.WriteString(" local")
	}
	if st.Values != nil {
		fmt.Fprintf(&s, " values=%q", st.Values)
	}
	if st.Modes.Isolation != "" {
		fmt.Fprintf(&s, " isolation=%q", st.Modes.Isolation)
	}
	if st.Modes.ReadOnly != nil {
		fmt.Fprintf(&s, " read_only_mode=%t", *st.Modes.ReadOnly)
	}
	if st.Modes.Deferrable != nil {
		fmt.Fprintf(&s, " deferrable=%t", *st.Modes.Deferrable)
	}
	if st.Modes.Session {
		s.WriteString(" session")
	}
	if st.Target != nil {
		fmt.Fprintf(&s, " target=%s.%s@%d", st.Target.Schema, st.Target.Name, st.Target.Position)
	}
	s.WriteByte('\n')
	for _, r := range st.Refs {
		fmt.Fprintf(&s, "ref %d %s at %d", r.ID, strings.TrimPrefix(r.Schema+"."+r.Name, "."), r.Position)
		if r.Function {
			s.WriteString(" function")
		}
		if r.All {
			s.WriteString(" all")
		}
		if p := r.Point; p != nil {
			fmt.Fprintf(&s, " point{text=%q param=%d expr=%t at %d}", p.Text, p.Param, p.Expr, p.Position)
		}
		s.WriteByte('\n')
	}
	if st.Inner != nil {
		s.WriteString("inner: " + showStatement(st.Inner))
	}
	return s.String()
}

func showBind(sql string, oids []uint32) string {
	sc, out, err := rewritetest.Bind(sql, oids)
	if err != nil {
		return rewritetest.ShowError(err)
	}
	return rewritetest.ShowScoped(sc, out)
}
