package settings

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
)

// The names of ontosql's own parameters that the gateway reads.
const (
	CommitMessage = "ontosql.commit_message"
	CommitMeta    = "ontosql.commit_meta"
	ExpectHead    = "ontosql.expect_head"
	NoticeCommits = "ontosql.notice_commits"
	LastCommitID  = "ontosql.last_commit_id"
	ReadAfter     = "ontosql.read_after"
	AsOf          = "ontosql.as_of" // the point at which tables are read
	OnConflict    = "ontosql.on_conflict"
	ResultCache   = "ontosql.result_cache"
	PurgeHistory  = "ontosql.purge_history" // lets DROP TABLE drop a table that has rows

	// The limits of a statement, 0 for none. Only superusers change them.
	MaxResultRows = "ontosql.max_result_rows"
	MaxScanBytes  = "ontosql.max_scan_bytes"
	MaxRequests   = "ontosql.max_requests"
)

// reservedMeta are the metadata keys that clients cannot set, because Ontologia or this
// gateway gives them a meaning. Keys that begin with ontosql_ are reserved too.
var reservedMeta = []string{
	"namespace", "kind", "migrated_types", "operation", "actor", "message", "target_kind", "target_type", "affected_types",
}

// maxMetadata is the limit in bytes of a commit message and of a commit's metadata.
// Every reader of the ontology fetches and keeps every manifest.
const maxMetadata = 1 << 20

// messageText checks a value of commit_message.
func messageText(v string) (string, error) {
	return v, checkMetadataText(CommitMessage, v)
}

// metaText checks a value of commit_meta: empty, or a JSON object of strings.
func metaText(v string) (string, error) {
	if err := checkMetadataText(CommitMeta, v); err != nil {
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
		return nil, badValue(CommitMeta, v).WithDetail(detail, args...)
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
		case !printable(key) || !printable(value.Text()):
			return refuse("The key %q has a NUL character or half a surrogate pair.", key)
		}
		meta[key] = value.Text()
	}
	return meta, nil
}

// printable reports whether a string of JSON is one that PostgreSQL can show.
func printable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// CommitIDText makes the check of a parameter that holds a commit id or is empty.
func CommitIDText(name string) func(string) (string, error) {
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

// CommitMetadata is ontosql.commit_meta, the metadata of the session's commits without
// their message. It is nil for none.
func (s *Values) CommitMetadata() map[string]string {
	meta, _ := parseMeta(s.Value(CommitMeta)) // SET has checked it
	return meta
}

// CommitID is the commit id that a parameter holds, nil for an empty one.
func (s *Values) CommitID(name string) *ontosql.CommitID {
	text := s.Value(name)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	id := ontosql.CommitID(n)
	return &id
}

// OnConflict is ontosql.on_conflict, the conflict action of COPY and of INSERT without
// ON CONFLICT.
func (s *Values) OnConflict() dml.Conflict {
	switch s.Value(OnConflict) {
	case "update":
		return dml.ConflictUpdate
	case "nothing":
		return dml.ConflictNothing
	}
	return dml.ConflictError
}

// Timeout is the value of a parameter such as statement_timeout, 0 for no limit.
func (s *Values) Timeout(name string) time.Duration {
	limit, known := s.derived.timeouts[name]
	if known {
		return limit
	}
	if parsed, err := parseDuration(s.Value(name)); err == nil {
		limit = max(parsed, 0)
	}
	if s.derived.timeouts == nil {
		s.derived.timeouts = map[string]time.Duration{}
	}
	s.derived.timeouts[name] = limit
	return limit
}

// Wants reports whether client_min_messages lets a message of this severity through,
// which is NOTICE or WARNING.
func (s *Values) Wants(severity string) bool {
	level := s.Value("client_min_messages")
	return level != "error" && (level != "warning" || severity != "NOTICE")
}
