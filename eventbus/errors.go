package eventbus

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

var (
	// ErrTooDeep: the event would be more than MaxDepth steps from the root of its chain. Handlers
	// that cause each other's events for ever are stopped by it.
	ErrTooDeep = fmt.Errorf("the chain of events is longer than %d", MaxDepth)
	// ErrPayload: the payload of an event, or the metadata of a session, is not a JSON object that
	// every store can keep.
	ErrPayload = errors.New("not a JSON object that can be stored")
	// ErrNotStrict is an ErrPayload: it has U+0000, a lone surrogate or a number that is not finite.
	ErrNotStrict = fmt.Errorf("%w: it has U+0000, a lone surrogate or a number that is not finite", ErrPayload)
	// ErrNoEvent: there is no event with this id.
	ErrNoEvent = errors.New("no such event")
)

// NameError is a name that cannot be part of an event or a claim in this store.
type NameError struct {
	What string // "namespace", "type", "handler", "session" or "event id"
	Name string
	Err  error
}

func (e *NameError) Error() string { return fmt.Sprintf("%s %.100q: %v", e.What, e.Name, e.Err) }

func (e *NameError) Unwrap() error { return e.Err }

var (
	errEmptyName = errors.New("is empty")
	errBadName   = errors.New("is not UTF-8, or contains U+0000")
)

// CheckName returns a *NameError for a name that no store can keep: an empty one, or one that is
// not a text of PostgreSQL.
func CheckName(what, name string) error {
	switch {
	case name == "":
		return &NameError{What: what, Err: errEmptyName}
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return &NameError{What: what, Name: name, Err: errBadName}
	}
	return nil
}
