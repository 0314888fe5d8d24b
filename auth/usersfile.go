package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/auth/roles"
)

// The lines of a users file (decision A85). "name:verifier" is a role that may log in and has no other
// attribute. A role of any other kind, a membership and the settings of a scope are JSON objects. No
// JSON object reads as the first form, because no verifier follows its first colon.

// roleLine is a role.
type roleLine struct {
	Role            string   `json:"role"`
	Attributes      []string `json:"attributes,omitempty"` // names of attributes
	ConnectionLimit *int     `json:"connection_limit,omitempty"`
	ValidUntil      string   `json:"valid_until,omitempty"`
	Password        string   `json:"password,omitempty"`
}

// memberLine is a membership.
type memberLine struct {
	Member  string `json:"member"`
	Of      string `json:"of"`
	Admin   bool   `json:"admin,omitempty"`
	Grantor string `json:"grantor,omitempty"`
}

// settingsLine are the settings of a scope, "name=value" each.
type settingsLine struct {
	SettingsOf string   `json:"settings_of"` // a role, "" for all
	Database   string   `json:"database,omitempty"`
	Settings   []string `json:"settings"`
}

// attribute is a boolean attribute of a role.
type attribute struct {
	name string
	of   func(*roles.Role) *bool
}

// attributes are what a roleLine can list. Every attribute that is not listed is off, and INHERIT is on.
var attributes = []attribute{
	{"login", func(r *roles.Role) *bool { return &r.Login }},
	{"superuser", func(r *roles.Role) *bool { return &r.Superuser }},
	{"createrole", func(r *roles.Role) *bool { return &r.CreateRole }},
	{"createdb", func(r *roles.Role) *bool { return &r.CreateDB }},
	{"replication", func(r *roles.Role) *bool { return &r.Replication }},
	{"bypassrls", func(r *roles.Role) *bool { return &r.BypassRLS }},
}

const noInherit = "noinherit"

// LineError is a line of a users file that cannot be read.
type LineError struct {
	Path string
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// ModeError is a users file that others may read or write.
type ModeError struct {
	Path string
	Mode fs.FileMode
}

func (e *ModeError) Error() string {
	return fmt.Sprintf("%s has mode %04o: a users file must have mode 0600; run chmod 0600 %s", e.Path, e.Mode, e.Path)
}

func checkMode(file *os.File, path string) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at users file: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return &ModeError{Path: path, Mode: mode}
	}
	return nil
}

// These are wrapped in a LineError.
var (
	errDuplicate  = errors.New("user occurs twice")
	errPredefined = errors.New("the name is that of a predefined role")
)

// fileLine is a line of the text, and what it says: a record by its key, "" for a comment or a blank
// line.
type fileLine struct{ text, key string }

// parse reads a users file. The error is a *LineError.
func parse(path string, text []byte) (*roles.Roles, []fileLine, error) {
	r, seen := roles.Initial(), map[string]bool{}
	var lines []fileLine
	type at struct {
		names []string
		line  int
	}
	var named []at // roles that must exist
	n := 0
	for raw := range bytes.Lines(text) {
		n++
		line := fileLine{text: strings.TrimRight(string(raw), "\r\n")}
		given, err := parseLine(line.text)
		if err == nil {
			switch given := given.(type) {
			case nil:
			case roles.Role:
				line.key, r = roleKey(given.Name), r.With(given)
			case roles.Membership:
				line.key, r = memberKey(given.Role, given.Member), r.Granted(given)
				named = append(named, at{[]string{given.Role, given.Member}, n})
			case settingsOf:
				line.key, r = settingsKey(given.Scope), r.WithSettings(given.Scope, given.list)
				named = append(named, at{[]string{given.Role}, n})
			}
			if line.key != "" && seen[line.key] {
				err = errDuplicate
			}
		}
		if err != nil {
			return nil, nil, &LineError{Path: path, Line: n, Err: err}
		}
		seen[line.key] = true
		lines = append(lines, line)
	}
	for _, a := range named {
		for _, name := range a.names {
			if name != "" && !r.Exists(name) {
				return nil, nil, &LineError{Path: path, Line: a.line, Err: fmt.Errorf("there is no role %q", name)}
			}
		}
	}
	return r, lines, nil
}

