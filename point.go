package ontosql

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Point names a moment of an ontology's past in one of the forms of PRODUCT
// "Databases": a commit id, HEAD, HEAD~n, a tag, or a time. It says nothing about a
// particular store; the chain turns it into a commit.
type Point struct {
	kind pointKind
	n    int64
	t    time.Time
	tag  string
}

type pointKind uint8

const (
	pointHead pointKind = iota // n commits before head
	pointCommit
	pointTime
	pointTag
)

// AtHead is the newest point, the zero Point.
func AtHead() Point { return Point{} }

// AtCommit is the point of commit c; below 1 it is the empty ontology, above
// head it is head.
func AtCommit(c CommitID) Point { return Point{kind: pointCommit, n: int64(c)} }

// AtTime is the point of the last commit whose created_at is not after t.
func AtTime(t time.Time) Point { return Point{kind: pointTime, t: t} }

// AtTag is the point of the commit that a tag names.
func AtTag(name string) Point { return Point{kind: pointTag, tag: name} }

// IsHead reports whether p is HEAD itself, the only point that moves.
func (p Point) IsHead() bool { return p.kind == pointHead && p.n == 0 }

// Time is the moment of a point made of a time.
func (p Point) Time() (time.Time, bool) { return p.t, p.kind == pointTime }

// Number is the commit id that a point was written as, which need not exist.
func (p Point) Number() (CommitID, bool) { return CommitID(p.n), p.kind == pointCommit }

// Tag is the name of a point that is a tag.
func (p Point) Tag() (string, bool) { return p.tag, p.kind == pointTag }

// Commit resolves every point that is no time and no tag against a head, clamped to
// [0, head].
func (p Point) Commit(head CommitID) (CommitID, bool) {
	switch p.kind {
	case pointHead:
		return clamp(int64(head)-p.n, head), true
	case pointCommit:
		return clamp(p.n, head), true
	}
	return 0, false
}

func clamp(n int64, head CommitID) CommitID {
	return max(0, min(CommitID(n), head))
}

// String is a text that names the point: that of a time is in RFC 3339.
func (p Point) String() string {
	switch p.kind {
	case pointCommit:
		return strconv.FormatInt(p.n, 10)
	case pointTime:
		return p.t.UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	case pointTag:
		return p.tag
	}
	if p.n == 0 {
		return "HEAD"
	}
	return "HEAD~" + strconv.FormatInt(p.n, 10)
}

// ParsePoint reads "42", "HEAD" or "HEAD~3". The error is a *BadPointError. Times, and the names
// of tags, which are what is no time, are read where the rules of the session are known
// (gateway/settings).
func ParsePoint(s string) (Point, error) {
	text := strings.TrimSpace(s)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return AtCommit(CommitID(n)), nil
	}
	if rest, ok := cutPrefixFold(text, "HEAD"); ok {
		if rest == "" {
			return AtHead(), nil
		}
		if digits, ok := strings.CutPrefix(rest, "~"); ok {
			if n, err := strconv.ParseUint(digits, 10, 31); err == nil {
				return Point{kind: pointHead, n: int64(n)}, nil
			}
		}
	}
	return Point{}, &BadPointError{Text: s}
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// BadPointError is a text that names no point.
type BadPointError struct{ Text string }

func (e *BadPointError) Error() string {
	return fmt.Sprintf("invalid point %q: want a commit id, HEAD, HEAD~n, a tag or a timestamp", e.Text)
}

// LongestTag is the number of bytes that the name of a tag may have, as an identifier of
// PostgreSQL.
const LongestTag = 63

// IsTagName reports whether a text has the form of the name of a tag: letters, digits and any of
// "_-.", no sign first, at least one letter, and no other point. A text that is a time may have
// that form too; it is not the name of a tag then.
func IsTagName(s string) bool {
	if len(s) > LongestTag || !utf8.ValidString(s) {
		return false
	}
	letters := false
	for i, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters = true
		case r >= '0' && r <= '9', r == '_':
		case i == 0 || r != '-' && r != '.':
			return false
		}
	}
	_, err := ParsePoint(s)
	return letters && err != nil
}
