package format

import (
	"fmt"
	"strings"
)

// The keys below which event data lies (seed 000 section 15.1).
const (
	EventsPrefix      = "events/"
	ClaimsPrefix      = "claims/"
	DeadLettersPrefix = "dead_letters/"
	SessionsPrefix    = "sessions/"
)

// EventPrefixes are all of them.
var EventPrefixes = []string{EventsPrefix, ClaimsPrefix, DeadLettersPrefix, SessionsPrefix}

// EventKey is where an event lies. createdAt is the text that the event has.
func EventKey(namespace, createdAt, id string) string {
	return fmt.Sprintf("%s%s/%s_%s.json", EventsPrefix, namespace, strings.ReplaceAll(createdAt, ":", "-"), id)
}

// ClaimKey is where the claim of a handler to an event lies.
func ClaimKey(namespace, event, handler string) string {
	return fmt.Sprintf("%s%s/%s/%s.json", ClaimsPrefix, namespace, event, handler)
}

// DeadLetterKey is where it lies that a handler gave up an event.
func DeadLetterKey(namespace, event, handler string) string {
	return fmt.Sprintf("%s%s/%s/%s.json", DeadLettersPrefix, namespace, event, handler)
}

// SessionKey is where a session of the event loop lies.
func SessionKey(namespace, id string) string {
	return fmt.Sprintf("%s%s/%s.json", SessionsPrefix, namespace, id)
}
