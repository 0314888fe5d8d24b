package transfer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// appendRow appends a row in the format of temporary files: numbers, then length-prefixed
// texts. readRow is the inverse.
func appendRow(dst []byte, r *format.Row) []byte {
	dst = binary.AppendUvarint(dst, uint64(r.Commit))
	dst = binary.AppendUvarint(dst, uint64(r.SchemaVersionID))
	for _, text := range []string{r.Key, r.Left, r.Right, r.Instance} {
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	return append(binary.AppendUvarint(dst, uint64(len(r.Fields))), r.Fields...)
}

// readRow reads the next row; io.EOF at the end.
func readRow(in *bufio.Reader) (r format.Row, err error) {
	commit, err := binary.ReadUvarint(in)
	if err != nil {
		return r, err
	}
	version, err := binary.ReadUvarint(in)
	r.Commit, r.SchemaVersionID = ontosql.CommitID(commit), int64(version)
	text := func() []byte {
		var size uint64
		if err == nil {
			size, err = binary.ReadUvarint(in)
		}
		if err != nil {
			return nil
		}
		b := make([]byte, size)
		_, err = io.ReadFull(in, b)
		return b
	}
	r.Key, r.Left, r.Right, r.Instance = string(text()), string(text()), string(text()), string(text())
	r.Fields = text()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return r, fmt.Errorf("read temporary file: %w", err)
	}
	return r, nil
}
