package settings

import (
	"math"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// oneOf makes the check of a parameter whose value is one of some words, in any case.
func oneOf(name string, words ...string) func(string) (string, error) {
	return func(v string) (string, error) {
		for _, w := range words {
			if strings.EqualFold(v, w) {
				return w, nil
			}
		}
		e := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
		if len(words) == 1 {
			return "", e.WithHint("Only %s is supported.", words[0])
		}
		return "", e.WithHint("Available values: %s.", strings.Join(words, ", "))
	}
}

func nameList(name string) func(string) (string, error) {
	return func(v string) (string, error) {
		if _, ok := str.NameList(v); !ok {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"%s\": \"%s\"", name, v).WithDetail("List syntax is invalid.")
		}
		return v, nil
	}
}

// tableAccessMethod accepts heap, which pg_dump sets.
func tableAccessMethod(v string) (string, error) {
	if v != "heap" {
		return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", "default_table_access_method", v).
			WithDetail("Table access method %q does not exist.", v)
	}
	return v, nil
}

func boolean(name string) func(string) (string, error) {
	return func(v string) (string, error) {
		b, ok := ParseBool(v)
		if !ok {
			return "", pgerr.New(pgerr.InvalidParameterValue, "parameter %q requires a Boolean value", name)
		}
		return OnOff(b), nil
	}
}

// ParseBool reads a boolean as PostgreSQL does: unique prefixes of the words.
func ParseBool(v string) (value, ok bool) {
	v = strings.ToLower(strings.TrimSpace(v))
	if v == "" {
		return false, false
	}
	for _, w := range []struct {
		word  string
		least int
		value bool
	}{{"true", 1, true}, {"yes", 1, true}, {"on", 2, true}, {"1", 1, true}, {"false", 1, false}, {"no", 1, false}, {"off", 2, false}, {"0", 1, false}} {
		if len(v) >= w.least && strings.HasPrefix(w.word, v) {
			return w.value, true
		}
	}
	return false, false
}

func OnOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func integer(name string, low, high int) func(string) (string, error) {
	return func(v string) (string, error) {
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
		}
		if n < low || n > high {
			return "", pgerr.New(pgerr.InvalidParameterValue, "%d is outside the valid range for parameter %q (%d .. %d)", n, name, low, high)
		}
		return strconv.Itoa(n), nil
	}
}

// encoding is check_client_encoding of PostgreSQL.
func encoding(v string) (string, error) {
	name, _, translated := charset.Find(v)
	refused := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"client_encoding\": \"%s\"", v)
	switch {
	case name == "":
		return "", refused
	case !translated:
		refused.Code = pgerr.FeatureNotSupported
		return "", refused.WithDetail("Conversion between %s and UTF8 is not supported.", name)
	case v == "UNICODE": // some drivers want to read what they wrote
		return v, nil
	}
	return name, nil
}

// dateStyle reads an output style and an order of fields. The last of each counts; one
// that is missing stays as in now (PostgreSQL manual, 8.5.2).
func dateStyle(v, now string) (string, error) {
	style, order, _ := strings.Cut(now, ", ")
	for word := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch strings.ToUpper(word) {
		case "ISO":
			style = "ISO"
		case "SQL":
			style = "SQL"
		case "POSTGRES":
			style = "Postgres"
		case "GERMAN":
			style, order = "German", "DMY"
		case "MDY", "US", "NONEURO", "NONEUROPEAN":
			order = "MDY"
		case "DMY", "EURO", "EUROPEAN":
			order = "DMY"
		case "YMD":
			order = "YMD"
		case "DEFAULT":
		default:
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"DateStyle\": %q", v).
				WithDetail("Unrecognized key word: %q.", word)
		}
	}
	return style + ", " + order, nil
}

func isolation(name string) func(string) (string, error) {
	return oneOf(name, "serializable", "repeatable read", "read committed", "read uncommitted")
}

// cost accepts a number that is not negative.
func cost(name string) func(string) (string, error) { return number(name, 0, math.MaxFloat64) }

func number(name string, low, high float64) func(string) (string, error) {
	return func(v string) (string, error) {
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || math.IsNaN(n) {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
		}
		if n < low || n > high {
			return "", pgerr.New(pgerr.InvalidParameterValue, "%g is outside the valid range for parameter %q (%g .. %.6g)", n, name, low, high)
		}
		return strconv.FormatFloat(n, 'g', -1, 64), nil
	}
}
