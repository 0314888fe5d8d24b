package gateway

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/writepath"
)

// The settings of writers (PRODUCT "Writing").
const (
	settingMessage    = "ontosql.commit_message"
	settingMeta       = "ontosql.commit_meta"
	settingExpectHead = "ontosql.expect_head"
	settingNotice     = "ontosql.notice_commits"
	settingLastCommit = "ontosql.last_commit_id"
	settingReadAfter  = "ontosql.read_after"
	settingOnConflict = "ontosql.on_conflict"
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

// commitMetadata is what the session says of the commit it makes: commit_meta,
// and commit_message under the key message. It is asked for before the
// transaction ends, because SET LOCAL ends with it.
func (s *Session) commitMetadata() map[string]string {
	meta, _ := parseMeta(s.settings.value(settingMeta)) // SET has checked it
	message := s.settings.value(settingMessage)
	if meta == nil && (message != "" || len(s.tx.metadata) > 0) {
		meta = map[string]string{}
	}
	maps.Copy(meta, s.tx.metadata)
	if message != "" {
		meta["message"] = message
	}
	return meta
}

// expectHead is the head on which alone the session wants to commit, nil for
// any.
func (s *Session) expectHead() *ontosql.CommitID {
	if s.tx.head != nil {
		return s.tx.head
	}
	return s.commitSetting(settingExpectHead)
}

// commitSetting is the commit that a setting names, nil for none.
func (s *Session) commitSetting(name string) *ontosql.CommitID {
	n, err := strconv.ParseInt(s.settings.value(name), 10, 64)
	if err != nil {
		return nil
	}
	id := ontosql.CommitID(n)
	return &id
}

// onConflict is what becomes of a new row whose key exists, where the statement
// does not say.
func (s *Session) onConflict() rewrite.Conflict {
	switch s.settings.value(settingOnConflict) {
	case "update":
		return rewrite.ConflictUpdate
	case "nothing":
		return rewrite.ConflictNothing
	}
	return rewrite.ConflictError
}

// lockWait is how long a commit may wait for a write lock that another writer
// holds, 0 for the gateway's own limit.
func (s *Session) lockWait() time.Duration {
	limit, err := parseDuration(s.settings.value("lock_timeout"))
	if err != nil {
		return 0
	}
	return limit
}

// committed notes the session's newest commit, and tells the client if it wants
// to know. It is called before the transaction ends, for the sake of a SET LOCAL
// of notice_commits.
func (s *Session) committed(out writepath.Outcome) {
	s.settings.tell(settingLastCommit, strconv.FormatInt(int64(out.Commit), 10))
	if s.settings.value(settingNotice) != "on" {
		return
	}
	s.notice(&pgerr.Error{
		Severity: "NOTICE", Code: pgerr.SuccessfulCompletion,
		Message: fmt.Sprintf("committed as %d", out.Commit),
	})
}

// wants reports whether client_min_messages lets a NOTICE or WARNING through.
func (s *Session) wants(severity string) bool {
	level := s.settings.value("client_min_messages")
	return level != "error" && (level != "warning" || severity != "NOTICE")
}
