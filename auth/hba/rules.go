package hba

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Method is how a client proves who it is.
type Method string

// The methods.
const (
	Trust  Method = "trust"         // whoever it says
	Reject Method = "reject"        // never
	SCRAM  Method = "scram-sha-256" // by the password of a users file
	Cert   Method = "cert"          // by the common name of a client certificate
)

// Rule is a line of the file.
type Rule struct {
	Method Method
	Map    string // of Cert: the user name map, "" if the name must be that of the user

	encryption      encryption
	databases, user []token
	network         netip.Prefix // invalid: every address
}

// encryption is which connections a line means.
type encryption byte

const (
	either encryption = iota
	encrypted
	plain
)

// Rules are the lines of a file, immutable after Parse.
type Rules struct{ rules []Rule }

// Parse reads the text of a file in the form of pg_hba.conf. The error joins a *LineError for
// each line that cannot be read; path is their Path.
func Parse(path, text string) (*Rules, error) {
	lines, err := readLines(path, text)
	problems := []error{err}
	r := &Rules{}
	for _, l := range lines {
		rule, err := parseRule(l.fields)
		if err != nil {
			problems = append(problems, &LineError{path, l.number, err})
			continue
		}
		r.rules = append(r.rules, rule)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if len(r.rules) == 0 {
		return nil, fmt.Errorf("configuration file %q contains no entries", path)
	}
	return r, nil
}

// Uses reports whether a line has the method.
func (r *Rules) Uses(m Method) bool {
	return slices.ContainsFunc(r.rules, func(rule Rule) bool { return rule.Method == m })
}

// NeedsTLS reports whether a line can only match encrypted connections.
func (r *Rules) NeedsTLS() bool {
	return slices.ContainsFunc(r.rules, func(rule Rule) bool { return rule.encryption == encrypted })
}

// Maps are the user name maps that lines name.
func (r *Rules) Maps() []string {
	var names []string
	for _, rule := range r.rules {
		if rule.Map != "" && !slices.Contains(names, rule.Map) {
			names = append(names, rule.Map)
		}
	}
	return names
}

// parseRule is parse_hba_line of PostgreSQL, with its messages.
func parseRule(fields [][]token) (Rule, error) {
	var rule Rule
	take := func(missing, several string) (token, error) {
		if len(fields) == 0 {
			return token{}, errors.New(missing)
		}
		if len(fields[0]) > 1 {
			return token{}, errors.New(several)
		}
		first := fields[0][0]
		fields = fields[1:]
		return first, nil
	}
	kind, err := take("", "multiple values specified for connection type")
	if err != nil {
		return rule, err
	}
	switch kind.text {
	case "host":
	case "hostssl":
		rule.encryption = encrypted
	case "hostnossl":
		rule.encryption = plain
	case "local":
		return rule, errors.New("local connections are not supported: there is no Unix-domain socket")
	case "hostgssenc", "hostnogssenc":
		return rule, fmt.Errorf("%s is not supported: there is no GSSAPI", kind.text)
	default:
		return rule, fmt.Errorf("invalid connection type %q", kind.text)
	}
	if len(fields) == 0 {
		return rule, errors.New("end-of-line before database specification")
	}
	rule.databases, fields = fields[0], fields[1:]
	if len(fields) == 0 {
		return rule, errors.New("end-of-line before role specification")
	}
	rule.user, fields = fields[0], fields[1:]
	address, err := take("end-of-line before IP address specification", "multiple values specified for host address")
	if err != nil {
		return rule, err
	}
	if !address.keyword("all") {
		mask := func() (token, error) {
			return take("end-of-line before netmask specification: specify an address range in CIDR notation, or provide a separate netmask",
				"multiple values specified for netmask")
		}
		if rule.network, err = parseNetwork(address, mask); err != nil {
			return rule, err
		}
	}
	method, err := take("end-of-line before authentication method", "multiple values specified for authentication type")
	if err != nil {
		return rule, err
	}
	if rule.Method, err = parseMethod(method.text); err != nil {
		return rule, err
	}
	if rule.Method == Cert && rule.encryption != encrypted {
		return rule, errors.New("cert authentication is only supported on hostssl connections")
	}
	for _, option := range slices.Concat(fields...) {
		if err := rule.setOption(option.text); err != nil {
			return rule, err
		}
	}
	return rule, nil
}

func parseMethod(name string) (Method, error) {
	switch m := Method(name); m {
	case Trust, Reject, SCRAM, Cert:
		return m, nil
	}
	switch name {
	case "password", "md5", "gss", "sspi", "ident", "peer", "pam", "bsd", "ldap", "radius":
		return "", fmt.Errorf("authentication method %q is not supported: want trust, reject, scram-sha-256 or cert", name)
	}
	return "", fmt.Errorf("invalid authentication method %q", name)
}

func (r *Rule) setOption(text string) error {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok:
		return fmt.Errorf("authentication option not in name=value format: %s", text)
	case name == "map" && r.Method != Cert:
		return errors.New(`authentication option "map" is only valid for authentication method cert`)
	case name == "map" && value == "":
		return errors.New(`authentication option "map" names no map`)
	case name == "map":
		r.Map = value
		return nil
	}
	return fmt.Errorf("unrecognized authentication option name: %q", name)
}
