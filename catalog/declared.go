package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// extras are what the newest schema change declares of the types, as far as it
// holds for the current schemas in texts.
func (in *Input) extras(texts map[ontosql.TypeRef]json.RawMessage) map[ontosql.TypeRef]format.Extras {
	return migration.ExtrasOf(in.Change, func(ref ontosql.TypeRef) json.RawMessage {
		if in.Floor(ref) > in.ChangedBy {
			return nil // dropped since
		}
		text, err := format.Canonicalize(texts[ref])
		if err != nil {
			return nil
		}
		return text
	})
}

// declare applies the declarations of a type: comments, privileges, defaults, sizes, and the order of
// columns behind the identity. Fields without a declaration come last.
func (t *Type) declare(extras format.Extras) {
	t.Comment, t.Owner, t.Grants = extras.Comment, extras.Owner, extras.Grants
	place := make(map[string]int, len(extras.Columns))
	quoted := map[string]bool{}
	for i, declared := range extras.Columns {
		place[declared.Field] = i + 1
		quoted[declared.Field] = declared.Quoted
	}
	nameColumns(t.Columns, quoted)
	for i := range t.Columns {
		c := &t.Columns[i]
		n := place[c.Field]
		if n == 0 {
			continue
		}
		declared := &extras.Columns[n-1]
		c.Default, c.Comment, c.Typmod = declared.Default, declared.Comment, typmod(declared.Type, c.Type.Kind)
		c.NotNull = c.NotNull || declared.NotNull && c.Type.Kind == column.JSON
		c.Type = Sized(c.Type, c.Typmod)
	}
	slices.SortStableFunc(t.Columns[len(t.Key):], func(a, b Column) int {
		left, right := place[a.Field], place[b.Field]
		if left == 0 || right == 0 {
			return cmp.Compare(right, left) // the one that is declared first
		}
		return cmp.Compare(left, right)
	})
}

// typmod is PostgreSQL's atttypmod of a declared numeric(p,s) or varchar(n) for a column of a
// kind, 0 for any other text.
func typmod(declared string, kind column.Kind) int32 {
	const header = 4 // VARHDRSZ
	name, rest, _ := strings.Cut(declared, "(")
	first, second, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ",")
	size, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	switch {
	case kind == column.Text && name == "character varying" && 1 <= size && size <= maxVarchar:
		return int32(size) + header
	case kind == column.Numeric && name == "numeric" && 1 <= size && size <= maxPrecision:
		scale, err := strconv.Atoi(second)
		if err != nil || scale < -maxPrecision || scale > maxPrecision {
			return 0
		}
		return int32(size)<<16 | int32(scale)&0x7FF + header
	}
	return 0
}

// PostgreSQL's limits of n in varchar(n) and of p and s in numeric(p,s).
const (
	maxVarchar   = 10 * 1024 * 1024
	maxPrecision = 1000
)
