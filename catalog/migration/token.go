package migration

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// PlanHash names a plan of migrations: what differs, in lower-case hex (COMPAT
// 5.1). The error is that of a FieldChange that is no JSON.
func PlanHash(diffs []Diff) (string, error) {
	sorted := slices.SortedFunc(slices.Values(diffs), func(a, b Diff) int { return a.Type.Compare(b.Type) })
	items := make([]format.Value, len(sorted))
	for i := range sorted {
		v, err := sorted[i].value()
		if err != nil {
			return "", fmt.Errorf("hash the plan: %s: %w", sorted[i].Type, err)
		}
		items[i] = v
	}
	return hexSum(format.Array(items...)), nil
}

// Token is what a migration is confirmed with: it holds for a plan at a head, and
// is "" where there is nothing to do (COMPAT 5.1).
func Token(diffs []Diff, head ontosql.CommitID) (string, error) {
	if len(diffs) == 0 {
		return "", nil
	}
	hash, err := PlanHash(diffs)
	if err != nil {
		return "", err
	}
	return token(hash, head, "none"), nil
}

// DropToken is what a drop is confirmed with (COMPAT 7). versions has the types
// that are dropped, with the id of the schema version that each is at.
func DropToken(versions map[ontosql.TypeRef]int64, head ontosql.CommitID, purge bool) string {
	affected := make([]format.Value, 0, len(versions))
	heads := make([]format.Member, 0, len(versions))
	for _, ref := range slices.SortedFunc(maps.Keys(versions), ontosql.TypeRef.Compare) {
		affected = append(affected, format.Array(format.String(ref.Kind.String()), format.String(ref.Name)))
		heads = append(heads, format.Member{Name: ref.Name, Value: format.Int(versions[ref])})
	}
	at := format.Null()
	if head > 0 {
		at = format.Int(int64(head))
	}
	sum := hexSum(format.Object(
		format.Member{Name: "affected", Value: format.Array(affected...)},
		format.Member{Name: "head", Value: at},
		format.Member{Name: "purge", Value: format.Bool(purge)},
		format.Member{Name: "schema_heads", Value: format.Object(heads...)},
	))
	return token(sum, head, "None")
}

// token writes a sum with the head it holds for; none is the head of a store
// without a commit.
func token(sum string, head ontosql.CommitID, none string) string {
	at := none
	if head > 0 {
		at = strconv.FormatInt(int64(head), 10)
	}
	return base64.URLEncoding.EncodeToString([]byte(sum + ":" + at))
}

func hexSum(v format.Value) string {
	sum := sha256.Sum256(v.Append(nil, format.Canonical))
	return hex.EncodeToString(sum[:])
}
