package settings

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// Parameter is the definition of one run-time parameter (PostgreSQL manual, chapter 20).
type Parameter struct {
	Name       string // as SHOW prints it
	boot       string // the value of a session that does not set it
	unit       string // of a bare number, as in pg_settings: ms, s, kB, 8kB
	About      string // the description that SHOW ALL prints
	Reported   bool   // changes are sent as ParameterStatus
	fixed      bool   // cannot be changed: 55P02
	superuser  bool   // only a superuser changes it
	identity   bool   // says who the session acts as; RESET ALL leaves it
	takesList  bool   // SET takes several values
	takesNames bool   // the values of the list are identifiers, quoted where they need it
	// check normalises a new value or returns an error; nil accepts any text.
	check func(value string) (string, error)
}

// CheckRole is the error of a session that changes the parameter: only superusers change some.
func (s *Values) CheckRole(name string, superuser bool) error {
	if d := s.Find(name); d != nil && d.superuser && !superuser {
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to set parameter %q", d.Name)
	}
	return nil
}

// Limit is the value of a parameter that is a limit, 0 for none.
func (s *Values) Limit(name string) int64 {
	n, _ := strconv.ParseInt(s.Value(name), 10, 64) // checked when it was set
	return n
}

// refusal is the error of changing a fixed parameter. Its text says when PostgreSQL
// could change it.
func (d *Parameter) refusal() error {
	when := ""
	switch pgcatalog.Setting(d.Name)["context"] {
	case "postmaster":
		when = " without restarting the server"
	case "sighup":
		when = " now"
	}
	return pgerr.New(pgerr.CantChangeRuntimeParam, "parameter %q cannot be changed%s", d.Name, when)
}

// Values are the parameters of one session and their values. A rolled back transaction
// undoes SET; SET LOCAL ends with the transaction. A Values belongs to the session's
// goroutine.
type Values struct {
	fixed    map[string]string // of fixed parameters that describe the session, in place of their boot
	values   map[string]string // set in the session; the map is replaced, never modified
	start    map[string]string // what RESET returns to
	before   map[string]string // session values when the transaction began, nil outside
	local    map[string]string // SET LOCAL
	custom   map[string]bool   // the custom parameters that exist
	assigned bool              // a value was set in the transaction
	derived  derived
	reported func(name, value string)
}

// derived is what was computed from the values since the last change of one of them.
type derived struct {
	outputKey, planKey string // "" if not yet
	style              *textout.Style
	timeouts           map[string]time.Duration
}

// known are the definitions of all parameters by lower-case name. All sessions share them.
var known = func() map[string]*Parameter {
	all := map[string]*Parameter{}
	for _, d := range slices.Concat(parameters, acceptedParameters, fixedParameters) {
		all[strings.ToLower(d.Name)] = &d
	}
	return all
}()

// New makes the values of a new session. fixed gives the values of fixed parameters that
// describe the session and the server, such as is_superuser, by lower-case names. reported is called with each parameter that is reported to clients (ParameterStatus) and
// gets another value.
func New(fixed map[string]string, reported func(name, value string)) *Values {
	own := map[string]string{}
	maps.Copy(own, fixed)
	return &Values{
		fixed:    own,
		values:   map[string]string{},
		start:    map[string]string{},
		local:    map[string]string{},
		custom:   map[string]bool{},
		reported: reported,
	}
}

// boot is the value of a parameter in a session that does not set it.
func (s *Values) boot(key string, d *Parameter) string {
	if d.fixed {
		if v, ok := s.fixed[key]; ok {
			return v
		}
	}
	return d.boot
}

// Get returns the current value; ok is false for a name that does not exist.
func (s *Values) Get(name string) (value string, ok bool) {
	key := strings.ToLower(name)
	if v, ok := s.local[key]; ok {
		return v, true
	}
	if rest, ok := strings.CutPrefix(key, "transaction_"); ok {
		return s.Get("default_transaction_" + rest) // outside a transaction block the default modes hold
	}
	if v, ok := s.values[key]; ok {
		return v, true
	}
	if v, ok := s.start[key]; ok {
		return v, true
	}
	if d := known[key]; d != nil {
		return s.boot(key, d), true
	}
	return "", s.custom[key]
}

