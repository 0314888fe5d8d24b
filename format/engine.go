package format

import "github.com/ontosql/ontosql"

// Engine is meta/engine.json. A store without it is v1 (COMPAT 3.5).
type Engine struct {
	Backend       string `json:"backend"` // "s3", also in a directory
	CreatedAt     Time   `json:"created_at"`
	EngineVersion string `json:"engine_version"` // EngineV1 or EngineV2
}

// DecodeEngine reads an engine marker. An unknown version is an error, because the layout of such
// a store is unknown.
func DecodeEngine(key string, body []byte) (*Engine, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		Backend:       f.optionalText("backend"),
		CreatedAt:     f.optionalTime("created_at"),
		EngineVersion: f.oneOf("engine_version", EngineV1, EngineV2),
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return e, nil
}

// EncodeEngine writes an engine marker.
func EncodeEngine(e *Engine) []byte {
	return encodeObject(
		Member{"backend", String(e.Backend)},
		Member{"created_at", String(e.CreatedAt.String())},
		Member{"engine_version", String(e.EngineVersion)},
	)
}

// Layouts is meta/type_layout_catalog.json, which only engine v2 uses (COMPAT 3.6).
type Layouts struct {
	Layouts []Layout `json:"layouts"`
}

// Layout is the commit from which on a schema version of a type is the current one.
type Layout struct {
	ActivationCommitID ontosql.CommitID `json:"activation_commit_id"`
	IsCurrent          bool             `json:"is_current"`
	SchemaVersionID    int64            `json:"schema_version_id"`
	TypeKind           string           `json:"type_kind"`
	TypeName           string           `json:"type_name"`
}

// DecodeLayouts reads a layout catalog. A catalog of the wrong shape is empty, as in the original.
// An entry of the wrong shape is an error.
func DecodeLayouts(key string, body []byte) (*Layouts, error) {
	f, err := readObjectLeniently(key, body)
	if err != nil {
		return nil, err
	}
	l := &Layouts{Layouts: []Layout{}}
	f.each("layouts", f.optionalItems("layouts"), func(e objectReader) {
		l.Layouts = append(l.Layouts, Layout{
			ActivationCommitID: e.commit("activation_commit_id", 0),
			IsCurrent:          e.boolean("is_current"),
			SchemaVersionID:    e.integer("schema_version_id", 0),
			TypeKind:           e.oneOf("type_kind", "entity", "relation"),
			TypeName:           e.text("type_name"),
		})
	})
	if f.err() != nil {
		return nil, f.err()
	}
	return l, nil
}

// EncodeLayouts writes a layout catalog.
func EncodeLayouts(l *Layouts) []byte {
	items := make([]Value, len(l.Layouts))
	for i, e := range l.Layouts {
		items[i] = Object(
			Member{"activation_commit_id", Int(int64(e.ActivationCommitID))},
			Member{"is_current", Bool(e.IsCurrent)},
			Member{"schema_version_id", Int(e.SchemaVersionID)},
			Member{"type_kind", String(e.TypeKind)},
			Member{"type_name", String(e.TypeName)},
		)
	}
	return encodeObject(Member{"layouts", Array(items...)})
}
