package session

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// StoredSetting is what the SET or RESET of ALTER ROLE and ALTER DATABASE asks for: a value for later
// sessions.
type StoredSetting struct {
	Name  string // as SHOW prints it
	Value string
	Reset bool
	All   bool // RESET ALL
}

// StoredSetting reads a SET or RESET and checks it as SET does. current says that it is SET ... FROM
// CURRENT.
func (s *Session) StoredSetting(set *syntax.Statement, current bool) (stored StoredSetting, err error) {
	switch {
	case set.Modes != (syntax.Modes{}):
		return stored, pgerr.New(pgerr.UndefinedObject, "unrecognized configuration parameter %q", "TRANSACTION")
	case set.All:
		return StoredSetting{All: true}, nil
	}
	stored.Name = set.Name
	if d := s.Settings.Find(set.Name); d != nil {
		stored.Name = d.Name
	}
	if err := s.Settings.CheckRole(stored.Name, s.IsSuperuser()); err != nil {
		return stored, err
	}
	value := s.Settings.Value(stored.Name) // of FROM CURRENT; any good one to be removed
	if set.Values != nil {
		if value, err = s.Settings.Join(stored.Name, set.Values); err != nil {
			return stored, err
		}
	}
	stored.Reset = set.Values == nil && !current
	stored.Value = value // as it was written; each session reads it anew
	_, err = s.Settings.Check(stored.Name, value)
	return stored, err
}
