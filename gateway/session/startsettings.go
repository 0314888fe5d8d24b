package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
)

// startSettings takes over what ALTER ROLE and ALTER DATABASE have set, then the startup parameters that are
// settings, then the "options" in their order (PostgreSQL manual, 20.1.4).
func (s *Session) startSettings() error {
	if err := s.startStoredSettings(); err != nil {
		return err
	}
	for name, value := range s.Start.Params {
		if err := s.setGiven(name, value); err != nil {
			return err
		}
	}
	for _, o := range s.Start.Options {
		if err := s.setGiven(o.Name, o.Value); err != nil {
			return err
		}
	}
	s.FollowIdentity()
	return s.startPoint()
}

// setGiven is setStart of a parameter that the client gives.
func (s *Session) setGiven(name, value string) error {
	if err := s.Settings.CheckRole(name, s.Roles().IsSuperuser(s.Start.User)); err != nil {
		return err
	}
	return s.setStart(name, value)
}

// setStart sets a parameter to what RESET returns to.
func (s *Session) setStart(name, value string) error {
	if isIdentity(name) {
		if err := s.checkIdentity(name, value); err != nil {
			return err
		}
	}
	return s.Settings.SetStart(name, value)
}

// startStoredSettings takes over the settings of all roles, of the database, of the user, and of the user in
// the database, in this order: a later one wins. One that cannot be set, because another version of the
// program did or because it was written past it, is a warning, as in PostgreSQL.
func (s *Session) startStoredSettings() error {
	given, err := s.DB.StartSettings()
	if err != nil {
		return fmt.Errorf("read the settings of the database: %w", err)
	}
	r, user, db := s.Roles(), s.Start.User, s.DB.Name
	list := r.Settings(roles.Scope{})
	for _, name := range slices.Sorted(maps.Keys(given)) {
		list = append(list, roles.Setting{Name: name, Value: given[name]})
	}
	for _, scope := range []roles.Scope{{Database: db}, {Role: user}, {Role: user, Database: db}} {
		list = append(list, r.Settings(scope)...)
	}
	for _, one := range list {
		if err := s.setStart(one.Name, one.Value); err != nil {
			ignored := *sqlstate.Of(context.Background(), s.Log, err)
			ignored.Severity = "WARNING"
			s.Notice(&ignored)
		}
	}
	return nil
}

// startPoint resolves the point of the startup parameters with the other parameters, such as
// TimeZone.
func (s *Session) startPoint() error {
	given := s.Settings.Value(settings.AsOf)
	now := func() time.Time { return time.Now().In(s.Zone()) }
	point, err := settings.FixPoint(given, s.Settings.TimeInput(now), s.Zone())
	if err != nil || point == given {
		return err
	}
	return s.Settings.SetStart(settings.AsOf, point)
}
