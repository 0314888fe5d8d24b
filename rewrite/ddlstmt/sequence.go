package ddlstmt

import (
	"reflect"
	"slices"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// SequenceOptions are the options of a sequence that a statement gives. What is nil is not
// given.
type SequenceOptions struct {
	Type                             *types.Type
	Increment, Start, Cache, Restart *int64
	Min, Max                         *int64
	NoMin, NoMax                     bool
	Cycle                            *bool
	Restarts                         bool        // RESTART, with Restart or without
	OwnedBy                          []string    // the parts of the name, "none" alone for NONE
	Name                             *syntax.Ref // SEQUENCE NAME, of a column's IDENTITY
}

// OnlyOwner reports whether OWNED BY is the only option.
func (o *SequenceOptions) OnlyOwner() bool {
	rest := *o
	rest.OwnedBy = nil
	return o.OwnedBy != nil && reflect.ValueOf(rest).IsZero()
}

// Sequence is what CREATE SEQUENCE or ALTER SEQUENCE asks for.
type Sequence struct {
	Name        syntax.Ref
	IfNotExists bool // of CREATE
	IfExists    bool // of ALTER
	Temporary   bool
	Options     SequenceOptions
}

// ParseSequence reads a CREATE SEQUENCE or ALTER SEQUENCE.
func ParseSequence(s *syntax.Statement) (q *Sequence, err error) {
	if n := s.Node.GetAlterSeqStmt(); n != nil {
		q = &Sequence{Name: s.RefOf(n.Sequence), IfExists: n.MissingOk}
		q.Options, err = sequenceOptions(s, n.Options, false)
		return q, err
	}
	n := s.Node.GetCreateSeqStmt()
	q = &Sequence{Name: s.RefOf(n.Sequence), IfNotExists: n.IfNotExists, Temporary: temporary(n.Sequence)}
	q.Options, err = sequenceOptions(s, n.Options, false)
	return q, err
}

// sequenceOptions reads the options of a sequence, or of one that is made for a column: that
// one may have a name among them.
func sequenceOptions(s *syntax.Statement, options []*pg.Node, ofColumn bool) (q SequenceOptions, err error) {
	var given []string
	for _, n := range options {
		o := n.GetDefElem()
		if slices.Contains(given, o.Defname) {
			return q, pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").At(s.Tree.Position(o.Location))
		}
		given = append(given, o.Defname)
		number := func(to **int64) {
			if o.Arg == nil {
				return
			}
			text := ""
			switch v := o.Arg.Node.(type) {
			case *pg.Node_Integer:
				text = strconv.Itoa(int(v.Integer.Ival))
			case *pg.Node_Float:
				text = v.Float.Fval
			}
			v, failed := strconv.ParseInt(text, 10, 64)
			if failed != nil {
				err = pgerr.New(pgerr.NumericValueOutOfRange, "value %q is out of range for type bigint", text)
			}
			*to = &v
		}
		switch o.Defname {
		case "as":
			ty, failed := syntax.TypeOf(s.Tree, o.Arg.GetTypeName())
			if failed != nil {
				return q, failed
			}
			q.Type = &ty
		case "increment":
			number(&q.Increment)
		case "start":
			number(&q.Start)
		case "restart":
			q.Restarts = true
			number(&q.Restart)
		case "cache":
			number(&q.Cache)
		case "minvalue":
			q.NoMin = o.Arg == nil
			number(&q.Min)
		case "maxvalue":
			q.NoMax = o.Arg == nil
			number(&q.Max)
		case "cycle":
			cycle := o.Arg.GetBoolean().GetBoolval()
			q.Cycle = &cycle
		case "owned_by":
			q.OwnedBy = syntax.Strings(o.Arg.GetList().GetItems())
		case "sequence_name":
			if !ofColumn {
				return q, pgerr.New(pgerr.SyntaxError, "invalid sequence option SEQUENCE NAME").At(s.Tree.Position(o.Location))
			}
			var name syntax.Ref
			if name, err = parseName(s, o.Arg.GetList().GetItems()); err == nil {
				q.Name = &name
			}
		default:
			return q, pgerr.Unsupported("option %s of a sequence is not supported", o.Defname).At(s.Tree.Position(o.Location))
		}
		if err != nil {
			return q, err
		}
	}
	return q, nil
}

// setIdentity reads ALTER COLUMN SET GENERATED, SET of options of the sequence and RESTART.
func setIdentity(s *syntax.Statement, n *pg.AlterTableCmd, a *AlterAction) error {
	a.Kind = SetIdentity
	var rest []*pg.Node
	for _, o := range n.Def.GetList().GetItems() {
		if d := o.GetDefElem(); d.Defname != "generated" {
			rest = append(rest, o)
		} else if a.Identity != 0 {
			return pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").At(s.Tree.Position(d.Location))
		} else {
			a.Identity = byte(d.Arg.GetInteger().GetIval())
		}
	}
	if rest == nil {
		return nil
	}
	options, err := sequenceOptions(s, rest, false)
	a.Sequence = &options
	return err
}

// serial is the definition of a serial column of an ordinary table as one of an integer, nil
// for another column.
func (d *definer) serial(n *pg.ColumnDef) *pg.ColumnDef {
	names := syntax.Strings(n.TypeName.GetNames())
	if !d.Ordinary || len(names) != 1 || !slices.Contains(serialTypes, names[0]) || len(n.TypeName.ArrayBounds) > 0 {
		return nil
	}
	integer := map[string]string{"smallserial": "int2", "serial2": "int2", "serial": "int4", "serial4": "int4", "bigserial": "int8", "serial8": "int8"}[names[0]]
	out := proto.Clone(n).(*pg.ColumnDef)
	out.TypeName.Names = []*pg.Node{pg.MakeStrNode("pg_catalog"), pg.MakeStrNode(integer)}
	return out
}

// checkSerial checks that the constraints of a serial column are not in conflict with its own.
func (d *definer) checkSerial(c *ColumnDefinition, hasDefault, null bool) error {
	switch {
	case c.Generated != nil:
		return d.generatedBeside("default", c, 0)
	case hasDefault:
		return pgerr.New(pgerr.SyntaxError, "multiple default values specified for column %q of table %q", c.Name, d.Table.Name)
	case null:
		return pgerr.New(pgerr.SyntaxError, "conflicting NULL/NOT NULL declarations for column %q of table %q", c.Name, d.Table.Name)
	}
	c.NotNull = true
	return nil
}

// identity reads GENERATED AS IDENTITY of a column.
func (d *definer) identity(k *pg.Constraint, c *ColumnDefinition, hasDefault bool) (err error) {
	at := d.st.Tree.Position(k.Location)
	switch {
	case !d.Ordinary:
		return pgerr.Unsupported("GENERATED AS IDENTITY is not supported").At(at)
	case c.Identity != 0:
		return pgerr.New(pgerr.SyntaxError, "multiple identity specifications for column %q of table %q", c.Name, d.Table.Name).At(at)
	case c.Generated != nil:
		return d.generatedBeside("identity", c, at)
	case hasDefault:
		return pgerr.New(pgerr.SyntaxError, "both default and identity specified for column %q of table %q", c.Name, d.Table.Name).At(at)
	case !types.IsInteger(c.Type.OID):
		return pgerr.New(pgerr.InvalidParameterValue, "identity column type must be smallint, integer, or bigint")
	}
	options, err := sequenceOptions(d.st, k.Options, true)
	c.NotNull, c.Sequence, c.Identity = true, &options, k.GeneratedWhen[0]
	return err
}

// NextvalPosition is the position of the constant in a call of nextval with the name of a
// sequence, 0 for none.
func NextvalPosition(s *syntax.Statement, name string) (at int) {
	syntax.Visit(s.Node.ProtoReflect(), func(m any) bool {
		c, ok := m.(*pg.FuncCall)
		if !ok || at > 0 || len(c.Args) != 1 || syntax.Strings(c.Funcname)[len(c.Funcname)-1] != "nextval" {
			return true
		}
		arg := c.Args[0]
		for arg.GetTypeCast() != nil {
			arg = arg.GetTypeCast().Arg
		}
		if arg.GetAConst().GetSval().GetSval() == name {
			at = s.Tree.Position(arg.GetAConst().Location)
		}
		return true
	})
	return at
}
