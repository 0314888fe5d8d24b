package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// pieces gives data in pieces of the given sizes, the last one again and again.
func pieces(data []byte, sizes ...int) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) {
		if len(data) == 0 {
			return nil, io.EOF
		}
		n := min(len(data), max(1, sizes[0]))
		if len(sizes) > 1 {
			sizes = sizes[1:]
		}
		piece := bytes.Clone(data[:n])
		data = data[n:]
		return piece, nil
	}
}

// copyStory is all that a reader makes of data: rows with their lines, and the
// error that ends them.
func copyStory(t testing.TB, c Copy, more func(context.Context) ([]byte, error)) []string {
	t.Helper()
	var story []string
	r := NewCopyReader(c, more)
	for {
		rows, err := r.Next(t.Context())
		for i := range rows.Len {
			var fields []string
			for _, f := range rows.Row(i) {
				if f == nil {
					fields = append(fields, "NULL")
					continue
				}
				fields = append(fields, fmt.Sprintf("%q", f))
			}
			story = append(story, fmt.Sprintf("%d: %s", rows.Line(i), strings.Join(fields, " ")))
		}
		var e *pgerr.Error
		switch {
		case err == io.EOF:
			return story
		case errors.As(err, &e):
			return append(story, e.Code+" "+e.Message+" | "+e.Hint+" | "+e.Where)
		case err != nil:
			t.Fatalf("an error that is not the client's: %v", err)
		}
	}
}

// copyForms are the formats with their usual options, of two texts.
func copyForms() []Copy {
	columns := []Column{{Name: "a", OID: oidText}, {Name: "b", OID: oidText}}
	return []Copy{
		{Relation: "t", Columns: columns, Delimiter: '\t', Null: `\N`},
		{Relation: "t", Columns: columns, Kind: CopyCSV, Delimiter: ',', Quote: '"', Escape: '"'},
		{Relation: "t", Columns: columns, Kind: CopyCSV, Delimiter: ';', Quote: '\'', Escape: '\\', Null: "NULL"},
		{Relation: "t", Columns: columns, Kind: CopyBinary},
	}
}

// FuzzCopyReader reads any bytes, and the same bytes cut anywhere: the rows and
// the error are the same.
func FuzzCopyReader(f *testing.F) {
	for form := range copyForms() {
		for _, data := range []string{
			"a\tb\nc\\\td\te\r\n\\.\n", "a,\"b\nc\"\n\\.\n\"d\"\"\",\\N\r\n", "'it\\'s';x\rNULL;'NULL'\r", "a\tb\r\nc\td\r\n\\.\r\nx",
			copySignature + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01a\xff\xff\xff\xff\xff\xff",
		} {
			f.Add([]byte(data), byte(form), byte(1), byte(3))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, form, first, then byte) {
		forms := copyForms()
		c := forms[int(form)%len(forms)]
		whole := copyStory(t, c, pieces(data, len(data)))
		if diff := cmp.Diff(whole, copyStory(t, c, pieces(data, int(first), int(then)))); diff != "" {
			t.Errorf("%q in pieces of %d and %d (-whole +cut):\n%s", data, first, then, diff)
		}
	})
}

// TestCopyCutAnywhere cuts data at every place.
func TestCopyCutAnywhere(t *testing.T) {
	data := map[CopyKind]string{
		CopyText:   "a\tb\r\n\\\\\tc\\\r\nd\\N\r\n\\N\té\\x41\\101\r\nlast\t\r\n\\.\r\nignored",
		CopyCSV:    "a,b\n\"x\ny\",\"\"\n\\.x,\"a\"\"b\"\n,é\n\\.\nignored",
		CopyBinary: copySignature + "\x00\x00\x00\x00\x00\x00\x00\x02xy\x00\x02\x00\x00\x00\x01a\xff\xff\xff\xff\x00\x02\x00\x00\x00\x02\xc3\xa9\x00\x00\x00\x00\xff\xff",
	}
	for _, c := range copyForms() {
		text := []byte(data[c.Kind])
		whole := copyStory(t, c, pieces(text, len(text)))
		for cut := range text {
			if diff := cmp.Diff(whole, copyStory(t, c, pieces(text, cut, 1+cut%5))); diff != "" {
				t.Fatalf("kind %d cut at %d (-whole +cut):\n%s", c.Kind, cut, diff)
			}
		}
	}
}

