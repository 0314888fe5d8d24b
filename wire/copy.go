package wire

import "github.com/ontosql/ontosql/charset"

// CopyKind is a format of COPY.
type CopyKind uint8

// The formats of PostgreSQL.
const (
	CopyText CopyKind = iota
	CopyCSV
	CopyBinary
)

// CopyHeader says what the first line of COPY data is, in text and csv.
type CopyHeader uint8

// The choices of the option HEADER.
const (
	NoHeader    CopyHeader = iota // a row as the others
	Header                        // the columns' names; what they are is not looked at
	HeaderMatch                   // the columns' names, which must be those of the columns
)

// Copy is one COPY FROM STDIN or TO STDOUT: its columns and the options of its data, with the
// defaults of the format. The caller has checked that the options fit together.
type Copy struct {
	Relation string   // as errors name it; "" for a query
	Columns  []Column // those of the data, in its order

	Encoding  *charset.Encoding // of the data in text and csv, and of the texts in binary
	Kind      CopyKind
	Header    CopyHeader
	Delimiter byte
	Null      string // how NULL is spelled
	Quote     byte   // csv only, as Escape and what follows
	Escape    byte
	// By column; nil where the option is not given.
	ForceQuote   []bool // quoted even where nothing asks for it
	ForceNotNull []bool // never read as NULL
	ForceNull    []bool // read as NULL even where it is quoted
}

// formats are the format codes of CopyInResponse and CopyOutResponse.
func (c *Copy) formats() (overall byte, columns []uint16) {
	columns = make([]uint16, len(c.Columns))
	if c.Kind != CopyBinary {
		return 0, columns
	}
	for i := range columns {
		columns[i] = 1
	}
	return 1, columns
}

// copySignature begins the data of the binary format.
const copySignature = "PGCOPY\n\xff\r\n\x00"
