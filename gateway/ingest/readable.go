package ingest

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// AllReadable reports whether all rows are certain to be readable: no column is NULL because
// the stored value is not one of the column's type (decision A17). Of rows for which it
// returns false, the engine has to count such Values.
func AllReadable(t *catalog.Type, rows []format.Row) bool {
	for i := range rows {
		if !readable(t, &rows[i]) {
			return false
		}
	}
	return true
}

// readable is AllReadable for one row.
func readable(t *catalog.Type, r *format.Row) bool {
	plain := plainNumbers(r.Fields) && !t.Moved(r.SchemaVersionID)
	err := format.EachMember(r.Fields, func(name, value format.Span) {
		field := r.Fields[name.From:name.To]
		plain = plain && bytes.IndexByte(field, '\\') < 0 // the escaped name may be that of any column
		for i := range t.Columns {
			if c := &t.Columns[i]; plain && c.Role == catalog.FromField && string(field) == c.Field {
				plain = readableValue(r.Fields[value.From:value.To], c.Type)
			}
		}
	})
	return plain && err == nil && readableKeys(t, r)
}

// readableKeys is readable for the columns of the identity.
func readableKeys(t *catalog.Type, r *format.Row) bool {
	for _, k := range t.Key {
		c := &t.Columns[k]
		text := r.Key
		switch c.Role {
		case catalog.FromLeftKey:
			text = r.Left
		case catalog.FromRightKey:
			text = r.Right
		case catalog.FromInstanceKey:
			text = r.Instance
		}
		switch c.Type.Kind {
		case column.Text:
		case column.Int64:
			if n, err := strconv.ParseInt(text, 10, 64); err != nil || strconv.FormatInt(n, 10) != text {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Numbers of at most so many bytes are read alike by every reader of JSON: as integers, and
// at all.
const (
	maxIntLength    = 15
	maxNumberLength = 32
)

// readableValue reports whether a JSON value is certain to be one of a column's type.
func readableValue(v []byte, t column.Type) bool {
	if string(v) == "null" {
		return true
	}
	switch t.Kind {
	case column.Text, column.JSON:
		return true // every value has a text
	case column.Bool:
		return string(v) == "true" || string(v) == "false"
	case column.Int64:
		return len(v) <= maxIntLength && isNumber(v) && !bytes.ContainsAny(v, ".eE")
	case column.Float64:
		return isNumber(v)
	}
	if v[0] != '"' || bytes.IndexByte(v, '\\') >= 0 {
		return false
	}
	return readableText(string(v[1:len(v)-1]), t)
}

// readableText is readableValue for a text in one of the forms of decision A17.
func readableText(text string, t column.Type) bool {
	switch t.Kind {
	case column.Date:
		day, err := time.Parse(time.DateOnly, text)
		return err == nil && day.Year() > 0
	case column.TimestampTZ:
		at, err := time.Parse("2006-01-02T15:04:05.000000+00:00", text)
		return err == nil && at.Year() > 0
	case column.UUID:
		return isUUID(text)
	case column.Bytes:
		_, err := base64.StdEncoding.Strict().DecodeString(text)
		return err == nil
	}
	return false
}

func isNumber(v []byte) bool { return v[0] == '-' || '0' <= v[0] && v[0] <= '9' }

// isUUID reports whether a text is a UUID in lower case.
func isUUID(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c < '0' || c > '9' && c < 'a' || c > 'f':
			return false
		}
	}
	return len(text) == 36
}

// plainNumbers reports whether all numbers of a canonical JSON text are read alike by every
// reader: none is long or has a large exponent.
func plainNumbers(text []byte) bool {
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '"':
			at = stringEnd(text, at)
		case c == '-' || '0' <= c && c <= '9':
			start := at
			for at < len(text) && bytes.IndexByte([]byte("+-.eE0123456789"), text[at]) >= 0 {
				at++
			}
			number := text[start:at]
			e := bytes.IndexAny(number, "eE")
			if len(number) > maxNumberLength || e >= 0 && len(number)-e > len("e-99") {
				return false
			}
		default:
			at++
		}
	}
	return true
}

// stringEnd is the offset behind the JSON string that begins at an offset.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(text))
}
