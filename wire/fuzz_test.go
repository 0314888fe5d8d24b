package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

func FuzzStartup(f *testing.F) {
	f.Add([]byte("\x00\x03\x00\x00user\x00u\x00\x00"))
	f.Add([]byte("\x00\x03\x00\x02user\x00u\x00options\x00-c a=b --c=d\\ \x00_pq_.x\x00\x00\x00"))
	f.Add([]byte("\x00\x02\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) < 4 {
			return
		}
		if p, err := parseStartup(body); err == nil && p.user == "" {
			t.Errorf("%q: accepted without a user", body)
		}
	})
}

// FuzzFrames reads frames as the inbox does and decodes them as sessions do.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Q\x00\x00\x00\x05\x00"))
	f.Add([]byte("B\x00\x00\x00\x0f\x00\x00\x00\x00\x00\x01\xff\xff\xff\xfe\x00"))
	f.Add([]byte("P\x00\x00\x00\x08\x00\x00\x00\x00S\x00\x00\x00\x04E\x40\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bufio.NewReader(bytes.NewReader(stream))
		for {
			frame, err := readFrame(r, 1<<20)
			if cap(frame.body) > 2*len(stream)+frameStep {
				t.Fatalf("%d bytes allocated for a stream of %d", cap(frame.body), len(stream))
			}
			if err != nil {
				return
			}
			var m pgproto3.FrontendMessage
			switch frame.kind {
			case 'P':
				m = &pgproto3.Parse{}
			case 'B':
				bind := &pgproto3.Bind{}
				if decode(bind, frame.body) == nil {
					_, _ = readParams(*bind, []uint32{oidInt4, oidNumeric, 1231, oidJSONB}[:min(4, len(bind.Parameters))])
				}
				continue
			case 'D':
				m = &pgproto3.Describe{}
			case 'E':
				m = &pgproto3.Execute{}
			case 'C':
				m = &pgproto3.Close{}
			default:
				continue
			}
			_ = decode(m, frame.body)
		}
	})
}

func FuzzBinaryParameter(f *testing.F) {
	for _, p := range pgTypes {
		f.Add(p.oid, []byte{0, 1, 0, 0, 0, 0, 0, 2, 0, 5})
		f.Add(p.array, []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 7})
	}
	f.Fuzz(func(t *testing.T, oid uint32, value []byte) {
		text, err := binaryToText(1, oid, value)
		if err == nil && len(text) > 6000+1100*len(value) {
			t.Errorf("%d bytes became %d", len(value), len(text))
		}
	})
}

// FuzzJSONB wants canonical text to be stable, to be JSON whenever the source
// was, and never a panic.
func FuzzJSONB(f *testing.F) {
	for _, doc := range []string{
		`{"b":1,"a":[true,null,1e-07,-0.0,"\u00e9\ud800\n"],"a":{}}`, `[NaN,Infinity,-Infinity]`, `{`, `"\`, `1e999999999`, `{"\u0000":1}`, "[[[]]]", "-",
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		j := new(jsonb)
		once := j.append(nil, doc)
		if !json.Valid(doc) || bytes.IndexByte(doc, unescapable) >= 0 {
			return
		}
		if !json.Valid(once) {
			t.Errorf("%q became %q, which is no JSON", doc, once)
		}
		if twice := j.append(nil, once); !bytes.Equal(once, twice) {
			t.Errorf("%q became %q and then %q", doc, once, twice)
		}
	})
}
