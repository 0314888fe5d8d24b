package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ontosql/ontosql/eventbus"
)

// errLine: a line is no event.
var errLine = errors.New(`want {"type": "...", "payload": {...}, "priority": n}`)

// ParseLine reads an event that follows from another one: a JSON object with the member type, and
// payload and priority if they are not {} and 100.
func ParseLine(line []byte) (eventbus.New, error) {
	var read struct {
		Type     string          `json:"type"`
		Payload  json.RawMessage `json:"payload"`
		Priority *int64          `json:"priority"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&read); err != nil {
		return eventbus.New{}, fmt.Errorf("%w: %w", errLine, err)
	}
	if _, err := d.Token(); err != io.EOF || read.Type == "" {
		return eventbus.New{}, errLine
	}
	n := eventbus.New{Type: read.Type, Payload: read.Payload, Priority: read.Priority}
	if len(n.Payload) == 0 {
		n.Payload = []byte("{}")
	}
	return n, nil
}

// parseLines reads an event from each line that is not blank.
func parseLines(text []byte) (events []eventbus.New, err error) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		n, err := ParseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d of the program's output: %w", number, err)
		}
		events = append(events, n)
	}
	return events, nil
}
