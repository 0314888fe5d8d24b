package gateway

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// A setting is one run-time parameter (PostgreSQL manual, chapter 20) as this
// gateway knows it.
type setting struct {
	name     string // as SHOW prints it
	boot     string
	unit     string
	about    string
	reported bool // changes are sent as ParameterStatus
	fixed    bool // cannot be changed: 55P02
	list     bool // SET takes several values
	names    bool // which are names, and quoted where they need it
	// check normalises a new value or refuses it; nil takes any text.
	check func(value string) (string, error)
}

// refusal is the error of changing a fixed setting, which PostgreSQL's could be when.
func (d *setting) refusal() error {
	when := ""
	switch pgcatalog.Setting(d.name)["context"] {
	case "postmaster":
		when = " without restarting the server"
	case "sighup":
		when = " now"
	}
	return pgerr.New(pgerr.CantChangeRuntimeParam, "parameter %q cannot be changed%s", d.name, when)
}

// settings are the values of one session. SET in a transaction that rolls back
// is undone, SET LOCAL ends with the transaction.
type settings struct {
	known   map[string]*setting // by lower-case name
	values  map[string]string   // session values that differ from boot or start values; never changed, but replaced
	start   map[string]string   // what RESET returns to
	before  map[string]string   // session values when the transaction began, nil outside
	local   map[string]string   // SET LOCAL
	custom  map[string]bool     // custom settings that are there
	touched bool                // a value was given in the transaction
	styled  string              // styles, "" until they are asked for again
	changed func(name, value string)
}

// newSettings makes the settings of a session whose fixed facts (user,
// database version and so on) are given by name. changed is called with every
// reported setting that gets another value.
func newSettings(fixed map[string]string, changed func(name, value string)) *settings {
	s := &settings{
		known:  map[string]*setting{},
		values: map[string]string{},
		start:  map[string]string{},
		local:  map[string]string{},
		custom: map[string]bool{},
	}
	for _, d := range slices.Concat(catalogue, withoutEffect, fixedFacts) {
		if v, ok := fixed[d.name]; ok {
			d.boot = v
		}
		s.known[strings.ToLower(d.name)] = &d
	}
	s.changed = changed
	return s
}

// get is the value in force; ok is false for a name that does not exist.
func (s *settings) get(name string) (value string, ok bool) {
	key := strings.ToLower(name)
	if v, ok := s.local[key]; ok {
		return v, true
	}
	if rest, ok := strings.CutPrefix(key, "transaction_"); ok {
		return s.get("default_transaction_" + rest) // a transaction that nobody began has the default modes
	}
	if v, ok := s.values[key]; ok {
		return v, true
	}
	if v, ok := s.start[key]; ok {
		return v, true
	}
	if d := s.known[key]; d != nil {
		return d.boot, true
	}
	return "", s.custom[key]
}

// value is get for a name of the catalogue.
func (s *settings) value(name string) string {
	v, _ := s.get(name)
	return v
}

// joined is the one value that SET's values are.
func (s *settings) joined(name string, values []string) (string, error) {
	d := s.known[strings.ToLower(name)]
	if d != nil && d.names {
		values = slices.Clone(values)
		for i, v := range values {
			values[i] = pgfunc.QuoteIdent(v)
		}
	}
	if len(values) > 1 && (d == nil || !d.list) {
		return "", pgerr.New(pgerr.InvalidParameterValue, "SET %s takes only one argument", name)
	}
	return strings.Join(values, ", "), nil
}

// set changes a value for the session or, when local or a mode of the transaction,
// for the transaction.
func (s *settings) set(name, value string, local bool) error {
	key := strings.ToLower(name)
	value, err := s.accept(key, name, value)
	if err != nil {
		return err
	}
	if err := s.changeable(key, name); err != nil {
		return err
	}
	old, _ := s.get(key)
	if local || strings.HasPrefix(key, "transaction_") {
		s.local[key] = value
	} else {
		delete(s.local, key)
		s.values = maps.Clone(s.values)
		s.values[key] = value
	}
	s.report(key, old)
	return nil
}

// setStart gives a value that the connection started with.
func (s *settings) setStart(name, value string) error {
	key := strings.ToLower(name)
	value, err := s.accept(key, name, value)
	if err != nil {
		return err
	}
	s.start[key], s.styled = value, ""
	return nil
}

// tell gives a fixed setting of the catalogue the value it shows from now on, whatever
// becomes of the transaction.
func (s *settings) tell(name, value string) {
	d := s.known[name]
	old := d.boot
	d.boot = value
	s.inform(d, old)
}

