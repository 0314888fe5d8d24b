package format

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
)

// Tag is a name for a commit.
type Tag struct {
	Commit    ontosql.CommitID // at least 1
	Message   string           // what its author says of it, "" for nothing
	Actor     string           // who made it, "" for unknown
	CreatedAt Time
}

// Tags are the tags of an ontology by their names. A commit that changes them has the complete
// set in its metadata, as the text of a JSON object (MetadataTags); the newest such commit of a
// chain says which tags there are (decision A66).
type Tags map[string]Tag

// TagChange is what a transaction makes of a name: the tag that it has found, and the one that
// it leaves; nil for none.
type TagChange struct{ Before, After *Tag }

// With returns the tags after some changes, by names. conflict is the first name whose tag is
// not the one that the change has found, "" for none; then there are no tags.
func (t Tags) With(changes map[string]TagChange) (changed Tags, conflict string) {
	changed = maps.Clone(t)
	if changed == nil {
		changed = Tags{}
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		c := changes[name]
		if found, there := t[name]; there != (c.Before != nil) || there && !found.same(c.Before) {
			return nil, name
		}
		if delete(changed, name); c.After != nil {
			changed[name] = *c.After
		}
	}
	return changed, ""
}

func (t Tag) same(o *Tag) bool {
	return t.Commit == o.Commit && t.Message == o.Message && t.Actor == o.Actor && t.CreatedAt.Equal(o.CreatedAt.Time)
}

// ChangesTags reports whether a manifest has a set of tags.
func (m *Manifest) ChangesTags() bool {
	_, yes := m.Metadata[MetadataTags]
	return yes
}

// Tags returns the tags that a manifest has, nil if it has none. key is the key of the manifest,
// for errors, which are a *ontosql.CorruptError.
func (m *Manifest) Tags(key string) (Tags, error) {
	if !m.ChangesTags() {
		return nil, nil
	}
	f, err := m.objectIn(key, MetadataTags)
	if err != nil {
		return nil, err
	}
	tags := Tags{}
	for name, v := range f.value.Members() {
		f.nested(name, v, func(of objectReader) {
			if !ontosql.IsTagName(name) {
				f.fail(name, "it is no name of a tag")
			}
			tags[name] = Tag{
				Commit: of.commit("commit_id", 1), Message: of.optionalText("message"),
				Actor: of.optionalText("actor"), CreatedAt: of.time("created_at"),
			}
		})
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return tags, nil
}

// objectIn reads the JSON object in a text of the metadata. key is the key of the manifest, for errors.
func (m *Manifest) objectIn(key, name string) (objectReader, error) {
	path := "metadata." + name
	text, ok := m.Text(name)
	if !ok {
		return objectReader{}, ontosql.Corrupt(key, path, "expected a text")
	}
	f, err := readObject(key, []byte(text))
	f.path = path + "."
	return f, err
}

// CheckTags returns an error if the tags of a manifest cannot be read, or name no commit before its
// own. key is the key of the manifest.
func (m *Manifest) CheckTags(key string) error {
	tags, err := m.Tags(key)
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		if tags[name].Commit >= m.CommitID {
			return ontosql.Corrupt(key, "metadata."+MetadataTags+"."+name, "commit %d is not before it", tags[name].Commit)
		}
	}
	return err
}

// EncodeTags returns the value of MetadataTags.
func EncodeTags(tags Tags) json.RawMessage {
	all := make([]Member, 0, len(tags))
	for name, t := range tags {
		of := []Member{{"commit_id", Int(int64(t.Commit))}, {"created_at", String(t.CreatedAt.String())}}
		if t.Message != "" {
			of = append(of, Member{"message", String(t.Message)})
		}
		if t.Actor != "" {
			of = append(of, Member{"actor", String(t.Actor)})
		}
		all = append(all, Member{name, Object(of...)})
	}
	return AppendString(nil, string(encodeObject(all...)))
}
