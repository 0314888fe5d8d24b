package hba

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

// members of roles, by role.
type members map[string][]string

func (m members) Member(user, role string) bool {
	for _, name := range m[role] {
		if name == user {
			return true
		}
	}
	return user == role
}

// TestMatch: the first line that fits counts, and each line means what the manual says.
func TestMatch(t *testing.T) {
	roles := members{"staff": {"ada", "bob"}}
	const secure = "TLS"
	for _, c := range []struct {
		line          string
		yes, no       []string // user@address, with TLS at the end or not, and with a database or demo
		method, named string
	}{
		{line: "host all all all trust", yes: []string{"u 10.0.0.1", "u ::1 TLS"}, method: "trust"},
		{line: `host "all" all all trust`, yes: []string{"u 1.2.3.4 all"}, no: []string{"u 1.2.3.4"}},
		{line: "host demo,other ada,+staff 10.0.0.0/8 scram-sha-256", yes: []string{"ada 10.1.1.1", "bob 10.1.1.1 other", "staff 10.0.0.1"}, no: []string{"eve 10.0.0.1", "bob 11.0.0.1", "bob 10.0.0.1 third", "bob ::1"}, method: "scram-sha-256"},
		{line: "host demo, other ada,  bob 127.0.0.1 255.255.255.255 reject", yes: []string{"ada 127.0.0.1", "bob 127.0.0.1 other", "ada ::ffff:127.0.0.1"}, no: []string{"ada 127.0.0.2"}, method: "reject"},
		{line: `host all "+staff" all trust`, yes: []string{"+staff 1.1.1.1"}, no: []string{"ada 1.1.1.1"}},
		{line: "host sameuser all all trust", yes: []string{"ada 1.1.1.1 ada", "ada 1.1.1.1 ada@v1"}, no: []string{"ada 1.1.1.1"}},
		{line: "host samerole all all trust", yes: []string{"ada 1.1.1.1 staff", "ada 1.1.1.1 staff:dev"}, no: []string{"eve 1.1.1.1 staff"}},
		{line: "host replication all all trust", no: []string{"ada 1.1.1.1 replication"}},
		{line: "host shop all all reject", yes: []string{"a 1.1.1.1 shop", "a 1.1.1.1 shop@v1", "a 1.1.1.1 shop:dev@4"}, no: []string{"a 1.1.1.1 shops", "a 1.1.1.1 sho"}},
		{line: "host shop:dev all all reject", yes: []string{"a 1.1.1.1 shop:dev@4"}, no: []string{"a 1.1.1.1 shop", "a 1.1.1.1 shop:dev2"}},
		{line: "hostssl all all 2001:db8::/32 cert map=people", yes: []string{"u 2001:db8::5 TLS"}, no: []string{"u 2001:db8::5", "u 2001:db9::5 TLS"}, method: "cert", named: "people"},
		{line: "hostnossl all all ::ffff:10.0.0.0/104 trust", yes: []string{"u 10.2.3.4"}, no: []string{"u 10.2.3.4 TLS", "u 11.0.0.1"}},
		{line: "host all all 0.0.0.0/0 trust", yes: []string{"u 9.9.9.9"}, no: []string{"u ::1"}},
		{line: "host all all 10.20.30.40/8 trust # comment", yes: []string{"u 10.9.9.9"}},
		{line: "host all all \\\n  fe80:: ffff:: \\\n trust", yes: []string{"u fe80::1%eth0"}, no: []string{"u fe81::1"}},
	} {
		r, err := Parse("pg_hba.conf", c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		ask := func(who string) (Rule, bool) {
			secured := strings.HasSuffix(who, " "+secure)
			words := strings.Fields(strings.TrimSuffix(who, " "+secure))
			connection := Connection{User: words[0], Address: netip.MustParseAddr(words[1]), Database: "demo", TLS: secured}
			if len(words) > 2 {
				connection.Database = words[2]
			}
			return r.Match(connection, roles)
		}
		for _, who := range c.yes {
			rule, ok := ask(who)
			if !ok || c.method != "" && string(rule.Method) != c.method || rule.Map != c.named {
				t.Errorf("%s: %s gets %q map %q (%v)", c.line, who, rule.Method, rule.Map, ok)
			}
		}
		for _, who := range c.no {
			if rule, ok := ask(who); ok {
				t.Errorf("%s: %s gets %q", c.line, who, rule.Method)
			}
		}
	}
}

// TestLinesThatAreWrong are named by their number, all of them.
func TestLinesThatAreWrong(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"local all all trust", "local connections are not supported: there is no Unix-domain socket"},
		{"hostgssenc all all all trust", "hostgssenc is not supported"},
		{"hosts all all all trust", `invalid connection type "hosts"`},
		{"host,hostssl all all all trust", "multiple values specified for connection type"},
		{"host", "end-of-line before database specification"},
		{"host all", "end-of-line before role specification"},
		{"host all all", "end-of-line before IP address specification"},
		{"host all all 1.2.3.4,1.2.3.5 trust", "multiple values specified for host address"},
		{"host all all example.org trust", `invalid IP address "example.org": host names are not supported`},
		{"host all all samenet trust", "samenet is not supported"},
		{"host all all fe80::1%eth0/64 trust", "zones are not supported"},
		{"host all all 1.2.3.4/33 trust", `invalid CIDR mask in address "1.2.3.4/33"`},
		{"host all all 1.2.3.4/ trust", "invalid CIDR mask"},
		{"host all all 1.2.3.4", "end-of-line before netmask specification"},
		{"host all all 1.2.3.4 trust", `invalid IP mask "trust"`},
		{"host all all 1.2.3.4 255.0.255.0 trust", `invalid IP mask "255.0.255.0"`},
		{"host all all 1.2.3.4 ffff:: trust", "IP address and mask do not match"},
		{"host all all all", "end-of-line before authentication method"},
		{"host all all all trust,reject", "multiple values specified for authentication type"},
		{"host all all all md5", `authentication method "md5" is not supported`},
		{"host all all all ldap ldapserver=x", `authentication method "ldap" is not supported`},
		{"host all all all scram", `invalid authentication method "scram"`},
		{"host all all all cert", "cert authentication is only supported on hostssl connections"},
		{"hostssl all all all cert map", "authentication option not in name=value format: map"},
		{"hostssl all all all cert map=", "names no map"},
		{"host all all all trust map=x", `authentication option "map" is only valid`},
		{"hostssl all all all cert clientname=DN", `unrecognized authentication option name: "clientname"`},
		{`host "all all all trust`, "unterminated quoted word"},
		{"host @dbs all all trust", "not supported"},
		{"host all all all trust\x00", "zero byte"},
	} {
		_, err := Parse("pg_hba.conf", "# first\nhost all all all trust\n"+c.line+"\n\nhost\n")
		var at *LineError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), "pg_hba.conf:3: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in line 3", c.line, err, c.want)
		}
		if !strings.Contains(err.Error(), "pg_hba.conf:5: ") {
			t.Errorf("%s: the second wrong line is not named: %v", c.line, err)
		}
	}
	if _, err := Parse("pg_hba.conf", "# nothing\n"); err == nil || !strings.Contains(err.Error(), "contains no entries") {
		t.Errorf("a file without lines: %v", err)
	}
}

