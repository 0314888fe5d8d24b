package traces

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// data is what the client sends behind COPY FROM STDIN.
func (c *randomCopyOf) data() []pgproto3.FrontendMessage {
	data := c.lines()
	if c.format == "binary" {
		data = c.tuples()
	}
	damaged := c.IntN(4) == 0
	if damaged {
		data = c.damage(data)
	}
	var messages []pgproto3.FrontendMessage
	most := pick(c.Rand, len(data), len(data), 7, 100, 1)
	for len(data) > 0 {
		n := min(len(data), 1+c.IntN(max(most, 1)))
		messages = append(messages, &pgproto3.CopyData{Data: data[:n]})
		data = data[n:]
		if c.IntN(40) == 0 {
			messages = append(messages, pick[pgproto3.FrontendMessage](c.Rand, &pgproto3.Flush{}, &pgproto3.CopyData{}))
		}
	}
	if !damaged && c.IntN(20) == 0 {
		return append(messages, &pgproto3.CopyFail{Message: "no more"})
	}
	return append(messages, &pgproto3.CopyDone{})
}

// row are the values of a row, nil for NULL.
func (c *randomCopyOf) row(bad bool) []*string {
	row := make([]*string, len(c.columns))
	wrong := c.IntN(len(c.columns))
	for i, column := range c.columns {
		var text string
		switch {
		case column.name == "id":
			if text = fmt.Sprint(c.IntN(60)); strings.HasPrefix(c.table, "plain") {
				text = "k" + text
			}
		case bad && i == wrong && len(column.bad) > 0:
			text = pick(c.Rand, column.bad...)
		case c.IntN(5) == 0 && !strings.Contains(column.ddl, "NOT NULL") || c.IntN(60) == 0:
			continue
		default:
			text = pick(c.Rand, column.good...)
		}
		row[i] = &text
	}
	return row
}

func (c *randomCopyOf) rows() (rows [][]*string) {
	n := c.IntN(6)
	if c.IntN(30) == 0 {
		n = 1500
	}
	bad := c.IntN(5)
	for i := range n {
		rows = append(rows, c.row(bad == 0 && i == n-1))
	}
	return rows
}

// lines are rows in text or csv.
func (c *randomCopyOf) lines() []byte {
	var data strings.Builder
	end := pick(c.Rand, "\n", "\n", "\n", "\r\n", "\r")
	if strings.HasPrefix(c.header, "HEADER") && c.IntN(6) > 0 {
		for i, column := range c.columns {
			if i > 0 {
				data.WriteString(c.delimiter)
			}
			data.WriteString(c.escaped(column.name))
		}
		data.WriteString(end)
	}
	for _, row := range c.rows() {
		for i, value := range row {
			if i > 0 {
				data.WriteString(c.delimiter)
			}
			if value == nil {
				data.WriteString(c.null)
			} else {
				data.WriteString(c.escaped(*value))
			}
		}
		if c.IntN(40) == 0 {
			data.WriteString(pick(c.Rand, c.delimiter, c.delimiter+"more", `\.`))
		}
		data.WriteString(end)
	}
	if c.IntN(6) == 0 {
		data.WriteString(pick(c.Rand, `\.`+end, `\.`, `\.`+end+"after", end, "k1", c.quote, `\`, "\r", "\n"))
	}
	return []byte(data.String())
}

// escaped is a value as the format has it.
func (c *randomCopyOf) escaped(value string) string {
	if c.format == "csv" {
		if c.quote == "" || c.escape == "" || !strings.ContainsAny(value, c.delimiter+c.quote+"\r\n") && value != c.null && c.IntN(4) > 0 {
			return value
		}
		value = strings.ReplaceAll(value, c.escape, c.escape+c.escape)
		if c.escape != c.quote {
			value = strings.ReplaceAll(value, c.quote, c.escape+c.quote)
		}
		return c.quote + value + c.quote
	}
	var s strings.Builder
	for _, b := range []byte(value) {
		switch {
		case b == '\n' && c.IntN(4) > 0:
			s.WriteString(`\n`)
		case b == '\r' && c.IntN(4) > 0:
			s.WriteString(`\r`)
		case b == '\t' && c.IntN(4) > 0:
			s.WriteString(`\t`)
		case c.IntN(30) == 0:
			fmt.Fprintf(&s, pick(c.Rand, `\x%02x`, `\%03o`), b)
		case b == '\\' || strings.Contains(c.delimiter, string(rune(b))) || b == '\n' || b == '\r':
			s.WriteString(`\` + string([]byte{b}))
		default:
			s.WriteByte(b)
		}
	}
	return s.String()
}

// tuples are rows in the binary format.
func (c *randomCopyOf) tuples() []byte {
	data := []byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	if c.IntN(12) == 0 {
		data = append(data[:15], 0, 0, 0, 3, 'a', 'b', 'c')
	}
	for _, row := range c.rows() {
		width := len(row)
		if c.IntN(30) == 0 {
			width += pick(c.Rand, 1, -1)
		}
		data = binary.BigEndian.AppendUint16(data, uint16(width))
		for i, value := range row {
			if value == nil {
				data = append(data, 0xff, 0xff, 0xff, 0xff)
				continue
			}
			raw := []byte(*value)
			if column := c.columns[i]; column.binary != nil {
				raw = column.binary(*value)
			} else if decoded, err := hex.DecodeString(strings.TrimPrefix(*value, `\x`)); err == nil && column.name == "raw" {
				raw = decoded
			}
			data = binary.BigEndian.AppendUint32(data, uint32(len(raw)))
			data = append(data, raw...)
		}
	}
	if c.IntN(8) > 0 {
		data = append(data, 0xff, 0xff)
	}
	if c.IntN(20) == 0 {
		data = append(data, pick(c.Rand, "\x00", "\xff\xff", "more")...)
	}
	return data
}

// damage changes some of the data.
func (c *randomCopyOf) damage(data []byte) []byte {
	for range 1 + c.IntN(2) {
		at := 0
		if len(data) > 0 {
			at = c.IntN(len(data))
		}
		part := pick(c.Rand, "\n", "\r", "\r\n", `\`, `\.`, "\\.\n", `"`, "'", c.delimiter, c.quote, c.null, "\xff", "\xc3", "é", "\xe9", "\x00", `\N`, "x", " ", `\x`, `\0`, "\xe2\x82", `\xff`, "\t", "\xef\xbb\xbf", "\x80")
		if c.IntN(30) == 0 {
			part = strings.Repeat(pick(c.Rand, "long ", "é", `\\`), 30000)
		}
		switch c.IntN(4) {
		case 0: // less
			data = data[:at]
		case 1: // another byte
			data = append(append(data[:at:at], part...), data[min(len(data), at+1):]...)
		case 2:
			data = append(append(data[:at:at], part...), data[at:]...)
		case 3: // a piece less
			data = append(data[:at:at], data[min(len(data), at+1+c.IntN(8)):]...)
		}
	}
	return data
}
