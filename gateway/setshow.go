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
			if !s.Tx.Block() {
				s.Notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "SET TRANSACTION can only be used in transaction blocks"))
			}
			return s.transactionModes(st)
		}
		return s.sessionModes(st)
	}
	if strings.EqualFold(st.Name, "TRANSACTION SNAPSHOT") {
		return s.ImportSnapshot(ctx, st)
	}
	if st.Local && !s.Tx.Block() {
		s.Notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "SET LOCAL can only be used in transaction blocks"))
	}
	if st.Values == nil {
		return s.SetParameterDefault(ctx, st.Name, st.Local)
	}
	value, err := s.Settings.Join(st.Name, st.Values)
	if err != nil {
		return err
	}
	return s.SetParameter(ctx, st.Name, value, st.Local)
}

func (s *Session) sessionModes(st *syntax.Statement) error {
	if st.Modes.Isolation != "" {
		if err := s.Settings.Set("default_transaction_isolation", st.Modes.Isolation, false); err != nil {
			return err
		}
	}
	if st.Modes.Deferrable != nil {
		if err := s.Settings.Set("default_transaction_deferrable", settings.OnOff(*st.Modes.Deferrable), false); err != nil {
			return err
		}
	}
	if st.Modes.ReadOnly != nil {
		return s.Settings.Set("default_transaction_read_only", settings.OnOff(*st.Modes.ReadOnly), false)
	}
	return nil
}

// resetCommand answers RESET.
func (s *Session) resetCommand(ctx context.Context, st *syntax.Statement) error {
	if st.All {
		return s.resetAll(ctx)
	}
	return s.SetParameterDefault(ctx, st.Name, st.Local)
}

func (s *Session) resetAll(ctx context.Context) error {
	if err := s.Settings.Reset(""); err != nil {
		return err
	}
	return s.FollowSettings(ctx)
}

// describeShow finds the columns of SHOW.
func (p *statement) describeShow() error {
	if p.st.All {
		p.columns = textColumns("name", "setting", "description")
		return nil
	}
	if _, ok := p.session.Settings.Get(p.st.Name); !ok {
		return settings.Unreadable(p.st.Name)
	}
	name := strings.ToLower(p.st.Name)
	if d := p.session.Settings.Find(name); d != nil {
		name = d.Name
	}
	p.columns = textColumns(name)
	return nil
}

// show answers SHOW.
func (s *Session) show(st *syntax.Statement) (rows, error) {
	if !st.All {
		return textRows(1, [][]string{{s.Settings.Value(st.Name)}}), nil
	}
	var lines [][]string
	for _, d := range s.Settings.Parameters() {
		lines = append(lines, []string{d.Name, s.Settings.Value(d.Name), d.About})
	}
	return textRows(3, lines), nil
}
