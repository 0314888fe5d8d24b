package maintain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

const (
	metaPrefix = "meta/"
	oursPrefix = "meta/ontosql/" // optional for every reader (decision A13)
)

// members are the members of every control object (COMPAT 1.4, 3.1, 3.3).
var members = map[string][]string{
	format.HeadKey:        {"commit_id", "manifest_path", "runtime_id", "updated_at"},
	format.LockKey:        {"acquired_at", "expires_at", "lease_ttl_ms", "owner_id"},
	format.EngineKey:      {"backend", "created_at", "engine_version"},
	format.TypesKey:       {"entities", "relations", "updated_at"},
	format.RegistryKey:    {"entity", "relation", "updated_at"},
	format.DroppedKey:     {"entity", "relation", "updated_at"},
	format.LayoutsKey:     {"layouts"},
	format.DistrustKey:    {"columns", "updated_at"},
	format.VersionsPrefix: {"type_kind", "type_name", "versions"},
	format.IndicesPrefix:  {"entries", "max_indexed_commit", "type_name"},
}

// family returns the key in members of an object below meta/; "" if it is unknown.
func family(key string) string {
	if _, known := members[key]; known && !strings.HasSuffix(key, "/") {
		return key
	}
	if _, ok := typeOf(key); ok {
		if strings.HasPrefix(key, format.VersionsPrefix) {
			return format.VersionsPrefix
		}
		return format.IndicesPrefix
	}
	return ""
}

// typeOf returns the type whose versions or index are at key.
func typeOf(key string) (ontosql.TypeRef, bool) {
	for folder, kind := range map[string]ontosql.Kind{
		format.VersionsPrefix + "entity/":   ontosql.Entity,
		format.VersionsPrefix + "relation/": ontosql.Relation,
		format.IndicesPrefix + "entities/":  ontosql.Entity,
		format.IndicesPrefix + "relations/": ontosql.Relation,
	} {
		if rest, ok := strings.CutPrefix(key, folder); ok {
			name, ok := strings.CutSuffix(rest, ".json")
			return ontosql.TypeRef{Kind: kind, Name: name}, ok && name != ""
		}
	}
	return ontosql.TypeRef{}, false
}

// formRule returns the rule that an object violates if a member is missing or has the wrong
// type.
func formRule(key string) Rule {
	switch {
	case key == format.HeadKey:
		return I1
	case key == format.LockKey:
		return LockForm
	case strings.HasPrefix(key, "meta/schema/"):
		return SchemaObjects
	}
	return Members
}

// readMeta reads everything below meta/ and keeps well-formed control objects.
func (v *verifier) readMeta(ctx context.Context) error {
	var keys []string
	err := v.bucket.List(ctx, metaPrefix, func(o objstore.Object) error {
		switch {
		case strings.HasPrefix(o.Key, oursPrefix):
		case family(o.Key) == "":
			v.found.add(A34, Error, o.Key, "nobody knows this object")
		default:
			keys = append(keys, o.Key)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", metaPrefix, err)
	}
	bodies := make([][]byte, len(keys))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, key := range keys {
		g.Go(func() error {
			body, _, err := v.bucket.Get(gctx, key)
			if errors.Is(err, objstore.ErrNotFound) {
				return nil // a lock may be removed between the two requests
			}
			bodies[i] = body
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("read %s: %w", metaPrefix, err)
	}
	v.meta, v.bodies = map[string]format.Value{}, map[string][]byte{}
	for i, key := range keys {
		if key == format.HeadKey {
			v.began = bodies[i]
		}
		if bodies[i] != nil {
			v.admit(key, bodies[i])
		}
	}
	return nil
}

// admit keeps a control object if it is well-formed.
func (v *verifier) admit(key string, body []byte) {
	value, ok := v.checkJSON(key, body)
	if ok {
		for _, name := range members[family(key)] {
			if _, there := value.Get(name); !there {
				v.found.add(formRule(key), Error, key, "%s is missing", name)
				ok = false
			}
		}
	}
	if !ok {
		v.halfBlind = v.halfBlind || strings.HasPrefix(key, "meta/schema/")
		return
	}
	v.checkTimes(key, value, false)
	v.meta[key], v.bodies[key] = value, body
}

// checkJSON reports whether a stored object is a JSON object, and records if it is not in the
// canonical form that every writer uses.
func (v *verifier) checkJSON(key string, body []byte) (format.Value, bool) {
	value, err := format.ParseJSON(body)
	switch {
	case err != nil:
		v.found.add(jsonRule(key), Error, key, "%v", err)
		return value, false
	case value.Kind() != format.JSONObject:
		v.found.add(formRule(key), Error, key, "is %s, want an object", value.Kind())
		return value, false
	case !bytes.Equal(value.Append(nil, format.Canonical), body):
		v.found.add(Numbers, Error, key, "is not canonical JSON")
	}
	return value, true
}

func jsonRule(key string) Rule {
	if key == format.HeadKey {
		return I1
	}
	return Numbers
}

// timeNames are the members of control objects with times.
var timeNames = map[string]bool{"acquired_at": true, "created_at": true, "expires_at": true, "updated_at": true}

var (
	exactTime  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$`)
	pythonTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$`)
)

// checkTimes checks every time in an object against rule 2. If ours is set, six fractional
// digits are required.
func (v *verifier) checkTimes(key string, value format.Value, ours bool) {
	for _, name := range value.Names() {
		member, _ := value.Get(name)
		if timeNames[name] && member.Kind() == format.JSONString {
			text := member.Text()
			_, err := format.ParseTime(text)
			if err != nil || !exactTime.MatchString(text) && (ours || !pythonTime.MatchString(text)) {
				v.found.add(RuleTimes, Error, key, "%s is %q", name, text)
			}
			continue
		}
		if timeNames[name] && member.Kind() != format.JSONObject {
			v.found.add(RuleTimes, Error, key, "%s is %s", name, member.Kind())
		}
		v.checkTimes(key, member, ours)
	}
	for _, item := range value.Items() {
		v.checkTimes(key, item, ours)
	}
}
