package catalog

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// line is one line of a directive: kind, name and the rest.
type line struct {
	word, rest string // word precedes the kind in a change
	ref        ontosql.TypeRef
}

func each(t *testing.T, lines []string, visit func(line)) {
	t.Helper()
	for _, text := range lines {
		if text == "" {
			continue
		}
		visit(parseLine(t, text))
	}
}

func parseLine(t *testing.T, text string) line {
	t.Helper()
	var l line
	word, rest, _ := strings.Cut(text, " ")
	kind, err := ontosql.ParseKind(word)
	if err != nil {
		l.word = word
		word, rest, _ = strings.Cut(rest, " ")
		if kind, err = ontosql.ParseKind(word); err != nil {
			t.Fatalf("line %q: %v", text, err)
		}
	}
	name, rest, _ := strings.Cut(rest, " ")
	l.ref, l.rest = ontosql.TypeRef{Kind: kind, Name: name}, rest
	return l
}

// version reads "v2 2026-01-01T00:00:00Z <fields>".
func (l line) version(t *testing.T) format.SchemaVersion {
	t.Helper()
	id, rest, _ := strings.Cut(l.rest, " ")
	at, fields, _ := strings.Cut(rest, " ")
	text := line{ref: l.ref, rest: fields}.schema(t)
	hash, err := format.SchemaHash(text)
	if err != nil {
		hash = "unreadable"
	}
	return format.SchemaVersion{
		SchemaVersionID: int64(commit(t, strings.TrimPrefix(id, "v"))), CreatedAt: format.TimeOf(moment(t, at)),
		SchemaJSON: string(text), SchemaHash: hash,
	}
}

func (l line) schema(t *testing.T) json.RawMessage {
	t.Helper()
	if strings.HasPrefix(l.rest, "{") {
		return json.RawMessage(l.rest)
	}
	s := &format.Schema{Ref: l.ref}
	fields := l.rest
	if l.ref.Kind == ontosql.Relation {
		ends, rest, _ := strings.Cut(fields, " ")
		s.Left, s.Right, _ = strings.Cut(ends, ">")
		fields = rest
	}
	for _, text := range strings.Split(fields, "; ") {
		name, spelling, ok := strings.Cut(text, "=")
		if !ok {
			continue
		}
		f := format.SchemaField{Type: spelling}
		f.Name, f.PrimaryKey = strings.CutSuffix(name, "*")
		if instance, is := strings.CutSuffix(f.Name, "#"); is {
			f.Name, s.InstanceKey = instance, instance
		}
		s.Fields = append(s.Fields, f)
	}
	return format.EncodeSchema(s)
}

func schemaChange(t *testing.T, lines []string) *format.SchemaChange {
	t.Helper()
	c := &format.SchemaChange{}
	each(t, lines, func(l line) {
		kind := l.ref.Kind.String()
		switch l.word {
		case "drop":
			c.Dropped = append(c.Dropped, format.DroppedRef{Kind: kind, Type: l.ref.Name})
		case "type":
			v := l.version(t)
			c.Types = append(c.Types, format.TypeState{
				Kind: kind, Type: l.ref.Name, SchemaVersionID: v.SchemaVersionID, Schema: json.RawMessage(v.SchemaJSON),
			})
		case "version":
			if n := len(c.Versions); n == 0 || c.Versions[n-1].TypeName != l.ref.Name {
				c.Versions = append(c.Versions, format.Versions{TypeKind: kind, TypeName: l.ref.Name})
			}
			last := &c.Versions[len(c.Versions)-1]
			last.Versions = append(last.Versions, l.version(t))
		case "extras":
			x := format.Extras{}
			if err := json.Unmarshal([]byte(l.rest), &x); err != nil {
				t.Fatal(err)
			}
			x.Kind, x.Type = kind, l.ref.Name
			c.Extras = append(c.Extras, x)
		default:
			t.Fatalf("unknown word %q in a change", l.word)
		}
	})
	return c
}

func section(r *format.Registry, ref ontosql.TypeRef) map[string]json.RawMessage {
	if ref.Kind == ontosql.Relation {
		return r.Relation
	}
	return r.Entity
}

func commit(t *testing.T, text string) ontosql.CommitID {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return ontosql.CommitID(n)
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