// accept checks a value.
func (s *settings) accept(key, name, value string) (string, error) {
	d := s.known[key]
	switch {
	case d == nil:
		return value, s.admit(key, name)
	case d.fixed:
		return "", d.refusal()
	case key == "datestyle":
		return dateStyle(value, s.value(key))
	case d.check == nil:
		return value, nil
	}
	return d.check(value)
}

// setDefault is SET [LOCAL] name = DEFAULT.
func (s *settings) setDefault(name string, local bool) error {
	if !local {
		return s.reset(name)
	}
	key := strings.ToLower(name)
	if err := s.changeable(key, name); err != nil {
		return err
	}
	old, _ := s.get(key)
	s.local[key] = s.initial(key)
	s.report(key, old)
	return nil
}

// initial is what the session started with, "" for a custom setting that it had not.
func (s *settings) initial(key string) string {
	if v, ok := s.start[key]; ok {
		return v
	}
	if d := s.known[key]; d != nil {
		return d.boot
	}
	return ""
}

// reset returns name to what the session started with, or all of them for "".
func (s *settings) reset(name string) error {
	key := strings.ToLower(name)
	if key == "" {
		changed := maps.Clone(s.values)
		maps.Copy(changed, s.local)
		for _, k := range slices.Sorted(maps.Keys(changed)) {
			if err := s.reset(k); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.changeable(key, name); err != nil {
		return err
	}
	old, _ := s.get(key)
	delete(s.local, key)
	s.values = maps.Clone(s.values)
	delete(s.values, key)
	s.report(key, old)
	return nil
}

// report is told that a setting was given a value.
func (s *settings) report(key, old string) {
	s.touched, s.styled = true, ""
	if d := s.known[key]; d != nil {
		s.inform(d, old)
	}
}

// inform tells the client of a setting that it is told of, if its value is another one.
func (s *settings) inform(d *setting, old string) {
	if !d.reported {
		return
	}
	if now := s.value(d.name); now != old {
		s.changed(d.name, now)
	}
}

// enter remembers the values for a rollback, at the first statement of a
// transaction.
func (s *settings) enter() {
	if s.before == nil {
		s.before, s.touched = s.values, false
	}
}

// end finishes the transaction that enter began.
func (s *settings) end(committed bool) {
	if s.before != nil && s.touched {
		s.reporting(func() {
			if !committed {
				s.values = s.before
			}
			clear(s.local)
		})
	}
	s.before = nil
}

// abort gives the settings, when a transaction has failed, the values from before it, or
// of its last savepoint. Its modes stay: ROLLBACK AND CHAIN asks for them.
func (s *settings) abort(savepoint *settingsMark) {
	if savepoint != nil {
		s.backTo(*savepoint)
		return
	}
	s.reporting(func() {
		s.values = s.before
		maps.DeleteFunc(s.local, func(key, _ string) bool { return !strings.HasPrefix(key, "transaction_") })
	})
}

// settingsMark are the values in force at a savepoint.
type settingsMark struct{ values, local map[string]string }

func (s *settings) mark() settingsMark {
	return settingsMark{s.values, maps.Clone(s.local)}
}

// backTo gives the settings the values they had. The mark may be used again.
func (s *settings) backTo(m settingsMark) {
	s.reporting(func() { s.values, s.local = m.values, maps.Clone(m.local) })
}

// readOnlyAsIn gives the transaction the mode that it had at a savepoint.
func (s *settings) readOnlyAsIn(m settingsMark) {
	if v, ok := m.local["transaction_read_only"]; ok {
		s.local["transaction_read_only"] = v
		return
	}
	delete(s.local, "transaction_read_only")
}

// reporting reports what a change of many settings did to those that clients are
// told of.
func (s *settings) reporting(change func()) {
	touched := map[string]string{}
	for key, d := range s.known {
		if d.reported {
			touched[key], _ = s.get(key)
		}
	}
	change()
	s.styled = ""
	for key, old := range touched {
		s.report(key, old)
	}
}

// find is the definition of a setting, nil for a custom setting or an unknown name.
func (s *settings) find(name string) *setting { return s.known[strings.ToLower(name)] }

// all lists every setting by name, for SHOW ALL and pg_settings.
func (s *settings) all() []*setting {
	list := make([]*setting, 0, len(s.known))
	for _, d := range s.known {
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool {
		return strings.ToLower(list[i].name) < strings.ToLower(list[j].name)
	})
	return list
}

func unrecognized(name string) error {
	return pgerr.New(pgerr.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// unseen is the error of reading a setting that is not there. Where PostgreSQL's own
// files are its superusers alone see: here nobody does, and programs that hear 42501 go on.
func unseen(name string) error {
	switch key := strings.ToLower(name); key {
	case "config_file", "data_directory", "external_pid_file", "hba_file", "ident_file":
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser or have privileges of pg_read_all_settings to examine %q", key)
	}
	return unrecognized(name)
}
