package objstore

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// maxKey is S3's limit for a key in bytes of UTF-8, including the prefix ("Naming
// Amazon S3 objects").
const maxKey = 1024

// CheckKey reports whether key is valid in every store. A valid key is UTF-8
// without NUL and has at most 1024 bytes. Its segments are not empty, "." or "..",
// so it has no slash at either end. Spaces, dots, percent signs and letters of any
// script are allowed. The error wraps ErrInvalidKey.
func CheckKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("%w: empty", ErrInvalidKey)
	case len(key) > maxKey:
		return fmt.Errorf("%w: %d bytes, more than %d", ErrInvalidKey, len(key), maxKey)
	case !utf8.ValidString(key):
		return fmt.Errorf("%w %q: not UTF-8", ErrInvalidKey, key)
	case strings.ContainsRune(key, 0):
		return fmt.Errorf("%w %q: holds a NUL", ErrInvalidKey, key)
	}
	for segment := range strings.SplitSeq(key, "/") {
		switch segment {
		case "", ".", "..":
			return fmt.Errorf("%w %q: segment %q", ErrInvalidKey, key, segment)
		}
	}
	return nil
}

// ClampRange returns the part [from, to) that a GetRange of length bytes from
// offset reads of an object of size bytes. The errors are those of CheckRange.
func ClampRange(offset, length, size int64) (from, to int64, err error) {
	if err := CheckRange(offset, length); err != nil {
		return 0, 0, err
	}
	from = min(offset, size)
	return from, from + min(length, size-from), nil
}

// CheckRange returns an error if offset is negative, length is below 1, or the end
// of the range exceeds an int64.
func CheckRange(offset, length int64) error {
	if offset < 0 || length < 1 || length > math.MaxInt64-offset {
		return fmt.Errorf("invalid range: %d bytes from %d", length, offset)
	}
	return nil
}
