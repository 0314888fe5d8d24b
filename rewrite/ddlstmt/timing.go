package ddlstmt

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// Timing is when a constraint of an ordinary table is checked.
type Timing struct {
	Deferrable bool
	Deferred   bool // INITIALLY DEFERRED
}

// timingClauses reads [NOT] DEFERRABLE and INITIALLY behind the constraints of a column, by
// PostgreSQL's transformConstraintAttrs.
type timingClauses struct {
	definer *definer
	kind    pg.ConstrType // of the constraint before them
	// What is read since that: [NOT] DEFERRABLE, and INITIALLY.
	deferrable, initially bool
}

// behind begins with the clauses of another constraint.
func (t *timingClauses) behind(kind pg.ConstrType) {
	*t = timingClauses{definer: t.definer, kind: kind}
}

// read reads a clause.
func (t *timingClauses) read(kind pg.ConstrType, at int) error {
	word := map[pg.ConstrType]string{
		pg.ConstrType_CONSTR_ATTR_DEFERRABLE: "DEFERRABLE", pg.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE: "NOT DEFERRABLE",
		pg.ConstrType_CONSTR_ATTR_DEFERRED: "INITIALLY DEFERRED", pg.ConstrType_CONSTR_ATTR_IMMEDIATE: "INITIALLY IMMEDIATE",
	}[kind]
	of := t.of()
	if of == nil {
		return pgerr.New(pgerr.SyntaxError, "misplaced %s clause", word).At(at)
	}
	yes := kind == pg.ConstrType_CONSTR_ATTR_DEFERRABLE || kind == pg.ConstrType_CONSTR_ATTR_DEFERRED
	if !t.definer.Ordinary && yes {
		return pgerr.Unsupported("%s is not supported", word).At(at)
	}
	switch kind {
	case pg.ConstrType_CONSTR_ATTR_DEFERRABLE, pg.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE:
		if t.deferrable {
			return pgerr.New(pgerr.SyntaxError, "multiple DEFERRABLE/NOT DEFERRABLE clauses not allowed").At(at)
		}
		t.deferrable, of.Deferrable = true, yes
	default:
		if t.initially {
			return pgerr.New(pgerr.SyntaxError, "multiple INITIALLY IMMEDIATE/DEFERRED clauses not allowed").At(at)
		}
		t.initially, of.Deferred = true, yes
		if yes && !t.deferrable {
			of.Deferrable = true
		}
	}
	if of.Deferred && !of.Deferrable {
		return pgerr.New(pgerr.SyntaxError, "constraint declared INITIALLY DEFERRED must be DEFERRABLE").At(at)
	}
	return nil
}

// of is the timing of the constraint, nil if it cannot have one.
func (t *timingClauses) of() *Timing {
	d := t.definer
	switch {
	case t.kind == pg.ConstrType_CONSTR_PRIMARY:
		return &d.KeyTiming
	case t.kind == pg.ConstrType_CONSTR_UNIQUE && d.Ordinary:
		return &d.Uniques[len(d.Uniques)-1].Timing
	case t.kind == pg.ConstrType_CONSTR_FOREIGN:
		return &d.References[len(d.References)-1].Timing
	}
	return nil
}
