package format

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
)

// DistrustKey is the key of the list of distrusted columns. It is beside the schema objects, which
// readers list for every statement, so that they learn of a change at once.
const DistrustKey = "meta/schema/distrusted.json"

// DistrustedColumn is a typed column of a data file that does not have what fields_json has, or
// that cannot be read. Readers take the field from fields_json.
type DistrustedColumn struct {
	Type   ontosql.TypeRef
	Path   string // of the file
	Column string
}

// CompareDistrusted is the order in which distrusted columns are stored.
func CompareDistrusted(a, b DistrustedColumn) int {
	if by := strings.Compare(a.Path, b.Path); by != 0 {
		return by
	}
	return strings.Compare(a.Column, b.Column)
}

// DecodeDistrusted reads meta/schema/distrusted.json.
func DecodeDistrusted(key string, body []byte) ([]DistrustedColumn, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	var all []DistrustedColumn
	columns, _ := f.get("columns", JSONArray)
	f.each("columns", columns.Items(), func(e objectReader) {
		kind, _ := ontosql.ParseKind(e.oneOf("kind", "entity", "relation"))
		all = append(all, DistrustedColumn{
			Type: ontosql.TypeRef{Kind: kind, Name: e.text("type_name")}, Path: e.text("path"), Column: e.text("column"),
		})
	})
	if f.err() != nil {
		return nil, f.err()
	}
	return all, nil
}

// EncodeDistrusted writes distrusted columns in their order.
func EncodeDistrusted(all []DistrustedColumn, at Time) []byte {
	items := make([]Value, 0, len(all))
	for _, c := range slices.SortedFunc(slices.Values(all), CompareDistrusted) {
		items = append(items, Object(
			Member{"column", String(c.Column)}, Member{"kind", String(c.Type.Kind.String())},
			Member{"path", String(c.Path)}, Member{"type_name", String(c.Type.Name)},
		))
	}
	return encodeObject(Member{"columns", Array(items...)}, Member{"updated_at", String(at.String())})
}
