package charset

import (
	"bytes"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestEncodingsOfPostgres asks PostgreSQL what each byte is in each encoding, and by
// which names it knows them.
func TestEncodingsOfPostgres(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, s := range singleBytes {
		_, e, _ := Find(s.name)
		for b := 1; b < 256; b++ {
			var theirs string
			err := conn.QueryRow(t.Context(), "SELECT convert_from($1, $2)", []byte{byte(b)}, s.name).Scan(&theirs)
			ours, cannot := e.Decode([]byte{byte(b)})
			if (err == nil) != (cannot == nil) || string(ours) != theirs {
				t.Errorf("%s, byte %#x: got %q, %v; PostgreSQL says %q, %v", s.name, b, ours, cannot, theirs, err)
			}
			if back, err := e.Encode(ours); cannot == nil && (err != nil || !bytes.Equal(back, []byte{byte(b)})) {
				t.Errorf("%s, byte %#x: back from %q came %#x, %v", s.name, b, ours, back, err)
			}
		}
	}
	var all []string
	if err := conn.QueryRow(t.Context(), "SELECT array_agg(pg_encoding_to_char(i) ORDER BY i) FROM generate_series(0, 41) i").Scan(&all); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(Names, all) {
		t.Errorf("the encodings: got %v, PostgreSQL has %v", Names, all)
	}
	names := slices.Clone(Names)
	for alias := range aliases {
		names = append(names, alias)
	}
	for _, name := range append(names, "Iso-8859_1", "klingon") {
		var theirs string
		if err := conn.QueryRow(t.Context(), "SELECT pg_encoding_to_char(pg_char_to_encoding($1))", name).Scan(&theirs); err != nil {
			t.Fatal(err)
		}
		if ours, _, _ := Find(name); ours != theirs {
			t.Errorf("encoding %s: got %q, PostgreSQL says %q", name, ours, theirs)
		}
	}
}

// FuzzEncoding wants what can be read to be written again as it was, in every encoding.
func FuzzEncoding(f *testing.F) {
	f.Add(uint8(0), []byte("a\xe9\x00\x81"))
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		name := singleBytes[int(which)%len(singleBytes)].name
		_, e, _ := Find(name)
		read, err := e.Decode(text)
		if err != nil {
			return
		}
		if !utf8.Valid(read) {
			t.Errorf("%s: %q became %q", name, text, read)
		}
		if back, err := e.Encode(read); err != nil || !bytes.Equal(back, text) {
			t.Errorf("%s: %q became %q and then %q, %v", name, text, read, back, err)
		}
	})
}
