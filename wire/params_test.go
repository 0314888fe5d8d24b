package wire

import (
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestEmptyParameterIsNoNull: a text of no bytes is a value in both forms.
func TestEmptyParameterIsNoNull(t *testing.T) {
	for _, format := range []int16{pgproto3.TextFormat, pgproto3.BinaryFormat} {
		m := pgproto3.Bind{ParameterFormatCodes: []int16{format}, Parameters: [][]byte{{}, nil}}
		args, err := readParams(m, []uint32{25, 25}, nil)
		if err != nil || args[0] == nil || args[1] != nil {
			t.Errorf("format %d: got %#v, %v, want an empty text and NULL", format, args, err)
		}
	}
}
