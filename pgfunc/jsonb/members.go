package jsonb

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// jsonTextFunctions take parts of a json out as they are written, blanks included; of
// members with one name the last is found, and all are listed.
var jsonTextFunctions = []fmgr.Function{
	{Name: "ontosql_json_member", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: ofReadable(func(a []fmgr.Value) (fmgr.Value, error) {
		return member(a[0].Text, a[1].Text), nil
	})},
	// a document and a place, which counts from 0, or from the end if it is negative
	{Name: "ontosql_json_element", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: ofReadable(func(a []fmgr.Value) (fmgr.Value, error) {
		return element(a[0].Text, a[1].Int), nil
	})},
	{Name: "ontosql_json_follow", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts}, Result: fmgr.Text, New: ofReadable(func(a []fmgr.Value) (fmgr.Value, error) {
		at := fmgr.TextValue(strings.Trim(a[0].Text, jsonBlanks))
		for _, step := range a[1].List {
			switch {
			case at.Null || step.Null:
				return fmgr.Null, nil
			case strings.HasPrefix(at.Text, "["):
				place, err := strconv.ParseInt(strings.TrimLeft(step.Text, " \t\n\v\f\r"), 10, 32)
				if err != nil {
					return fmgr.Null, nil //nolint:nilerr // what is no number is found nowhere
				}
				at = element(at.Text, place)
			default:
				at = member(at.Text, step.Text)
			}
		}
		return at, nil
	})},
	{Name: "ontosql_json_elements", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Texts, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.Value{List: elements(a[0].Text)}, nil
	})},
	// lists of a name and a value
	{Name: "ontosql_json_members", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Rows, New: ofReadable(func(a []fmgr.Value) (fmgr.Value, error) {
		names, values := members(a[0].Text)
		var rows []fmgr.Value
		for i := range names {
			rows = append(rows, fmgr.Value{List: []fmgr.Value{fmgr.TextValue(names[i]), values[i]}})
		}
		return fmgr.Value{List: rows}, nil
	})},
}

// ofReadable is plain for a function of a document, whose strings PostgreSQL makes texts
// of: NUL is in none.
func ofReadable(c fmgr.Call) func() fmgr.Call {
	return fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if strings.Contains(a[0].Text, `\u0000`) {
			if err := SyntaxError(a[0].Text, true); err != nil {
				return fmgr.Null, err
			}
		}
		return c(a)
	})
}

const jsonBlanks = " \t\n\r"

// members are those of an object, in their order.
func members(doc string) (names []string, values []fmgr.Value) {
	doc = strings.Trim(doc, jsonBlanks)
	if !strings.HasPrefix(doc, "{") {
		return nil, nil
	}
	j := &Printer{src: []byte(doc)}
	j.collect()
	for _, m := range j.members {
		names = append(names, string(j.key(m)))
		values = append(values, j.written(m.start))
	}
	return names, values
}

func member(doc, name string) fmgr.Value {
	names, values := members(doc)
	for i := len(names) - 1; i >= 0; i-- {
		if names[i] == name {
			return values[i]
		}
	}
	return fmgr.Null
}

// elements are those of an array.
func elements(doc string) (values []fmgr.Value) {
	j := &Printer{src: []byte(strings.Trim(doc, jsonBlanks))}
	if !j.take('[') || j.take(']') {
		return nil
	}
	for {
		values = append(values, j.written(j.at))
		if !j.take(',') {
			return values
		}
	}
}

func element(doc string, place int64) fmgr.Value {
	all := elements(doc)
	if place < 0 {
		place += int64(len(all))
	}
	if place < 0 || place >= int64(len(all)) {
		return fmgr.Null
	}
	return all[place]
}

// written is the value that begins at a place, as it is written.
func (j *Printer) written(start int) fmgr.Value {
	j.at = start
	j.skip()
	return fmgr.TextValue(string(bytes.Trim(j.src[start:j.at], jsonBlanks)))
}