// Value is Get for a name that exists.
func (s *Values) Value(name string) string {
	v, _ := s.Get(name)
	return v
}

// Join makes the values of SET name = value, ... the one value that Set takes. Several
// values for a parameter that takes one are 22023.
func (s *Values) Join(name string, values []string) (string, error) {
	d := known[strings.ToLower(name)]
	if d != nil && d.takesNames {
		values = slices.Clone(values)
		for i, v := range values {
			values[i] = str.QuoteIdent(v)
		}
	}
	if len(values) > 1 && (d == nil || !d.takesList) {
		return "", pgerr.New(pgerr.InvalidParameterValue, "SET %s takes only one argument", name)
	}
	return strings.Join(values, ", "), nil
}

// Set changes a value for the session. It is for the transaction only when local is true
// or the parameter is a mode of the transaction. An unknown name is 42704, a fixed
// parameter 55P02, a bad value mostly 22023.
func (s *Values) Set(name, value string, local bool) error {
	key := strings.ToLower(name)
	value, err := s.Check(name, value)
	if err != nil {
		return err
	}
	if err := s.changeable(key, name); err != nil {
		return err
	}
	old, _ := s.Get(key)
	if local || strings.HasPrefix(key, "transaction_") {
		s.local[key] = value
	} else {
		delete(s.local, key)
		s.values = maps.Clone(s.values)
		s.values[key] = value
	}
	s.changedFrom(key, old)
	return nil
}

// SetStart sets a value from the startup message. RESET returns to it.
func (s *Values) SetStart(name, value string) error {
	key := strings.ToLower(name)
	value, err := s.Check(name, value)
	if err != nil {
		return err
	}
	s.start[key], s.derived = value, derived{}
	return nil
}

// SetFixed changes the value of a parameter that clients cannot set. A rollback does not
// undo it. name is in lower case.
func (s *Values) SetFixed(name, value string) {
	old := s.Value(name)
	s.fixed[name] = value
	s.notify(known[name], old)
}

// Check returns the normalised form of a new value without setting it, or the error that
// Set would return.
func (s *Values) Check(name, value string) (string, error) {
	key := strings.ToLower(name)
	d := known[key]
	switch {
	case d == nil:
		return value, s.checkName(key, name)
	case d.fixed:
		return "", d.refusal()
	case key == "datestyle":
		return dateStyle(value, s.Value(key))
	case d.check == nil:
		return value, nil
	}
	return d.check(value)
}

// SetDefault is SET [LOCAL] name = DEFAULT.
func (s *Values) SetDefault(name string, local bool) error {
	if !local {
		return s.Reset(name)
	}
	key := strings.ToLower(name)
	if err := s.changeable(key, name); err != nil {
		return err
	}
	old, _ := s.Get(key)
	s.local[key] = s.ResetValue(key)
	s.changedFrom(key, old)
	return nil
}

// ResetValue is the value that RESET returns to: that of the startup message, else the
// default, else "".
func (s *Values) ResetValue(name string) string {
	key := strings.ToLower(name)
	if v, ok := s.start[key]; ok {
		return v
	}
	if d := known[key]; d != nil {
		return s.boot(key, d)
	}
	return ""
}

