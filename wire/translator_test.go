package wire

import (
	"testing"

	"github.com/ontosql/ontosql/charset"
)

// TestAnswersThatCannotBeSaid: the text of an error is in the client's encoding, or the
// error is that it cannot be.
func TestAnswersThatCannotBeSaid(t *testing.T) {
	_, latin1, _ := charset.Find("LATIN1")
	said := errProtocol("naïve").WithDetail("déjà vu")
	if got := encodeError(latin1, said); got.Message != "na\xefve" || got.Detail != "d\xe9j\xe0 vu" || said.Message != "naïve" {
		t.Errorf("got %q, %q, and the error itself became %q", got.Message, got.Detail, said.Message)
	}
	said.Hint, said.Severity = "10 €", severityFatal
	want := `character with byte sequence 0xe2 0x82 0xac in encoding "UTF8" has no equivalent in encoding "LATIN1"`
	if got := encodeError(latin1, said); got.Message != want || got.Code != "22P05" || got.Severity != severityFatal || got.Detail != "" {
		t.Errorf("got %s %s: %s", got.Severity, got.Code, got.Message)
	}
}
