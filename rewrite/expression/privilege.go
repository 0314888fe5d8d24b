package expression

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// privilegeCall asks for what the constants among the arguments name: an object or a role
// that is not there is an error, as is a privilege of another kind, unless another
// condition has decided: tools ask for those of newer servers behind pg_has_role. call is
// the function's, which gives no thought to its arguments. What a statement computes is not looked up: the
// engine may do so for rows that another condition drops.
func (b *Binder) privilegeCall(f functions.Privilege, args []scope.Expr, call scope.Expr) scope.Expr {
	bad := false
	for _, kind := range privilegesIn(args[len(args)-1]) {
		word := strings.ToUpper(kind)
		for _, option := range []string{" WITH GRANT OPTION", " WITH ADMIN OPTION"} {
			word = strings.TrimSuffix(word, option)
		}
		if word == "" || !strings.Contains(f.Kinds, ","+word+",") {
			bad = true
			call.SQL = "CAST(error(" + enginesql.Literal("["+pgerr.InvalidParameterValue+"] unrecognized privilege type: "+strconv.Quote(kind)) + ") AS BOOLEAN)"
		}
	}
	at := len(args) - 1 - f.ArgsAfterObject
	var there []string
	known := func(e scope.Expr, typ uint32) {
		switch {
		case e.UntypedNull:
			there = append(there, "FALSE")
		case e.Literal != nil && typ != 0:
			name, object := types.RegNames[typ], enginesql.Literal(*e.Literal)
			there = append(there, enginesql.MacroPlaceholder("reg_present")+"("+enginesql.Literal(name)+", "+object+", "+enginesql.MacroPlaceholder(name+"_oid")+"("+object+"))")
		}
	}
	known(args[at], f.ObjectType)
	if at > 0 {
		known(args[0], types.Regrole)
	}
	if args[len(args)-1].UntypedNull {
		there = append(there, "FALSE")
	}
	if len(there) > 0 && !(bad && f.Kinds == functions.SequencePrivileges) {
		call.SQL = "CASE WHEN " + strings.Join(there, " AND ") + " THEN " + call.SQL + " END"
	}
	return call
}

// privilegesIn are those that a constant lists.
func privilegesIn(e scope.Expr) (kinds []string) {
	if e.Literal == nil {
		return nil
	}
	for _, kind := range strings.Split(*e.Literal, ",") {
		kinds = append(kinds, strings.Trim(kind, input.Whitespace))
	}
	return kinds
}
