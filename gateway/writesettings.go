package gateway

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
)

// The settings of writers (PRODUCT "Writing").
const (
	settingMessage     = "ontosql.commit_message"
	settingMeta        = "ontosql.commit_meta"
	settingExpectHead  = "ontosql.expect_head"
	settingNotice      = "ontosql.notice_commits"
	settingLastCommit  = "ontosql.last_commit_id"
	settingReadAfter   = "ontosql.read_after"
	settingOnConflict  = "ontosql.on_conflict"
	settingResultCache = "ontosql.result_cache"
	settingPurge       = "ontosql.purge_history" // lets DROP TABLE drop a table that has rows
)

// reservedMeta are the keys of a commit's metadata that its writer cannot choose,
// because the original or this gateway gives them a meaning. All that begin with
// ontosql_ are ours too.
var reservedMeta = []string{
	"namespace", "kind", "migrated_types", "operation", "actor", "message", "target_kind", "target_type", "affected_types",
}

// maxMetadata is the length in bytes of a message or of the metadata of one
// commit: every reader of the ontology fetches and keeps every manifest.
const maxMetadata = 1 << 20

// messageText checks a value of commit_message.
func messageText(v string) (string, error) {
	return v, checkMetadataText(settingMessage, v)
}

// metaText checks a value of commit_meta: empty, or a JSON object of strings.
func metaText(v string) (string, error) {
	if err := checkMetadataText(settingMeta, v); err != nil {
		return "", err
	}
	_, err := parseMeta(v)
	return v, err
}

func checkMetadataText(name, v string) error {
	switch {
	case len(v) > maxMetadata:
		return pgerr.New(pgerr.ProgramLimitExceeded, "value of parameter %q is too long", name).
			WithDetail("It has %d bytes, the limit is %d.", len(v), maxMetadata)
	case !utf8.ValidString(v):
		return pgerr.New(pgerr.CharacterNotInRepertoire, "value of parameter %q is no valid UTF-8", name)
	}
	return nil
}

// parseMeta reads a value of commit_meta.
func parseMeta(v string) (map[string]string, error) {
	if strings.TrimSpace(v) == "" {
		return nil, nil
	}
	refuse := func(detail string, args ...any) (map[string]string, error) {
		return nil, badValue(settingMeta, v).WithDetail(detail, args...)
	}
	object, err := format.ParseJSON([]byte(v))
	if err != nil {
		return refuse("It is no JSON: %v.", err)
	}
	if object.Kind() != format.JSONObject {
		return refuse("It must be a JSON object, not %s.", object.Kind())
	}
	meta := map[string]string{}
	for _, key := range object.Names() {
		value, _ := object.Get(key)
		switch {
		case slices.Contains(reservedMeta, key) || strings.HasPrefix(key, "ontosql_"):
			return refuse("The key %q is reserved.", key)
		case value.Kind() != format.JSONString:
			return refuse("The value of the key %q must be a string, not %s.", key, value.Kind())
		case !plainText(key) || !plainText(value.Text()):
			return refuse("The key %q has a NUL character or half a surrogate pair.", key)
		}
		meta[key] = value.Text()
	}
	return meta, nil
}

// plainText reports whether a string of JSON is one that PostgreSQL can show.
func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// commitNumber checks a setting that names a commit, or none when it is empty.
func commitNumber(name string) func(string) (string, error) {
	return func(v string) (string, error) {
		if strings.TrimSpace(v) == "" {
			return "", nil
		}
		id, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		if err != nil || id < 0 {
			return "", badValue(name, v).WithDetail("It must be the number of a commit, or empty.")
		}
		return strconv.FormatInt(id, 10), nil
	}
}

func badValue(name, v string) *pgerr.Error {
	return pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
}

// metadata is the metadata of the commits the session makes, without the message: the
// value of ontosql.commit_meta. It is nil for none.
func (s *settings) metadata() map[string]string {
	meta, _ := parseMeta(s.value(settingMeta)) // SET has checked it
	return meta
}

// commit is the commit id that a setting holds, nil where the setting is empty.
func (s *settings) commit(name string) *ontosql.CommitID {
	n, err := strconv.ParseInt(s.value(name), 10, 64)
	if err != nil {
		return nil
	}
	id := ontosql.CommitID(n)
	return &id
}

// onConflict is the conflict action of INSERT and COPY without ON CONFLICT.
func (s *settings) onConflict() rewrite.Conflict {
	switch s.value(settingOnConflict) {
	case "update":
		return rewrite.ConflictUpdate
	case "nothing":
		return rewrite.ConflictNothing
	}
	return rewrite.ConflictError
}

// timeout is a setting whose unit is a time, 0 for no limit.
func (s *settings) timeout(name string) time.Duration {
	limit, err := parseDuration(s.value(name))
	if err != nil {
		return 0
	}
	return max(limit, 0)
}

// wants reports whether client_min_messages lets a message of this severity through,
// which is NOTICE or WARNING.
func (s *settings) wants(severity string) bool {
	level := s.value("client_min_messages")
	return level != "error" && (level != "warning" || severity != "NOTICE")
}
