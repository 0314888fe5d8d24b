package maintain

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// checkLayouts checks the layout catalog against rule 10, which engine v1 does not follow.
func (v *verifier) checkLayouts() {
	body, there := v.bodies[format.LayoutsKey]
	if !there || v.engine != format.EngineV2 {
		return
	}
	layouts, err := format.DecodeLayouts(format.LayoutsKey, body)
	if err != nil {
		v.found.corrupt(RuleLayout, format.LayoutsKey, err)
		return
	}
	seen := map[ontosql.TypeRef]bool{}
	for _, l := range layouts.Layouts {
		if !l.IsCurrent || v.halfBlind {
			continue
		}
		kind, _ := ontosql.ParseKind(l.TypeKind)
		ref := ontosql.TypeRef{Kind: kind, Name: l.TypeName}
		if seen[ref] {
			v.found.add(RuleLayout, Error, format.LayoutsKey, "%s has two current layouts", ref)
		}
		seen[ref] = true
		v.checkLayout(ref, l)
	}
}

func (v *verifier) checkLayout(ref ontosql.TypeRef, l format.Layout) {
	t := v.types[ref]
	if t == nil || t.versions == nil || len(t.versions.Versions) == 0 {
		v.found.add(RuleLayout, Error, format.LayoutsKey, "%s is current and does not exist", ref)
		return
	}
	last, _ := t.versions.Current()
	switch {
	case v.view != nil && l.ActivationCommitID > v.headID():
		v.found.add(I2, Error, format.LayoutsKey, "%s is active from commit %d on, the head is %d", ref, l.ActivationCommitID, v.headID())
	case len(t.versions.Versions) == 1:
		v.found.add(RuleLayout, Error, format.LayoutsKey, "%s was never migrated; with this entry the original cannot migrate it", ref)
	case l.SchemaVersionID != last.SchemaVersionID && t.committed != nil && l.SchemaVersionID < t.committed.SchemaVersionID:
		v.found.add(A13, Lag, format.LayoutsKey, "version %d of %s, of commit %d, is not projected", last.SchemaVersionID, ref, v.changedBy)
	case l.SchemaVersionID != last.SchemaVersionID:
		v.found.add(RuleLayout, Error, format.LayoutsKey, "version %d of %s is current, the last one is %d; the original would not see its rows", l.SchemaVersionID, ref, last.SchemaVersionID)
	}
}