func TestMaps(t *testing.T) {
	maps, err := ParseMaps("pg_ident.conf", `
		people ada@example.org ada   # by name
		people /^(.*)@example\.net$ \1
		people /^guest guest
		"two words" "a b" "c d"`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, system, user string
		want               bool
	}{
		{"", "ada", "ada", true},
		{"", "Ada", "ada", false},
		{"people", "ada@example.org", "ada", true},
		{"people", "ada", "ada", false},
		{"people", "bob@example.net", "bob", true},
		{"people", "bob@example.net", "ada", false},
		{"people", "bob@example.net.evil.org", "bob", false},
		{"people", "guest17", "guest", true},
		{"people", "@example.net", "", false},
		{"two words", "a b", "c d", true},
		{"none", "ada", "ada", false},
	} {
		if got := maps.Allows(c.name, c.system, c.user); got != c.want {
			t.Errorf("map %q, %q as %q: got %v", c.name, c.system, c.user, got)
		}
	}
	for line, want := range map[string]string{
		"people ada":         "missing entry at end of line",
		"people ada ada ada": "nothing after them",
		"people a,b ada":     "multiple values in ident field",
		"people /( ada":      "invalid regular expression",
		`people /^ada$ \1`:   "has no subexpressions as requested by backreference",
	} {
		_, err := ParseMaps("pg_ident.conf", "\n"+line)
		if err == nil || !strings.Contains(err.Error(), "pg_ident.conf:2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in line 2", line, err, want)
		}
	}
}

// FuzzFiles reads anything as both files, and asks what was read.
func FuzzFiles(f *testing.F) {
	f.Add("host all,\"x\" +staff 10.0.0.0/8 trust\nhostssl all all ::/0 cert map=m\n", "ada", "shop:dev@v1")
	f.Add("m /^(.*)@x$ \\1\nm a\\\n b # c", "a@x", "a")
	f.Fuzz(func(t *testing.T, text, user, database string) {
		if rules, err := Parse("f", text); err == nil {
			for _, address := range []string{"10.0.0.1", "::1"} {
				c := Connection{Address: netip.MustParseAddr(address), User: user, Database: database, TLS: true}
				rule, ok := rules.Match(c, members{})
				if ok && !rules.Uses(rule.Method) {
					t.Errorf("a rule of method %q, which no line has", rule.Method)
				}
				again, ok2 := rules.Match(Connection{Address: c.Address, User: user, Database: database}, members{})
				if ok2 && again.Method == Cert {
					t.Error("a certificate without TLS")
				}
			}
		}
		if maps, err := ParseMaps("f", text); err == nil {
			for name := range maps {
				maps.Allows(name, user, database)
			}
		}
	})
}
