package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
)

// typeLayout is what the original's info says of a type on engine v2 (COMPAT 3.5
// and 4.4).
type typeLayout struct {
	Kind       string           `json:"type_kind"`
	Version    int64            `json:"current_schema_version_id"`
	Active     ontosql.CommitID `json:"activation_commit_id"`
	Historical []int64          `json:"historical_versions"`
}

// layouts are those that are current, by the name of their type, nil on engine v1.
// A name that an entity type and a relation type share is the relation's with its
// kind before it.
func (s *store) layouts(ctx context.Context, pin *resolver.Pin) (map[string]typeLayout, error) {
	if pin.Engine != format.EngineV2 {
		return nil, nil
	}
	list, err := s.layoutCatalog(ctx)
	if err != nil {
		return nil, err
	}
	type layoutOf struct{ kind, name string }
	older := map[layoutOf][]int64{}
	for i := range list {
		if l := &list[i]; !l.IsCurrent {
			of := layoutOf{l.TypeKind, l.TypeName}
			older[of] = append(older[of], l.SchemaVersionID)
		}
	}
	all := map[string]typeLayout{}
	for _, kind := range []ontosql.Kind{ontosql.Entity, ontosql.Relation} {
		for i := range list {
			l := &list[i]
			if !l.IsCurrent || l.TypeKind != kind.String() {
				continue
			}
			name := l.TypeName
			if _, taken := all[name]; taken {
				name = fmt.Sprintf("%s:%s", kind, name)
			}
			layout := typeLayout{l.TypeKind, l.SchemaVersionID, l.ActivationCommitID, older[layoutOf{l.TypeKind, l.TypeName}]}
			if layout.Historical == nil {
				layout.Historical = []int64{}
			}
			all[name] = layout
		}
	}
	return all, nil
}

// layoutCatalog is the layout catalog as it is stored; a bucket in which nothing
// was migrated has none.
func (s *store) layoutCatalog(ctx context.Context) ([]format.Layout, error) {
	if s.db != nil {
		return s.db.Layouts(ctx)
	}
	body, _, err := s.bucket.Get(ctx, format.LayoutsKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read layouts: %w", err)
	}
	layouts, err := format.DecodeLayouts(format.LayoutsKey, body)
	if err != nil {
		return nil, err
	}
	return layouts.Layouts, nil
}
