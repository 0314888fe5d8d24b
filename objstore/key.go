package objstore

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// maxKey is S3's limit for a key, prefix included, in bytes of UTF-8 ("Naming
// Amazon S3 objects").
const maxKey = 1024

// CheckKey says whether key can name an object in every store: valid UTF-8
// without NUL, at most 1024 bytes, segments that are neither empty nor "." nor
// "..", and so no slash at either end. Spaces, dots, percent signs and letters
// of any script are plain characters. The error wraps ErrInvalidKey.
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

// ClampRange is the part [from, to) of an object of the given size that a
// GetRange of length bytes from offset reads. It fails on a range that no
// caller can mean.
func ClampRange(offset, length, size int64) (from, to int64, err error) {
	if err := CheckRange(offset, length); err != nil {
		return 0, 0, err
	}
	from = min(offset, size)
	return from, from + min(length, size-from), nil
}

// CheckRange fails on a negative offset, a length below 1, and a range that
// ends beyond what an int64 counts.
func CheckRange(offset, length int64) error {
	if offset < 0 || length < 1 || length > math.MaxInt64-offset {
		return fmt.Errorf("invalid range: %d bytes from %d", length, offset)
	}
	return nil
}
