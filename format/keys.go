package format

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
)

// Keys of objects that exist once in a store, relative to its prefix (seed 000 section 2.2,
// COMPAT 3.1).
const (
	HeadKey     = "meta/head.json"
	LockKey     = "meta/locks/ontology_write.json"
	EngineKey   = "meta/engine.json"
	TypesKey    = "meta/schema/types.json"
	RegistryKey = "meta/schema/registry.json"
	DroppedKey  = "meta/schema/dropped.json"
	LayoutsKey  = "meta/type_layout_catalog.json"
	// CopyMarkKey exists while a copy into the store is not complete.
	CopyMarkKey = "meta/ontosql/copy.json"
)

// CompactionLockKey is the lock of the gateway that compacts by itself, of the form of LockKey.
// It is ours: no other program reads it.
const CompactionLockKey = "meta/ontosql/compaction_lock.json"

// CheckpointKey has all manifests up to some commit, for readers that have none (decision A65).
const CheckpointKey = "meta/ontosql/manifests.log"

// Prefixes of the keys of immutable objects, of snapshots, of indexes and of the versions of types.
const (
	CommitsPrefix   = "commits/"
	SnapshotsPrefix = "snapshots/"
	IndicesPrefix   = "meta/indices/"
	VersionsPrefix  = "meta/schema/versions/"
)

// Engine versions in meta/engine.json (COMPAT 9). They differ in the paths of data files and in
// the use of the layout catalog.
const (
	EngineV1 = "v1"
	EngineV2 = "v2"
)

// VersionsKey is the key of the list of a type's schema versions. Type names are not escaped in
// keys.
func VersionsKey(t ontosql.TypeRef) string {
	return VersionsPrefix + t.Kind.String() + "/" + t.Name + ".json"
}

// IndexKey is the key of the advisory list of a type's files.
func IndexKey(t ontosql.TypeRef) string {
	return IndicesPrefix + plural(t.Kind) + "/" + t.Name + ".json"
}

// ParseIndexKey returns the type of an index. ok is false if the key is not written as IndexKey
// writes it.
func ParseIndexKey(key string) (t ontosql.TypeRef, ok bool) {
	return parseTypeKey(key, IndicesPrefix, ".json")
}

// CommitPrefix is the folder of one attempt at a commit, with the slash. An attempt that lost the
// race for a commit id leaves a folder with the same id and another attempt.
func CommitPrefix(id ontosql.CommitID, attempt string) string {
	return fmt.Sprintf("%s%d-%s/", CommitsPrefix, id, attempt)
}

// ManifestKey is the key of an attempt's manifest.
func ManifestKey(id ontosql.CommitID, attempt string) string {
	return CommitPrefix(id, attempt) + "manifest.json"
}

// DataKey is the key of the rows of a type in an attempt, for writers. Engine v2 has one file for
// each schema version; v1 ignores schemaVersion. Readers use the paths in manifests and never build
// them (COMPAT 9).
func DataKey(engine string, id ontosql.CommitID, attempt string, t ontosql.TypeRef, schemaVersion int64) string {
	base := CommitPrefix(id, attempt) + plural(t.Kind) + "/" + t.Name
	if engine == EngineV2 {
		return fmt.Sprintf("%s/v%d.parquet", base, schemaVersion)
	}
	return base + ".parquet"
}

// SnapshotKey is the key of the compacted rows of commits low to high, in both engines.
func SnapshotKey(t ontosql.TypeRef, low, high ontosql.CommitID) string {
	return fmt.Sprintf("%s%s/%s-%d-%d.parquet", SnapshotsPrefix, plural(t.Kind), t.Name, low, high)
}

// ParseSnapshotKey returns the type and the commits of a snapshot. ok is false if the key is not
// written as SnapshotKey writes it.
func ParseSnapshotKey(key string) (t ontosql.TypeRef, low, high ontosql.CommitID, ok bool) {
	t, ok = parseTypeKey(key, SnapshotsPrefix, ".parquet")
	parts := strings.Split(t.Name, "-") // the name itself may have hyphens
	if n := len(parts); ok && n > 2 {
		lowest, _ := strconv.ParseInt(parts[n-2], 10, 64)
		highest, _ := strconv.ParseInt(parts[n-1], 10, 64)
		low, high = ontosql.CommitID(lowest), ontosql.CommitID(highest)
		t.Name = strings.Join(parts[:n-2], "-")
	}
	if !ok || low < 1 || t.Name == "" || key != SnapshotKey(t, low, high) {
		return ontosql.TypeRef{}, 0, 0, false
	}
	return t, low, high, true
}

// parseTypeKey parses the folder of a kind and what stands between it and the suffix.
func parseTypeKey(key, prefix, suffix string) (t ontosql.TypeRef, ok bool) {
	for _, t.Kind = range []ontosql.Kind{ontosql.Entity, ontosql.Relation} {
		if rest, found := strings.CutPrefix(key, prefix+plural(t.Kind)+"/"); found {
			t.Name, ok = strings.CutSuffix(rest, suffix)
			return t, ok && t.Name != ""
		}
	}
	return ontosql.TypeRef{}, false
}

// ParseCommitDir returns the commit id and the attempt of a key in a commit's folder. ok is false
// if the folder is not written as CommitPrefix writes it.
func ParseCommitDir(key string) (id ontosql.CommitID, attempt string, ok bool) {
	rest, ok := strings.CutPrefix(key, CommitsPrefix)
	if !ok {
		return 0, "", false
	}
	dir, _, ok := strings.Cut(rest, "/")
	if !ok {
		return 0, "", false
	}
	digits, attempt, ok := strings.Cut(dir, "-")
	if !ok || attempt == "" {
		return 0, "", false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != digits {
		return 0, "", false
	}
	return ontosql.CommitID(n), attempt, true
}

// Immutable reports whether an object never changes once it exists, so that it can be cached
// without limit. Snapshots are not immutable, because the original rewrites a snapshot under
// the same key when it compacts again (decision A21).
func Immutable(key string) bool {
	_, _, ok := ParseCommitDir(key)
	return ok
}

func plural(k ontosql.Kind) string {
	if k == ontosql.Relation {
		return "relations"
	}
	return "entities"
}
