package session

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/pgerr"
)

// SetParameter is what SET and set_config do.
func (s *Session) SetParameter(ctx context.Context, name, value string, local bool) error {
	asOf := strings.EqualFold(name, settings.AsOf)
	if asOf && s.Fixed != nil {
		return pgerr.New(pgerr.CantChangeRuntimeParam, "the session is pinned to %s by the name of its database", s.Fixed).
			WithHint("Connect to %q to choose points freely.", s.DB.Name)
	}
	if isIdentity(name) {
		return s.setIdentity(name, value, local)
	}
	if err := s.Settings.CheckRole(name, s.IsSuperuser()); err != nil {
		return err
	}
	if isReadAfter(name) {
		if err := s.readAfter(ctx, value); err != nil {
			return err
		}
	}
	if asOf {
		var err error
		if value, err = settings.FixPoint(value, s.TimeInput(), s.Zone()); err != nil {
			return err
		}
		if err := s.checkTag(ctx, value); err != nil {
			return err
		}
	}
	if err := s.Settings.Set(name, value, local); err != nil {
		return err
	}
	return s.FollowZone(ctx)
}

// SetParameterDefault is what SET ... TO DEFAULT and RESET do.
func (s *Session) SetParameterDefault(ctx context.Context, name string, local bool) error {
	if isIdentity(name) {
		return s.resetIdentity(name, local)
	}
	if err := s.Settings.CheckRole(name, s.IsSuperuser()); err != nil {
		return err
	}
	if err := s.Settings.SetDefault(name, local); err != nil {
		return err
	}
	return s.FollowZone(ctx)
}