// settingsOf are the settings of a scope.
type settingsOf struct {
	roles.Scope
	list []roles.Setting
}

func roleKey(name string) string           { return "role\x00" + name }
func memberKey(role, member string) string { return "member\x00" + role + "\x00" + member }
func settingsKey(s roles.Scope) string     { return "settings\x00" + s.Role + "\x00" + s.Database }
func isVerifier(after string) bool         { return strings.HasPrefix(strings.TrimSpace(after), Mechanism+"$") }

// parseLine reads one line: a role, a membership, settings, or nil for a comment or a blank line.
func parseLine(text string) (any, error) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] == '#' {
		return nil, nil
	}
	name, rest, _ := strings.Cut(text, ":") // a verifier has one colon of its own
	if text[0] != '{' || isVerifier(rest) {
		return firstForm(strings.TrimSpace(name), strings.TrimSpace(rest))
	}
	var kind struct {
		Role       *string `json:"role"`
		Member     *string `json:"member"`
		SettingsOf *string `json:"settings_of"`
	}
	if err := json.Unmarshal([]byte(text), &kind); err != nil {
		return nil, errors.New("want name:verifier or a JSON object")
	}
	switch {
	case kind.Role != nil:
		return parseRole(text)
	case kind.Member != nil:
		var l memberLine
		if err := decode(text, &l); err != nil {
			return nil, err
		}
		return roles.Membership{Role: l.Of, Member: l.Member, Grantor: l.Grantor, Admin: l.Admin}, nil
	case kind.SettingsOf != nil:
		var l settingsLine
		if err := decode(text, &l); err != nil {
			return nil, err
		}
		s := settingsOf{Scope: roles.Scope{Role: l.SettingsOf, Database: l.Database}}
		for _, one := range l.Settings {
			name, value, ok := strings.Cut(one, "=")
			if !ok || name == "" {
				return nil, errors.New("a setting is no name=value")
			}
			s.list = append(s.list, roles.Setting{Name: name, Value: value})
		}
		return s, nil
	}
	return nil, errors.New(`want an object with "role", "member" or "settings_of"`)
}

// decode reads a JSON object without members that it does not know. The error does not show the text.
func decode(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%q has a value of another type", wrong.Field)
	}
	return err
}

// firstForm is the role of "name:verifier".
func firstForm(name, verifier string) (any, error) {
	if _, err := parseVerifier(verifier); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, errors.New("no user name before the colon")
	}
	role := roles.New(name)
	role.Login, role.Password = true, verifier
	return role, checkRole(role)
}

func parseRole(text string) (any, error) {
	var l roleLine
	if err := decode(text, &l); err != nil {
		return nil, err
	}
	role := roles.New(l.Role)
	role.ValidUntil, role.Password = l.ValidUntil, l.Password
	if l.ConnectionLimit != nil {
		role.ConnectionLimit = *l.ConnectionLimit
	}
	for _, name := range l.Attributes {
		i := slices.IndexFunc(attributes, func(a attribute) bool { return a.name == name })
		switch {
		case name == noInherit:
			role.Inherit = false
		case i < 0:
			return nil, fmt.Errorf("there is no attribute %q", name)
		default:
			*attributes[i].of(&role) = true
		}
	}
	return role, checkRole(role)
}

// checkRole is the error of a role that cannot be.
func checkRole(r roles.Role) error {
	switch {
	case r.Name == "" || strings.ContainsRune(r.Name, 0):
		return errors.New("a role has no name, or one with a NUL")
	case roles.IsPredefined(r.Name):
		return errPredefined
	case r.ConnectionLimit < -1:
		return fmt.Errorf("invalid connection limit: %d", r.ConnectionLimit)
	}
	if err := roles.CheckValidUntil(r.ValidUntil); err != nil {
		return fmt.Errorf("valid_until: %w", err)
	}
	if r.Password != "" {
		_, err := parseVerifier(r.Password)
		return err
	}
	return nil
}
