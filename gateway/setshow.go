package gateway

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// setCommand answers SET, SET LOCAL, SET TIME ZONE, SET TRANSACTION and SET
// SESSION CHARACTERISTICS.
func (s *Session) setCommand(ctx context.Context, st *syntax.Statement) error {
	if st.Modes != (syntax.Modes{}) {
		if !st.Modes.Session {
			if !s.tx.block() {
				s.notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "SET TRANSACTION can only be used in transaction blocks"))
			}
			return s.transactionModes(st)
		}
		return s.sessionModes(st)
	}
	if strings.EqualFold(st.Name, "TRANSACTION SNAPSHOT") {
		return s.importSnapshot(ctx, st)
	}
	if st.Local && !s.tx.block() {
		s.notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "SET LOCAL can only be used in transaction blocks"))
	}
	if st.Values == nil {
		return s.setDefault(ctx, st.Name, st.Local)
	}
	value, err := s.settings.Join(st.Name, st.Values)
	if err != nil {
		return err
	}
	return s.set(ctx, st.Name, value, st.Local)
}

// set is what SET and set_config do.
func (s *Session) set(ctx context.Context, name, value string, local bool) error {
	asOf := strings.EqualFold(name, settings.AsOf)
	if asOf && s.Fixed != nil {
		return pgerr.New(pgerr.CantChangeRuntimeParam, "the session is pinned to %s by the name of its database", s.Fixed).
			WithHint("Connect to %q to choose points freely.", s.db.Name)
	}
	if isIdentity(name) {
		return s.setIdentity(name, value)
	}
	if isReadAfter(name) {
		if err := s.readAfter(ctx, value); err != nil {
			return err
		}
	}
	if asOf {
		var err error
		if value, err = settings.FixPoint(value, s.timeInput(), s.Zone()); err != nil {
			return err
		}
	}
	if err := s.settings.Set(name, value, local); err != nil {
		return err
	}
	return s.followZone(ctx)
}

// setDefault is what SET ... TO DEFAULT and RESET do.
func (s *Session) setDefault(ctx context.Context, name string, local bool) error {
	if isIdentity(name) {
		return nil
	}
	if err := s.settings.SetDefault(name, local); err != nil {
		return err
	}
	return s.followZone(ctx)
}

// isIdentity reports whether a setting says whose the session is.
func isIdentity(name string) bool {
	return strings.EqualFold(name, "role") || strings.EqualFold(name, "session_authorization")
}

// setIdentity answers SET ROLE and SET SESSION AUTHORIZATION: a session is its user's
// throughout.
func (s *Session) setIdentity(name, value string) error {
	role := strings.EqualFold(name, "role")
	switch {
	case value == s.start.User, role && strings.EqualFold(value, "none"):
		return nil
	case role:
		return pgerr.New(pgerr.InvalidParameterValue, "role %q does not exist", value)
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to set session authorization %q", value)
}

func (s *Session) sessionModes(st *syntax.Statement) error {
	if st.Modes.Isolation != "" {
		if err := s.settings.Set("default_transaction_isolation", st.Modes.Isolation, false); err != nil {
			return err
		}
	}
	if st.Modes.Deferrable != nil {
		if err := s.settings.Set("default_transaction_deferrable", settings.OnOff(*st.Modes.Deferrable), false); err != nil {
			return err
		}
	}
	if st.Modes.ReadOnly != nil {
		return s.settings.Set("default_transaction_read_only", settings.OnOff(*st.Modes.ReadOnly), false)
	}
	return nil
}

// resetCommand answers RESET.
func (s *Session) resetCommand(ctx context.Context, st *syntax.Statement) error {
	if st.All {
		return s.resetAll(ctx)
	}
	return s.setDefault(ctx, st.Name, st.Local)
}

func (s *Session) resetAll(ctx context.Context) error {
	if err := s.settings.Reset(""); err != nil {
		return err
	}
	return s.followZone(ctx)
}

// describeShow finds the columns of SHOW.
func (p *statement) describeShow() error {
	if p.st.All {
		p.columns = textColumns("name", "setting", "description")
		return nil
	}
	if _, ok := p.session.settings.Get(p.st.Name); !ok {
		return settings.Unreadable(p.st.Name)
	}
	name := strings.ToLower(p.st.Name)
	if d := p.session.settings.Find(name); d != nil {
		name = d.Name
	}
	p.columns = textColumns(name)
	return nil
}

// show answers SHOW.
func (s *Session) show(st *syntax.Statement) (rows, error) {
	if !st.All {
		return textRows(1, [][]string{{s.settings.Value(st.Name)}}), nil
	}
	var lines [][]string
	for _, d := range s.settings.Parameters() {
		lines = append(lines, []string{d.Name, s.settings.Value(d.Name), d.About})
	}
	return textRows(3, lines), nil
}