// Reset sets a parameter, or all of them for "", to its ResetValue.
func (s *Values) Reset(name string) error {
	key := strings.ToLower(name)
	if key == "" {
		changed := maps.Clone(s.values)
		maps.Copy(changed, s.local)
		for _, k := range slices.Sorted(maps.Keys(changed)) {
			if d := known[k]; d != nil && d.identity {
				continue
			}
			if err := s.Reset(k); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.changeable(key, name); err != nil {
		return err
	}
	old, _ := s.Get(key)
	delete(s.local, key)
	s.values = maps.Clone(s.values)
	delete(s.values, key)
	s.changedFrom(key, old)
	return nil
}

// changedFrom is called after a parameter was assigned. old is the value before.
func (s *Values) changedFrom(key, old string) {
	s.assigned, s.derived = true, derived{}
	if d := known[key]; d != nil {
		s.notify(d, old)
	}
}

// notify reports a parameter to the client if its value differs from old.
func (s *Values) notify(d *Parameter, old string) {
	if !d.Reported {
		return
	}
	if now := s.Value(d.Name); now != old {
		s.reported(d.Name, now)
	}
}

// BeginTransaction saves the values for a rollback. It is called at each statement; the
// first call in a transaction counts.
func (s *Values) BeginTransaction() {
	if s.before == nil {
		s.before, s.assigned = s.values, false
	}
}

// EndTransaction drops the values of SET LOCAL and, unless committed, those of SET.
func (s *Values) EndTransaction(committed bool) {
	if s.before != nil && s.assigned {
		s.notifyAfter(func() {
			if !committed {
				s.values = s.before
			}
			clear(s.local)
		})
	}
	s.before = nil
}

// AbortTransaction restores the values when a transaction has failed: those of its newest
// savepoint, or for nil those from before it. The modes of the transaction stay, because
// ROLLBACK AND CHAIN reads them.
func (s *Values) AbortTransaction(savepoint *Savepoint) {
	if savepoint != nil {
		s.RollbackTo(*savepoint)
		return
	}
	s.notifyAfter(func() {
		s.values = s.before
		maps.DeleteFunc(s.local, func(key, _ string) bool { return !strings.HasPrefix(key, "transaction_") })
	})
}

// Savepoint holds the values at a SAVEPOINT.
type Savepoint struct{ values, local map[string]string }

// Savepoint returns the current values for RollbackTo.
func (s *Values) Savepoint() Savepoint {
	return Savepoint{s.values, maps.Clone(s.local)}
}

// RollbackTo restores the values of a savepoint. The savepoint may be used again.
func (s *Values) RollbackTo(m Savepoint) {
	s.notifyAfter(func() { s.values, s.local = m.values, maps.Clone(m.local) })
}

// RestoreReadOnly restores transaction_read_only alone to its value at a savepoint.
func (s *Values) RestoreReadOnly(m Savepoint) {
	if v, ok := m.local["transaction_read_only"]; ok {
		s.local["transaction_read_only"] = v
		return
	}
	delete(s.local, "transaction_read_only")
}

// notifyAfter makes a change to many parameters and reports those whose value changed.
func (s *Values) notifyAfter(change func()) {
	touched := map[string]string{}
	for key, d := range known {
		if d.Reported {
			touched[key], _ = s.Get(key)
		}
	}
	change()
	s.derived = derived{}
	for key, old := range touched {
		s.changedFrom(key, old)
	}
}

// Find is the definition of a parameter, nil for a custom parameter or an unknown name.
func (s *Values) Find(name string) *Parameter { return known[strings.ToLower(name)] }

// Parameters lists the defined parameters by name, for SHOW ALL and pg_settings.
func (s *Values) Parameters() []*Parameter {
	list := make([]*Parameter, 0, len(known))
	for _, d := range known {
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool {
		return strings.ToLower(list[i].Name) < strings.ToLower(list[j].Name)
	})
	return list
}

// unrecognized is the error of a name that does not exist.
func unrecognized(name string) error {
	return pgerr.New(pgerr.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// Unreadable is the error of SHOW for a name that does not exist. The locations of
// PostgreSQL's own files are 42501, as for a user who is no superuser there; programs
// continue after that error.
func Unreadable(name string) error {
	switch key := strings.ToLower(name); key {
	case "config_file", "data_directory", "external_pid_file", "hba_file", "ident_file":
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser or have privileges of pg_read_all_settings to examine %q", key)
	}
	return unrecognized(name)
}
