package format

import (
	"fmt"
	"strings"
)

// The prefixes of the keys of event data (seed 000 section 15.1).
const (
	EventsPrefix      = "events/"
	ClaimsPrefix      = "claims/"
	DeadLettersPrefix = "dead_letters/"
	SessionsPrefix    = "sessions/"
)

// EventPrefixes lists all prefixes of event data.
var EventPrefixes = []string{EventsPrefix, ClaimsPrefix, DeadLettersPrefix, SessionsPrefix}

// EventKey is the key of an event. createdAt is the text of its creation time.
func EventKey(namespace, createdAt, id string) string {
	return fmt.Sprintf("%s%s/%s_%s.json", EventsPrefix, namespace, strings.ReplaceAll(createdAt, ":", "-"), id)
}

// ClaimKey is the key of a handler's claim to an event.
func ClaimKey(namespace, event, handler string) string {
	return fmt.Sprintf("%s%s/%s/%s.json", ClaimsPrefix, namespace, event, handler)
}

// DeadLetterKey is the key of the dead letter of an event that a handler gave up.
func DeadLetterKey(namespace, event, handler string) string {
	return fmt.Sprintf("%s%s/%s/%s.json", DeadLettersPrefix, namespace, event, handler)
}

// SessionKey is the key of a session of the event loop.
func SessionKey(namespace, id string) string {
	return fmt.Sprintf("%s%s/%s.json", SessionsPrefix, namespace, id)
}
