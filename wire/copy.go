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

// CopyHeader is the option HEADER of COPY, for text and csv.
type CopyHeader uint8

// The values of the option HEADER.
const (
	NoHeader    CopyHeader = iota // the first line is a row
	Header                        // the first line has column names, which are ignored
	HeaderMatch                   // the first line must have the names of the columns
)

// Copy is one COPY FROM STDIN or TO STDOUT: its columns and the options of its data, with the
// defaults of the format. The caller has checked that the options fit together.
type Copy struct {
	Relation string   // the name in error messages; "" for a query
	Columns  []Column // the columns of the data, in the order of the data

	Encoding  *charset.Encoding // of the data; in the binary format, of texts only
	Kind      CopyKind
	Header    CopyHeader
	Delimiter byte
	Null      string // the text for NULL
	Quote     byte   // csv only, as are the fields below
	Escape    byte
	// By column; nil if the option is not given.
	ForceQuote   []bool // always quoted
	ForceNotNull []bool // never read as NULL
	ForceNull    []bool // read as NULL even if quoted
}

// formats returns the format codes of CopyInResponse and CopyOutResponse.
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

// copySignature is the signature at the start of the binary format.
const copySignature = "PGCOPY\n\xff\r\n\x00"
