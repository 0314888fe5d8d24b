package traces

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgproto3"
)

// firstOID is the first that PostgreSQL gives to what users make.
const firstOID = 16384

// frame is a message of either side as the files have it.
func frame(m pgproto3.Message) (string, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", err
	}
	if _, ok := m.(*pgproto3.NoticeResponse); ok { // the only one whose text has no type
		fields["Type"] = "NoticeResponse"
	}
	normalise(fields)
	text, err = json.Marshal(fields) // keys in order
	return string(text), err
}

// normalise leaves out what differs between two servers by nature.
func normalise(fields map[string]any) {
	switch fields["Type"] {
	case "BackendKeyData": // a secret
		delete(fields, "ProcessID")
		delete(fields, "SecretKey")
	case "NotificationResponse": // the sender
		delete(fields, "PID")
	case "ParameterStatus":
		if fields["Name"] == "server_version" { // of the minor releases
			fields["Value"] = "15"
		}
	case "ErrorResponse", "NoticeResponse":
		if fields["Code"] == "54001" { // how to let PostgreSQL nest deeper
			delete(fields, "Hint")
		}
		for name, value := range fields {
			// Where in PostgreSQL's sources the error was raised; and fields without a value.
			if slices.Contains([]string{"File", "Line", "Routine"}, name) || value == "" || value == 0.0 || value == nil {
				delete(fields, name)
			}
		}
	case "RowDescription":
		described, _ := fields["Fields"].([]any) // nil for no columns
		for _, f := range described {
			column := f.(map[string]any)
			delete(column, "TableOID") // which the gateway tells once its catalog was asked for
			delete(column, "TableAttributeNumber")
		}
	}
}

// oids are the object identifiers of PostgreSQL's answers and those of the gateway's in
// their place: clients send them back.
type oids map[int64]int64

var number = regexp.MustCompile(`\b\d{5}\b`)

// translate puts the gateway's identifiers into what a client sent to PostgreSQL.
func (o oids) translate(sent string) string {
	return number.ReplaceAllStringFunc(sent, func(word string) string {
		n, _ := strconv.ParseInt(word, 10, 64)
		if ours, ok := o[n]; ok {
			return strconv.FormatInt(ours, 10)
		}
		return word
	})
}

// same compares an answer with what PostgreSQL said, and learns identifiers from rows.
func (o oids) same(want, got string) bool {
	if want == got {
		return true
	}
	var theirs, ours struct {
		Type   string
		Values []map[string]string
	}
	if json.Unmarshal([]byte(want), &theirs) != nil || json.Unmarshal([]byte(got), &ours) != nil ||
		theirs.Type != "DataRow" || ours.Type != "DataRow" || len(theirs.Values) != len(ours.Values) {
		return false
	}
	for i, v := range theirs.Values {
		if fmt.Sprint(v) == fmt.Sprint(ours.Values[i]) {
			continue
		}
		their, ok := identifier(v)
		our, ok2 := identifier(ours.Values[i])
		if !ok || !ok2 {
			return false
		}
		o[their] = our
	}
	return true
}

// identifier is a value that is that of something a user made, in a database so young
// that there are few of them.
func identifier(value map[string]string) (int64, bool) {
	n, err := strconv.ParseInt(value["text"], 10, 64)
	return n, err == nil && n >= firstOID
}