// TestCopyWritesWhatItReads sends values through the writer and the reader.
func TestCopyWritesWhatItReads(t *testing.T) {
	batch, columns := benchRows(100)
	for i, s := range []string{"", `\N`, `\.`, "a\tb\nc\rd\\e\b\f\v", `"`, `""`, ",", "NULL", "'", `\'`, ";", "\x01\x7f", strings.Repeat("long \"\n", 400_000)} {
		batch.Cols[1].Str[i] = []byte(s)
	}
	batch.Cols[1].SetNull(50, 100)
	batch.Cols[3].SetNull(51, 100)
	for _, c := range copyForms() {
		c.Columns = columns
		w, err := newCopyWriter(c)
		if err != nil {
			t.Fatal(err)
		}
		_, codes := c.formats()
		if w.rows, err = newRowEncoder(columns, batch, []int16{int16(codes[0])}, &textout.Style{}, nil); err != nil {
			t.Fatal(err)
		}
		var data []byte
		add := func(message []byte) {
			if len(message) > 0 {
				data = append(data, message[5:5+binary.BigEndian.Uint32(message[1:])-4]...)
			}
		}
		for row := range batch.Len {
			message, err := w.appendRow(nil, batch, row)
			if err != nil {
				t.Fatal(err)
			}
			add(message)
		}
		add(w.appendTrailer(nil))
		var want []string
		texts, err := newRowEncoder(columns, batch, nil, &textout.Style{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for row := range batch.Len {
			var fields []string
			for i := range batch.Cols {
				if v := &batch.Cols[i]; v.IsNull(row) {
					fields = append(fields, "NULL")
				} else {
					fields = append(fields, fmt.Sprintf("%q", texts.columns[i](nil, v, row)))
				}
			}
			want = append(want, strings.Join(fields, " "))
		}
		got := copyStory(t, c, pieces(data, 8192))
		for i := range got {
			_, got[i], _ = strings.Cut(got[i], ": ")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("kind %d (-written +read):\n%.2000s", c.Kind, diff)
		}
	}
}

// TestCopyLineTooLong refuses a line before it fills the memory.
func TestCopyLineTooLong(t *testing.T) {
	piece := bytes.Repeat([]byte("x"), 1<<20)
	given := 0
	story := copyStory(t, copyForms()[0], func(context.Context) ([]byte, error) {
		given += len(piece)
		return piece, nil
	})
	want := []string{"54000 line of COPY data exceeds the limit of 268435456 bytes |  | COPY t, line 1"}
	if diff := cmp.Diff(want, story); diff != "" || given > maxCopyLine+2<<20 {
		t.Errorf("after %d bytes (-want +got):\n%s", given, diff)
	}
}

// TestCopyManyFields: the fields of a line that are kept in memory are not more than the
// columns.
func TestCopyManyFields(t *testing.T) {
	c := copyForms()[0]
	r := NewCopyReader(c, pieces(bytes.Repeat([]byte("\t"), 1<<20), 1<<20))
	_, err := r.Next(t.Context())
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Message != "extra data after last expected column" {
		t.Errorf("a line of a million fields for two columns: %v", err)
	}
	if n := cap(r.fields.values); n > 16 {
		t.Errorf("it made room for %d fields", n)
	}
}

// TestCopyLineEndsWithItsCarriageReturn: once lines are known to end with a carriage return,
// the reader does not wait for bytes after the last line, which is read before CopyFail.
func TestCopyLineEndsWithItsCarriageReturn(t *testing.T) {
	more := pieces([]byte("a\tb\rc\td\r"), 100)
	r := NewCopyReader(copyForms()[0], func(ctx context.Context) ([]byte, error) {
		piece, err := more(ctx)
		if err == io.EOF {
			err = pgerr.New(pgerr.QueryCanceled, "enough")
		}
		return piece, err
	})
	rows, err := r.Next(t.Context())
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Where != "COPY t, line 3" || rows.Len != 2 {
		t.Errorf("%d rows and then %v", rows.Len, err)
	}
}
