package keyquery

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/ontosql/ontosql/column"
)

// orderBy is an item of ORDER BY.
type orderBy struct {
	column                 int
	descending, nullsFirst bool
}

// isOrdered reports whether values of a kind are ordered here.
func isOrdered(k column.Kind) bool {
	switch k {
	case column.Bool, column.Int16, column.Int32, column.Int64, column.Float64, column.Numeric, column.Text, column.Bytes, column.UUID,
		column.Date, column.Time, column.Timestamp, column.TimestampTZ:
		return true
	}
	return false
}

// sort sorts rows as ORDER BY asks.
func (p *Plan) sort(rows *column.Batch, order []int) {
	if len(p.order) == 0 {
		return
	}
	slices.SortStableFunc(order, func(a, b int) int {
		for _, by := range p.order {
			if c := by.compare(&rows.Cols[by.column], a, b); c != 0 {
				return c
			}
		}
		return 0
	})
}

func (o orderBy) compare(v *column.Vector, a, b int) int {
	switch x, y := v.IsNull(a), v.IsNull(b); {
	case x && y:
		return 0
	case x || y:
		if x == o.nullsFirst {
			return -1
		}
		return 1
	}
	c := compare(v, a, b)
	if o.descending {
		return -c
	}
	return c
}

// compare compares two values that are not NULL, texts by their bytes.
func compare(v *column.Vector, a, b int) int {
	switch v.Type.Kind {
	case column.Bool:
		switch {
		case v.Bool[a] == v.Bool[b]:
			return 0
		case v.Bool[b]:
			return -1
		}
		return 1
	case column.Int16:
		return cmp.Compare(v.I16[a], v.I16[b])
	case column.Int32, column.Date:
		return cmp.Compare(v.I32[a], v.I32[b])
	case column.Float64:
		if x, y := math.IsNaN(v.F64[a]), math.IsNaN(v.F64[b]); x || y { // the greatest value
			return -cmp.Compare(v.F64[a], v.F64[b])
		}
		return cmp.Compare(v.F64[a], v.F64[b])
	case column.Numeric:
		return cmp.Or(cmp.Compare(v.I128[a].Hi, v.I128[b].Hi), cmp.Compare(v.I128[a].Lo, v.I128[b].Lo))
	case column.UUID:
		return cmp.Or(cmp.Compare(uint64(v.I128[a].Hi), uint64(v.I128[b].Hi)), cmp.Compare(v.I128[a].Lo, v.I128[b].Lo))
	case column.Text, column.Bytes:
		return bytes.Compare(v.Str[a], v.Str[b])
	}
	return cmp.Compare(v.I64[a], v.I64[b])
}
