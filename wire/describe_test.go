package wire

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/pgerr"
)

// changing is a statement and its portal, with other parameters and columns once it
// is described.
type changing struct {
	accounted
	params []uint32
	fails  error
}

func (c *changing) Params() []uint32                               { return c.params }
func (c *changing) Bind(context.Context, [][]byte) (Portal, error) { return c, nil }

func (c *changing) Describe(context.Context) error {
	c.params = []uint32{oidText}
	c.columns = []Column{{Name: "new", OID: oidText}, {Name: "more", OID: oidText}}
	return c.fails
}

// TestDescriptionIsMadeFirst describes a statement and a portal that are others when
// somebody wants to know.
func TestDescriptionIsMadeFirst(t *testing.T) {
	describe := func(kind byte, formats []int16, fails error) (string, error) {
		c := &changing{accounted: accounted{columns: []Column{{Name: "old", OID: oidInt4}}}, params: []uint32{oidInt4}, fails: fails}
		st := newStatement(c)
		var sent bytes.Buffer
		s := &session{
			out: output{w: &sent}, stmtContext: statementContext{life: t.Context()},
			names: &Names{statements: map[string]*statement{"": st}, portals: map[string]*portal{"": {Portal: c, statement: st, formats: formats}}},
		}
		m, err := (&pgproto3.Describe{ObjectType: kind}).Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		err = s.describe(m[5:])
		return string(s.out.buf), err
	}
	for kind, most := range map[byte][]int16{'S': nil, 'P': {0, 1}} {
		sent, err := describe(kind, most, nil)
		if err != nil || !strings.Contains(sent, "new\x00") || !strings.Contains(sent, "more\x00") {
			t.Errorf("described %c: %q, %v, want the columns new and more", kind, sent, err)
		}
		if kind == 'S' && !strings.HasPrefix(sent, "t\x00\x00\x00\x0a\x00\x01\x00\x00\x00\x19") {
			t.Errorf("described %c: %q, want a parameter of type text first", kind, sent)
		}
		refused := errors.New("refused")
		if sent, err := describe(kind, most, refused); err != refused || sent != "" {
			t.Errorf("described %c, which fails: %q, %v", kind, sent, err)
		}
	}
	var e *pgerr.Error
	if sent, err := describe('P', []int16{0, 1, 0}, nil); !errors.As(err, &e) || e.Code != pgerr.ProtocolViolation || sent != "" {
		t.Errorf("with formats for three columns: %q, %v, want %s", sent, err, pgerr.ProtocolViolation)
	}
}
