package gateway

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// A custom setting is one with a dot in its name, which is nobody's. It is there, and
// empty, from the first attempt to change it on, whatever becomes of the transaction
// (PostgreSQL manual, 20.16). ontosql.* are ours.

// customName are the names that PostgreSQL lets them have (valid_custom_variable_name).
var customName = regexp.MustCompile(`^[A-Za-z_\x{80}-\x{10ffff}][\w$\x{80}-\x{10ffff}]*(\.[A-Za-z_\x{80}-\x{10ffff}][\w$\x{80}-\x{10ffff}]*)+$`)

// admit is the error of changing a setting of a name that nothing is known of.
func (s *settings) admit(key, name string) error {
	switch {
	case s.custom[key]:
		return nil
	case !strings.Contains(key, "."), strings.HasPrefix(key, "ontosql."):
		return unrecognized(name)
	case !customName.MatchString(name):
		return pgerr.New("42602", "invalid configuration parameter name %q", name).
			WithDetail("Custom parameter names must be two or more simple identifiers separated by dots.")
	}
	return nil
}

// changeable makes a custom setting be there, and is the error of a setting that cannot be
// changed.
func (s *settings) changeable(key, name string) error {
	switch d := s.known[key]; {
	case d == nil:
		if err := s.admit(key, name); err != nil {
			return err
		}
		s.custom[key] = true
	case d.fixed:
		return d.refusal()
	}
	return nil
}

// others are the custom settings.
func (s *settings) others() []string {
	keys := slices.Collect(maps.Keys(s.custom))
	for key := range s.start {
		if s.known[key] == nil {
			keys = append(keys, key)
		}
	}
	return keys
}
