package auth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/auth/roles"
)

// format is the text of a file after a change: each line that says what is so still stays as it is, and
// what is new comes at the end.
func format(old []fileLine, before, after *roles.Roles) []byte {
	have, want := records(before), records(after)
	texts, written := map[string]string{}, map[string]bool{}
	for _, w := range have {
		texts[w.key] = w.text
	}
	wanted := map[string]string{}
	for _, w := range want {
		wanted[w.key] = w.text
	}
	var out bytes.Buffer
	for _, line := range old {
		text, stays := wanted[line.key]
		switch {
		case line.key == "" || stays && text == texts[line.key]:
			text = line.text
		case !stays:
			continue
		}
		written[line.key] = true
		out.WriteString(text + "\n")
	}
	for _, w := range want {
		if !written[w.key] {
			out.WriteString(w.text + "\n")
		}
	}
	return out.Bytes()
}

// records are the lines of everything that is not so from the beginning.
func records(r *roles.Roles) (lines []fileLine) {
	initial := roles.Initial()
	for _, role := range r.All() {
		if was, ok := initial.Lookup(role.Name); !ok || was != role {
			lines = append(lines, fileLine{formatRole(role), roleKey(role.Name)})
		}
	}
	for _, m := range r.Memberships() {
		if !slices.Contains(initial.Of(m.Member), m) {
			lines = append(lines, fileLine{encode(memberLine{m.Member, m.Role, m.Admin, m.Grantor}), memberKey(m.Role, m.Member)})
		}
	}
	for _, s := range r.Scopes() {
		l := settingsLine{SettingsOf: s.Role, Database: s.Database}
		for _, one := range r.Settings(s) {
			l.Settings = append(l.Settings, one.Name+"="+one.Value)
		}
		lines = append(lines, fileLine{encode(l), settingsKey(s)})
	}
	return lines
}

// formatRole is the line of a role, in the first form if that says all.
func formatRole(r roles.Role) string {
	plain := roles.New(r.Name)
	plain.Login, plain.Password = true, r.Password
	if r == plain && r.Password != "" && checkName(r.Name) == nil {
		return r.Name + ":" + r.Password
	}
	l := roleLine{Role: r.Name, ValidUntil: r.ValidUntil, Password: r.Password}
	if r.ConnectionLimit != -1 {
		l.ConnectionLimit = &r.ConnectionLimit
	}
	for _, a := range attributes {
		if *a.of(&r) && (a.name != "superuser" || r.Name != roles.Owner) {
			l.Attributes = append(l.Attributes, a.name)
		}
	}
	if !r.Inherit {
		l.Attributes = append(l.Attributes, noInherit)
	}
	return encode(l)
}

func encode(line any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(line); err != nil {
		panic(fmt.Sprintf("users file: %v", err)) // lines are texts, numbers and booleans
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// checkName is the error of a name that the first form cannot have.
func checkName(name string) error {
	if name == "" || strings.TrimSpace(name) != name || name[0] == '#' || strings.ContainsAny(name, ":\n\r\x00") {
		return fmt.Errorf("%q is no user name: want text without colon, line break, surrounding spaces or a leading #", name)
	}
	return nil
}
