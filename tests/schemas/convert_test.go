package schemas

import (
	"math"
	"strconv"
	"strings"
)

// conversion is an ALTER TYPE: its USING, "" for none, with the column as %s, and
// what it makes of a shown value.
type conversion struct {
	using string
	make  func(shown *string) *string
}

// strict is a conversion of which NULL stays NULL.
func strict(using string, make func(string) string) conversion {
	return conversion{using, func(v *string) *string {
		if v == nil {
			return nil
		}
		return text(make(*v))
	}}
}

func parsed(v string) float64 {
	f, _ := strconv.ParseFloat(v, 64)
	return f
}

// convert is how a column goes from one type to another.
func convert(from, to string) conversion {
	switch {
	case from == to:
		return strict("", func(v string) string { return stored(to, v) })
	case to == "text":
		return strict("", func(v string) string { return v })
	}
	switch from + " to " + to {
	case "text to bigint":
		return strict("length(%s)", func(v string) string { return strconv.Itoa(len(v)) })
	case "text to double precision":
		return strict("length(%s) + 0.5", func(v string) string { return float(float64(len(v)) + 0.5) })
	case "text to boolean":
		return strict("%s LIKE 'w%%'", func(v string) string { return strconv.FormatBool(strings.HasPrefix(v, "w")) })
	case "bigint to double precision":
		return strict("", func(v string) string { return float(parsed(v)) })
	case "double precision to bigint":
		return strict("", func(v string) string { return strconv.FormatInt(int64(math.RoundToEven(parsed(v))), 10) })
	case "bigint to boolean", "double precision to boolean":
		return strict("%s > 50", func(v string) string { return strconv.FormatBool(parsed(v) > 50) })
	case "boolean to bigint":
		return conversion{"CASE WHEN %s THEN 71 ELSE 17 END", func(v *string) *string {
			if v != nil && *v == "true" {
				return text("71")
			}
			return text("17")
		}}
	}
	return conversion{"NULL", func(*string) *string { return nil }}
}

// stored is a shown value of a type as it is stored.
func stored(typ, v string) string {
	if typ == "double precision" {
		return float(parsed(v))
	}
	return v
}
