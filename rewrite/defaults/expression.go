package defaults

import (
	"errors"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Expression is a parsed expression of a statement, or of a text of its own, whose
// names are not resolved.
type Expression struct {
	st   *syntax.Statement // whose text it is of
	node *pg.Node
	text string
}

// String is the expression as SQL, in the parser's spelling.
func (x *Expression) String() string { return x.text }

// CheckKept returns an error if String means something else than the expression. what is
// what the error calls it.
func (x *Expression) CheckKept(what string) error {
	if x.faithful() {
		return nil
	}
	return pgerr.Unsupported("this %s cannot be kept", what).At(x.st.Tree.Position(syntax.Location(x.node))).
		WithDetail("Written down it would read: %s", x.text).
		WithHint("Write it in another way, such as with CASE.")
}

// faithful reports whether String means the same: of some expressions the parser's
// printer loses parentheses.
func (x *Expression) faithful() bool {
	again, err := ParseExpression(x.text)
	return err == nil && proto.Equal(syntax.WithoutLocations(x.node), syntax.WithoutLocations(again.node))
}

// expressionPlace is a statement with a place for exactly one expression.
const expressionPlace = "ALTER TABLE t ALTER c SET DEFAULT "

// ParseExpression reads a text that is one expression: a stored default, a step of
// an upgrade. Positions in errors count the characters of the text.
func ParseExpression(text string) (*Expression, error) {
	t, err := syntax.Parse(expressionPlace + text)
	if err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) && e.Position > 0 {
			e.Position = max(e.Position-len(expressionPlace), 1)
		}
		return nil, err
	}
	t.SQL, t.Before = text, len(expressionPlace)
	if len(t.Stmts) == 1 && len(t.Clauses) == 0 {
		if cmds := t.Stmts[0].Stmt.GetAlterTableStmt().GetCmds(); len(cmds) == 1 {
			return NewExpression(&syntax.Statement{Kind: syntax.Select, SQL: text, Tree: t}, cmds[0].GetAlterTableCmd().GetDef())
		}
	}
	return nil, pgerr.New(pgerr.SyntaxError, "the text is not one expression: %q", text)
}

// NewExpression is the expression of a node of a statement.
func NewExpression(st *syntax.Statement, node *pg.Node) (*Expression, error) {
	target := &pg.Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: node}}}
	query := &pg.SelectStmt{
		TargetList: []*pg.Node{target}, Op: pg.SetOperation_SETOP_NONE, LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT,
	}
	text, err := pg.Deparse(&pg.ParseResult{
		Version: st.Tree.Version, Stmts: []*pg.RawStmt{{Stmt: &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: query}}}},
	})
	if err != nil {
		return nil, pgerr.Unsupported("an expression that cannot be written down is not supported").At(st.Tree.Position(syntax.Location(node))).Because(err)
	}
	return &Expression{st: st, node: node, text: strings.TrimPrefix(text, "SELECT ")}, nil
}

// Where an expression stands on its own: PostgreSQL's words for the place.
const (
	inDefault   = "DEFAULT expressions"
	InTransform = "transform expressions"
	InCheck     = "check constraints"
	inGenerated = "column generation expressions"
	InIndex     = "index expressions"
	InPredicate = "index predicates"
)

// ResolveAlone resolves an expression that stands on its own, in the place that l.clause
// names, and hands it to use; errors point into the expression's own text.
func ResolveAlone(b *expression.Binder, x *Expression, l *scope.Level, use func(scope.Expr)) {
	around := b.Stmt
	b.Stmt = x.st
	checkAlone(b, x.node, l.Clause)
	use(b.Expr(x.node, l))
	b.Stmt = around
}

// ResolveText resolves an expression that is stored as a text.
func ResolveText(b *expression.Binder, text string, l *scope.Level) (resolved scope.Expr) {
	Within(b, text, func(n *pg.Node) { resolved = b.Expr(n, l) })
	return resolved
}

// Within hands the parsed form of an expression that is stored as a text to use, which resolves
// it or parts of it; errors point into the text.
func Within(b *expression.Binder, text string, use func(*pg.Node)) {
	x, err := ParseExpression(text)
	if err != nil {
		b.Fail(pgerr.New(pgerr.InternalError, "read the expression %q: %v", text, err), -1)
	}
	around := b.Stmt
	b.Stmt = x.st
	use(x.node)
	b.Stmt = around
}

// checkAlone refuses what such an expression may not contain (PostgreSQL's
// parse_expr.c and parse_agg.c, by ParseExprKind).
func checkAlone(b *expression.Binder, n *pg.Node, place string) {
	construct := strings.TrimSuffix(place, "s")
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		switch n := m.(type) {
		case *pg.SubLink:
			b.Unsupported(n.Location, "cannot use subquery in %s", construct)
		case *pg.ColumnRef:
			if place == inDefault {
				b.Unsupported(n.Location, "cannot use column reference in %s", construct)
			}
		case *pg.ParamRef:
			b.Fail(pgerr.New(pgerr.UndefinedParameter, "there is no parameter $%d", n.Number), n.Location)
		case *pg.GroupingFunc:
			b.Fail(pgerr.New(pgerr.GroupingError, "grouping operations are not allowed in %s", place), n.Location)
		}
		return true
	})
}

// Columns are the last names of the columns that the expression mentions, each once.
func (x *Expression) Columns() []string {
	var names []string
	syntax.Visit(x.node.ProtoReflect(), func(m any) bool {
		if ref, ok := m.(*pg.ColumnRef); ok {
			if name := lastName(ref); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}
