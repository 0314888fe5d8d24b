package nameservice

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultBranch is the branch of an alias that names none.
const DefaultBranch = "main"

// maxName is the greatest length of a name and of a branch in bytes. A file name of 255 bytes has
// room for it and for the endings of all layouts.
const maxName = 200

// graphPrefix begins the alias of a graph source, and its type.
const graphPrefix = "vg:"

// reservedName is refused as a name, because "vg:x" would have two meanings.
const reservedName = "vg"

// Alias names a record.
type Alias struct {
	Graph  bool // a graph source, not an ontology: its pk begins with "vg:"
	Name   string
	Branch string
}

// String returns the pk of the record: "name:branch", or "vg:name:branch".
func (a Alias) String() string {
	if a.Graph {
		return graphPrefix + a.Name + ":" + a.Branch
	}
	return a.Name + ":" + a.Branch
}

// ParseAlias reads an alias. Without a branch it means DefaultBranch. The error is a *NameError.
func ParseAlias(text string) (Alias, error) {
	rest, graph := strings.CutPrefix(text, graphPrefix)
	name, branch, given := strings.Cut(rest, ":")
	if !given {
		branch = DefaultBranch
	}
	a := Alias{Graph: graph, Name: name, Branch: branch}
	return a, a.Check()
}

// Check returns a *NameError for an alias that no record can have.
func (a Alias) Check() error {
	if err := checkName("name", a.Name); err != nil {
		return err
	}
	if a.Name == reservedName {
		return &NameError{"name", a.Name, errReserved}
	}
	for segment := range strings.SplitSeq(a.Name, "/") {
		if segment == "" {
			return &NameError{"name", a.Name, errEmptySegment}
		}
	}
	return checkName("branch", a.Branch)
}

// NameError is a name or a branch that a record cannot have, in general or in this store.
type NameError struct {
	What string // "name", "branch" or "alias"
	Name string
	Err  error
}

func (e *NameError) Error() string { return fmt.Sprintf("%s %.100q: %v", e.What, e.Name, e.Err) }

func (e *NameError) Unwrap() error { return e.Err }

var (
	errEmptyName    = errors.New("is empty")
	errLongName     = fmt.Errorf("is longer than %d bytes", maxName)
	errControl      = errors.New("is not UTF-8, or contains a control character")
	errSeparator    = errors.New(`contains ":" or "@", which end a name`)
	errReserved     = errors.New("is reserved, because aliases of graph sources begin with it")
	errEmptySegment = errors.New(`begins or ends with "/", or contains "//"`)
)

func checkName(what, name string) error {
	switch {
	case name == "":
		return &NameError{what, name, errEmptyName}
	case len(name) > maxName:
		return &NameError{what, name, errLongName}
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return &NameError{what, name, errControl}
	case strings.ContainsAny(name, ":@"):
		return &NameError{what, name, errSeparator}
	}
	return nil
}
