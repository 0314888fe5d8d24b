package maintain

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// collectSections reads types.json, registry.json and dropped.json.
func (v *verifier) collectSections() {
	for _, key := range []string{format.TypesKey, format.RegistryKey} {
		if _, there := v.bodies[key]; !there && !v.blames(key) {
			v.found.add(SchemaObjects, Error, key, "does not exist")
			v.halfBlind = true
		}
	}
	if body, there := v.bodies[format.TypesKey]; there {
		v.collectListed(body)
	}
	if body, there := v.bodies[format.RegistryKey]; there {
		registry, err := format.DecodeRegistry(format.RegistryKey, body)
		if err != nil {
			v.found.corrupt(SchemaObjects, format.RegistryKey, err)
			v.halfBlind = true
			return
		}
		for name, schema := range registry.Entity {
			v.known(ontosql.TypeRef{Kind: ontosql.Entity, Name: name}).current = schema
		}
		for name, schema := range registry.Relation {
			v.known(ontosql.TypeRef{Kind: ontosql.Relation, Name: name}).current = schema
		}
	}
	if body, there := v.bodies[format.DroppedKey]; there {
		dropped, err := format.DecodeDropped(format.DroppedKey, body)
		if err != nil {
			v.found.corrupt(SchemaObjects, format.DroppedKey, err)
			v.halfBlind = true
			return
		}
		for name, mark := range dropped.Entity {
			v.known(ontosql.TypeRef{Kind: ontosql.Entity, Name: name}).mark = &mark
		}
		for name, mark := range dropped.Relation {
			v.known(ontosql.TypeRef{Kind: ontosql.Relation, Name: name}).mark = &mark
		}
	}
}

func (v *verifier) collectListed(body []byte) {
	types, err := format.DecodeTypes(format.TypesKey, body)
	if err != nil || types.Entities == nil || types.Relations == nil {
		v.found.add(SchemaObjects, Error, format.TypesKey, "a section is no list of names")
		v.halfBlind = true
		return
	}
	for kind, names := range map[ontosql.Kind][]string{ontosql.Entity: types.Entities, ontosql.Relation: types.Relations} {
		for _, name := range names {
			t := v.known(ontosql.TypeRef{Kind: kind, Name: name})
			if t.listed {
				v.found.add(SchemaObjects, Error, format.TypesKey, "%s %q is listed twice", kind, name)
			}
			t.listed = true
		}
	}
}

// checkAgreement compares the schema objects of one type with each other, and with the newest
// schema change under the head, of which they are projections: differences that the change
// explains are lag, all others errors.
func (v *verifier) checkAgreement(ref ontosql.TypeRef, t *knownType) {
	v.checkMark(ref, t)
	var current *format.SchemaVersion
	if t.versions != nil {
		if last, ok := t.versions.Current(); ok {
			current = &last
		}
	}
	severity, rule := Error, SchemaObjects
	if t.committed != nil || v.change.DropOf(ref) != nil {
		severity, rule = Lag, A13
	}
	exists := t.listed || t.current != nil || current != nil
	var missing []string
	need := func(there bool, where string) {
		if exists && !there {
			missing = append(missing, where)
		}
	}
	need(current != nil, "a schema version")
	t.unsound = t.unsound || len(missing) > 0
	need(t.current != nil, "an entry in "+format.RegistryKey)
	need(t.listed, "a place in "+format.TypesKey)
	need(t.mark == nil, "the mark in "+format.DroppedKey+" to go")
	if len(missing) > 0 {
		v.found.add(rule, severity, format.VersionsKey(ref), "%s lacks %s", ref, strings.Join(missing, ", "))
		return
	}
	switch {
	case !exists && t.committed != nil:
		v.found.add(A13, Lag, format.VersionsKey(ref), "%s of commit %d is not projected", ref, v.changedBy)
	case !exists:
		if v.view != nil && v.view.Floor(ref) > 0 && t.mark == nil {
			v.found.add(rule, severity, format.DroppedKey, "%s was dropped by commit %d and is not marked", ref, v.view.Floor(ref))
		}
	default:
		v.checkCurrent(ref, t, current)
	}
}

// checkCurrent compares the three places of a type's current schema: its versions, the
// registry, and a commit of this program.
func (v *verifier) checkCurrent(ref ontosql.TypeRef, t *knownType, current *format.SchemaVersion) {
	schema, err := format.Canonicalize([]byte(current.SchemaJSON))
	if err != nil {
		return // reported with the versions
	}
	if !bytes.Equal(schema, t.current) {
		severity, rule := Error, SchemaObjects
		for _, older := range t.versions.Versions {
			if text, err := format.Canonicalize([]byte(older.SchemaJSON)); err == nil && bytes.Equal(text, t.current) && t.committed != nil {
				severity, rule = Lag, A13
			}
		}
		v.found.add(rule, severity, format.RegistryKey, "the schema of %s is not its version %d", ref, current.SchemaVersionID)
		return
	}
	switch {
	case t.committed == nil:
		by, drop := v.changedBy, v.change.DropOf(ref)
		if drop != nil && v.view.Floor(ref) == by && !v.superseded(ref) && !drop.Before(t.versions.Versions, v.view.Commit(by).Manifest.CreatedAt.Time) {
			v.found.add(A13, Lag, format.VersionsKey(ref), "the drop of %s by commit %d is not projected", ref, by)
		}
	case current.SchemaVersionID < t.committed.SchemaVersionID:
		v.found.add(A13, Lag, format.VersionsKey(ref), "version %d of %s, of commit %d, is not projected", t.committed.SchemaVersionID, ref, v.changedBy)
	case current.SchemaVersionID == t.committed.SchemaVersionID && !format.Equal(t.committed.Schema, schema):
		v.found.add(A13, Error, format.VersionsKey(ref), "version %d of %s is not the schema of commit %d", current.SchemaVersionID, ref, v.changedBy)
	}
}

// checkMark checks the mark of a dropped type against the chain.
func (v *verifier) checkMark(ref ontosql.TypeRef, t *knownType) {
	if t.mark == nil || v.view == nil {
		return
	}
	switch floor := v.view.Floor(ref); {
	case t.mark.CommitID > v.headID():
		v.found.add(I2, Error, format.DroppedKey, "%s is marked by commit %d, the head is %d", ref, t.mark.CommitID, v.headID())
	case t.mark.CommitID < floor && v.change.DropOf(ref) != nil:
		v.found.add(A13, Lag, format.DroppedKey, "%s is marked by commit %d, the drop by commit %d is not projected", ref, t.mark.CommitID, floor)
	case t.mark.CommitID != floor:
		v.found.add(SchemaObjects, Error, format.DroppedKey, "%s is marked by commit %d, %s", ref, t.mark.CommitID, lastDrop(floor))
	}
}

func lastDrop(floor ontosql.CommitID) string {
	if floor == 0 {
		return "which dropped nothing"
	}
	return fmt.Sprintf("commit %d dropped it last", floor)
}
