package settings

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// A custom parameter has a dot in its name and no definition. The first attempt to set it
// creates it, with an empty value, even if the transaction rolls back (PostgreSQL manual,
// 20.16). Names that begin with ontosql. are reserved for defined parameters.

// customName matches the names that custom parameters may have
// (valid_custom_variable_name of PostgreSQL).
var customName = regexp.MustCompile(`^[A-Za-z_\x{80}-\x{10ffff}][\w$\x{80}-\x{10ffff}]*(\.[A-Za-z_\x{80}-\x{10ffff}][\w$\x{80}-\x{10ffff}]*)+$`)

// checkName is the error of setting a parameter that has no definition.
func (s *Values) checkName(key, name string) error {
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

// changeable returns the error of setting a parameter that clients cannot set, and
// creates a custom parameter.
func (s *Values) changeable(key, name string) error {
	switch d := known[key]; {
	case d == nil:
		if err := s.checkName(key, name); err != nil {
			return err
		}
		s.custom[key] = true
	case d.fixed:
		return d.refusal()
	}
	return nil
}

// customNames are the names of the custom parameters, in lower case.
func (s *Values) customNames() []string {
	keys := slices.Collect(maps.Keys(s.custom))
	for key := range s.start {
		if known[key] == nil {
			keys = append(keys, key)
		}
	}
	return keys
}
