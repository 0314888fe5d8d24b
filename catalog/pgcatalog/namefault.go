package pgcatalog

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// nameFault is the error of a text that is to be read as a name by one of the reg types, nil
// for a valid name. It is called for names of nothing.
func (v *View) nameFault(typ, text string) *pgerr.Error {
	switch typ {
	case "regprocedure":
		name, _, fault := signature(text)
		if fault != nil {
			return fault
		}
		return v.dottedFault(typ, name)
	case "regoperator":
		name, args, fault := signature(text)
		if fault == nil {
			fault = v.dottedFault(typ, name)
		}
		switch {
		case fault != nil:
			return fault
		case len(args) == 1:
			return pgerr.New(pgerr.UndefinedParameter, "missing argument").WithHint("Use NONE to denote the missing argument of a unary operator.")
		case len(args) > 2:
			return pgerr.New(pgerr.TooManyArguments, "too many arguments").WithHint("Provide two argument types for operator.")
		}
		return nil
	case "regtype": // any spelling of a type, which is not read here
		if strings.TrimSpace(text) == "" {
			return noTypeName(text)
		}
		return nil
	}
	return v.dottedFault(typ, text)
}

func noTypeName(text string) *pgerr.Error {
	return pgerr.New(pgerr.SyntaxError, "invalid type name %q", text)
}

// dottedFault is the error of a qualified name.
func (v *View) dottedFault(typ, text string) *pgerr.Error {
	parts, ok := splitName(text)
	alone := typ == "regrole" || typ == "regnamespace" // which are in no schema
	if !ok || alone && len(parts) > 1 {
		return pgerr.New(pgerr.InvalidName, "invalid name syntax")
	}
	relation := typ == "regclass"
	switch name := strings.Join(parts, "."); {
	case len(parts) > 3 && relation:
		return pgerr.New(pgerr.SyntaxError, "improper relation name (too many dotted names): %s", name)
	case len(parts) > 3:
		return pgerr.New(pgerr.SyntaxError, "improper qualified name (too many dotted names): %s", name)
	case len(parts) == 3 && parts[0] != v.facts.database && relation:
		return pgerr.Unsupported("cross-database references are not implemented: %q", name)
	case len(parts) == 3 && parts[0] != v.facts.database:
		return pgerr.Unsupported("cross-database references are not implemented: %s", name)
	}
	return nil
}

// signature cuts a function or operator from its arguments, as PostgreSQL's
// parseNameAndArgTypes does.
func signature(text string) (name string, args []string, fault *pgerr.Error) {
	malformed := func(what string) *pgerr.Error { return pgerr.New(pgerr.InvalidTextRepresentation, "%s", what) }
	open, quoted := -1, false
	for i := range len(text) {
		if text[i] == '"' {
			quoted = !quoted
		}
		if text[i] == '(' && !quoted {
			open = i
			break
		}
	}
	if open < 0 {
		return "", nil, malformed("expected a left parenthesis")
	}
	rest := strings.TrimRight(text[open+1:], " \t\n\r\f\v")
	if !strings.HasSuffix(rest, ")") {
		return "", nil, malformed("expected a right parenthesis")
	}
	rest = strings.TrimSuffix(rest, ")")
	if strings.TrimSpace(rest) == "" {
		return text[:open], nil, nil
	}
	from, depth := 0, 0
	quoted = false
	for i := 0; i <= len(rest); i++ {
		if i < len(rest) && (quoted && rest[i] != '"' || depth > 0 && rest[i] == ',' || !strings.ContainsRune(`",()[]`, rune(rest[i]))) {
			continue
		}
		switch {
		case i == len(rest) || rest[i] == ',':
			arg := strings.TrimSpace(rest[from:i])
			switch {
			case arg == "" && i == len(rest):
				return "", nil, malformed("expected a type name")
			case arg == "":
				return "", nil, noTypeName(arg)
			}
			args, from = append(args, arg), i+1
		case rest[i] == '"':
			quoted = !quoted
		case rest[i] == '(' || rest[i] == '[':
			depth++
		default:
			depth--
		}
	}
	return text[:open], args, nil
}
