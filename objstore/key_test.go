package objstore

import (
	"errors"
	"math"
	"path"
	"strings"
	"testing"
)

func FuzzCheckKey(f *testing.F) {
	for _, key := range []string{"meta/head.json", "", "/", "a//b", "../x", "a/..", "a b.c/d%2F", "\xff", "ä/\x00"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		err := CheckKey(key)
		if err != nil {
			if !errors.Is(err, ErrInvalidKey) {
				t.Errorf("CheckKey(%q): got %v, want %v", key, err, ErrInvalidKey)
			}
			return
		}
		if clean := path.Join("/store", key); clean != "/store/"+key {
			t.Errorf("CheckKey(%q) allows a key that is the path %q", key, clean)
		}
	})
}

func TestClampRange(t *testing.T) {
	for _, tc := range []struct{ offset, length, size, from, to int64 }{
		{0, 10, 10, 0, 10},
		{5, 10, 10, 5, 10},
		{10, 1, 10, 10, 10},
		{99, 1, 10, 10, 10},
		{0, 1, 0, 0, 0},
		{1, math.MaxInt64 - 1, 10, 1, 10},
	} {
		from, to, err := ClampRange(tc.offset, tc.length, tc.size)
		if from != tc.from || to != tc.to || err != nil {
			t.Errorf("%d bytes from %d of %d: got [%d, %d), %v; want [%d, %d)", tc.length, tc.offset, tc.size, from, to, err, tc.from, tc.to)
		}
	}
}

func TestErrorText(t *testing.T) {
	err := error(&Error{Op: OpSwap, Bucket: "bucket", Key: "p/meta/head.json", RequestID: "R1", Err: ErrPreconditionFailed})
	if want := "swap bucket/p/meta/head.json (request R1): precondition failed"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if !errors.Is(ErrClockSkew, ErrDenied) || !strings.Contains(ErrClockSkew.Error(), "clock") {
		t.Errorf("ErrClockSkew is %q, want a kind of ErrDenied that names the clock", ErrClockSkew)
	}
}
