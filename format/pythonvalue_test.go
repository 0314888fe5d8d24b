package format_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
)

func TestDatetime(t *testing.T) {
	for _, test := range []struct {
		micros int64
		want   string
	}{
		{0, "1970-01-01T00:00:00.000000+00:00"},
		{-1, "1969-12-31T23:59:59.999999+00:00"},
		{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), "0001-01-01T00:00:00.000000+00:00"},
		{time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC).UnixMicro(), "9999-12-31T23:59:59.999999+00:00"},
	} {
		got, err := format.FormatDatetime(test.micros)
		if err != nil || got != test.want {
			t.Errorf("%d: got %s, %v; want %s", test.micros, got, err, test.want)
		}
		if back, err := format.ParseDatetime(test.want); err != nil || back != test.micros {
			t.Errorf("%s read: got %d, %v; want %d", test.want, back, err, test.micros)
		}
	}
	for _, micros := range []int64{math.MaxInt64, math.MinInt64, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()} {
		if got, err := format.FormatDatetime(micros); !errors.Is(err, format.ErrOutOfRange) {
			t.Errorf("%d: got %s, %v; want ErrOutOfRange", micros, got, err)
		}
	}
}

func TestDate(t *testing.T) {
	for _, test := range []struct {
		days int32
		want string
	}{{0, "1970-01-01"}, {-1, "1969-12-31"}, {20494, "2026-02-10"}, {-719162, "0001-01-01"}, {2932896, "9999-12-31"}} {
		got, err := format.FormatDate(test.days)
		if err != nil || got != test.want {
			t.Errorf("%d: got %s, %v; want %s", test.days, got, err, test.want)
		}
		if back, err := format.ParseDate(test.want); err != nil || back != test.days {
			t.Errorf("%s read: got %d, %v; want %d", test.want, back, err, test.days)
		}
	}
	for _, days := range []int32{math.MaxInt32, math.MinInt32, 2932897, -719163} {
		if got, err := format.FormatDate(days); !errors.Is(err, format.ErrOutOfRange) {
			t.Errorf("%d: got %s, %v; want ErrOutOfRange", days, got, err)
		}
	}
	for _, text := range []string{"", "2026-2-1", "2026-02-30", "2026-02-10T00:00:00"} {
		if got, err := format.ParseDate(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

func TestUUID(t *testing.T) {
	const want = "00112233-4455-6677-8899-aabbccddeeff"
	for _, text := range []string{want, "00112233445566778899AABBCCDDEEFF", "00112233-4455-6677-8899-AABBCCDDEEFF"} {
		id, err := format.ParseUUID(text)
		if got := format.FormatUUID(id); err != nil || got != want {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", want + "0", "g0112233-4455-6677-8899-aabbccddeeff"} {
		if id, err := format.ParseUUID(text); err == nil {
			t.Errorf("%q: got %x, want an error", text, id)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"0", "0"},
		{"-0.000", "0"},
		{"00012.3400", "12.34"},
		{"+7", "7"},
		{".5", "0.5"},
		{"5.", "5"},
		{"-0.50", "-0.5"},
		{"1e3", "1000"},
		{"1.5E-3", "0.0015"},
		{"120e-1", "12"},
		{"100", "100"},
		{"0.000000000001", "0.000000000001"},
		{"0e999", "0"},
		{"99999999999999999999999999.999999999999", "99999999999999999999999999.999999999999"},
		{"1.00000000000000000000000", "1"},
	} {
		got, err := format.FormatDecimal(test.text)
		if err != nil || got != test.want {
			t.Errorf("%s: got %q, %v; want %q", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{"100000000000000000000000000", "0.0000000000001", "1e26", "1e-13"} {
		if got, err := format.FormatDecimal(text); !errors.Is(err, format.ErrOutOfRange) {
			t.Errorf("%s: got %q, %v; want ErrOutOfRange", text, got, err)
		}
	}
	for _, text := range []string{"", "-", ".", "1.2.3", "NaN", "Infinity", "0x1", "1e", "1e5x", "1e99999", "--1", "1 ", "e5", "1e+-5"} {
		if got, err := format.FormatDecimal(text); err == nil {
			t.Errorf("%q: got %q, want an error", text, got)
		}
	}
}

func TestBytes(t *testing.T) {
	for _, b := range [][]byte{{}, {0}, {0xff, 0xfe}, []byte("hello")} {
		text := format.FormatBytes(b)
		back, err := format.ParseBytes(text)
		if err != nil || string(back) != string(b) {
			t.Errorf("%x: written %q, read %x, %v", b, text, back, err)
		}
	}
	if got, err := format.ParseBytes("a"); err == nil {
		t.Errorf("a: got %x, want an error", got)
	}
}
