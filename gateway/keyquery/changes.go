package keyquery

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// changedFields are the names of the fields in which a version differs for a reader from the one before
// it, as duckdb/scan has it (differs). images are the stored documents of the rows.
func (t *table) changedFields(images *column.Vector, next []ontosql.CommitID, n int) (column.Vector, error) {
	v := column.Vector{Type: textsType, Lists: make([]column.Span, n), Child: &column.Vector{Type: textType}}
	for i := range n {
		v.Lists[i].Offset = uint64(len(v.Child.Str))
		now, err := members(images.Str[i])
		if err != nil {
			return v, err
		}
		var last map[string][]byte
		if b := before(next, i); b >= 0 {
			if last, err = members(images.Str[b]); err != nil {
				return v, err
			}
		}
		for _, c := range t.typ.Columns {
			if c.Role != catalog.FromField {
				continue
			}
			changed, err := differs(now[c.Field], last[c.Field])
			if err != nil {
				return v, err
			}
			if changed {
				v.Child.Str = append(v.Child.Str, []byte(c.Field))
			}
		}
		v.Lists[i].Length = uint64(len(v.Child.Str)) - v.Lists[i].Offset
	}
	return v, nil
}

// members are the members of a stored document, without those that are null.
func members(image []byte) (map[string][]byte, error) {
	if !json.Valid(image) || !format.PlainJSON(image) {
		return nil, errUndecided
	}
	of := map[string][]byte{}
	err := format.EachMember(image, func(name, value format.Span) {
		text := image[name.From:name.To]
		if bytes.IndexByte(text, '\\') >= 0 || of[string(text)] != nil {
			of = nil // a name that has to be read, or is there twice
		}
		if value := image[value.From:value.To]; of != nil && string(value) != "null" {
			of[string(text)] = value
		}
	})
	if err != nil || of == nil {
		return nil, errUndecided
	}
	return of, nil
}

// differs reports whether two JSON texts differ for a reader; nil is null.
func differs(a, b []byte) (bool, error) {
	switch {
	case bytes.Equal(a, b):
		return false, nil
	case a == nil || b == nil:
		return true, nil
	case isNumber(a) && isNumber(b):
		return numbersDiffer(string(a), string(b))
	}
	return documentsDiffer(a, b)
}

func isNumber(text []byte) bool { return text[0] == '-' || '0' <= text[0] && text[0] <= '9' }

// exactDigits is the number of decimal digits that double precision always keeps.
const exactDigits = 15

// numbersDiffer compares two numbers by value. Where double precision might not tell them apart, the
// engine decides.
func numbersDiffer(a, b string) (bool, error) {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX != nil || errY != nil || len(a) > exactDigits || len(b) > exactDigits:
		return false, errUndecided
	default:
		return x != y, nil
	}
}

// documentsDiffer compares two different texts of values that are not both numbers. In them numbers are
// compared by text: if they alone differ, the engine decides, which may spell them alike.
func documentsDiffer(a, b []byte) (bool, error) {
	left, right := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	left.UseNumber()
	right.UseNumber()
	spelling := false
	for {
		x, errX := left.Token()
		y, errY := right.Token()
		if errX == io.EOF && errY == io.EOF {
			break
		}
		if errX != nil || errY != nil {
			return true, nil // one has more values
		}
		_, numberX := x.(json.Number)
		_, numberY := y.(json.Number)
		switch {
		case x == y:
		case numberX && numberY:
			spelling = true
		default:
			return true, nil
		}
	}
	if spelling {
		return false, errUndecided
	}
	return false, nil
}
