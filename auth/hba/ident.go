package hba

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Maps are the user name maps of a file in the form of pg_ident.conf, immutable after ParseMaps.
// nil has none.
type Maps map[string][]mapping

// mapping is a line: system may come in as user.
type mapping struct {
	system  string
	pattern *regexp.Regexp // instead of system, if its field begins with a slash
	user    string         // with a pattern \1 is what its first group matched
}

// ParseMaps reads the text of a file of lines "map system-name user". The error joins a
// *LineError for each line that cannot be read; path is their Path.
func ParseMaps(path, text string) (Maps, error) {
	lines, err := readLines(path, text)
	problems := []error{err}
	maps := Maps{}
	for _, l := range lines {
		m, err := parseMapping(l.fields)
		if err != nil {
			problems = append(problems, &LineError{path, l.number, err})
			continue
		}
		name := l.fields[0][0].text
		maps[name] = append(maps[name], m)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return maps, nil
}

func parseMapping(fields [][]token) (mapping, error) {
	if len(fields) < 3 {
		return mapping{}, errors.New("missing entry at end of line")
	}
	if len(fields) > 3 {
		return mapping{}, errors.New("want a map, a system name and a user, and nothing after them")
	}
	for _, f := range fields {
		if len(f) > 1 {
			return mapping{}, errors.New("multiple values in ident field")
		}
	}
	m := mapping{system: fields[1][0].text, user: fields[2][0].text}
	pattern, ok := strings.CutPrefix(m.system, "/")
	if !ok {
		return m, nil
	}
	var err error
	if m.pattern, err = regexp.Compile(pattern); err != nil {
		return m, fmt.Errorf("invalid regular expression %q: %w", pattern, err)
	}
	if strings.Contains(m.user, `\1`) && m.pattern.NumSubexp() == 0 {
		return m, fmt.Errorf(`regular expression %q has no subexpressions as requested by backreference in %q`, pattern, m.user)
	}
	return m, nil
}

// Allows reports whether who is named so in a certificate may come in as the user, by a map; by
// the map "" only as the user of the same name.
func (m Maps) Allows(name, system, user string) bool {
	if name == "" {
		return system == user
	}
	for _, line := range m[name] {
		if user != "" && line.maps(system) == user {
			return true
		}
	}
	return false
}

// maps is the user that the line gives a system name, "" if none.
func (m mapping) maps(system string) string {
	if m.pattern == nil {
		if m.system == system {
			return m.user
		}
		return ""
	}
	groups := m.pattern.FindStringSubmatch(system)
	if groups == nil {
		return ""
	}
	if len(groups) > 1 {
		return strings.Replace(m.user, `\1`, groups[1], 1)
	}
	return m.user
}
