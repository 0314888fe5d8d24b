package format

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
)

// The functions in this file read the strings that fields_json has for values without a JSON form
// (decision A17) into native columns. They accept only the stored forms, exactly. Any other text
// is read from fields_json by the engine, which decides what it means.

// readNative reads a string that is the stored form of a value.
func (c *typedColumn) readNative(s *scanner) bool {
	if s.peek() != '"' {
		return false
	}
	text, escaped := s.rawString()
	if escaped || s.err != nil {
		return false
	}
	switch c.kind {
	case FieldDate:
		days, ok := exactDate(text)
		if ok {
			c.addInt32(int32(days))
		}
		return ok
	case FieldDatetime:
		micros, ok := exactDatetime(text)
		if ok {
			c.addInt(micros)
		}
		return ok
	case FieldUUID:
		id, ok := exactUUID(text)
		if ok {
			c.addFixed(id)
		}
		return ok
	case FieldDecimal:
		return c.addDecimal(text)
	case FieldBytes:
		start := len(c.plain)
		plain, err := strictBase64.AppendDecode(append(c.plain, 0, 0, 0, 0), text)
		if err != nil {
			return false
		}
		binary.LittleEndian.PutUint32(plain[start:], uint32(len(plain)-start-lengthPrefix))
		c.plain = plain
		c.countValue(start)
		return true
	}
	return false
}

// readDocument reads any JSON value but null as text. A document that other readers may not read
// (PlainJSON) does not fit.
func (c *typedColumn) readDocument(s *scanner) bool {
	if s.peek() == 'n' {
		return false
	}
	start, before := s.at, s.maybeNotPlain
	s.maybeNotPlain = false
	s.skip(1)
	text := s.text[start:s.at]
	fits := s.err == nil && (!s.maybeNotPlain || PlainJSON(text))
	s.maybeNotPlain = s.maybeNotPlain || before
	if fits {
		addText(&c.page, text)
	}
	return fits
}

var strictBase64 = base64.StdEncoding.Strict()

// addDecimal adds the decimal that a text of plain digits stands for. ok is false if the column
// cannot represent it exactly.
func (c *typedColumn) addDecimal(text []byte) (ok bool) {
	high, low, ok := scaledDecimal(text, c.precision, c.scale)
	if !ok {
		return false
	}
	switch {
	case c.precision <= 9:
		c.addInt32(int32(low))
	case c.precision <= 18:
		c.addInt(int64(low))
	default:
		var value [fixedSize]byte
		binary.BigEndian.PutUint64(value[:], high)
		binary.BigEndian.PutUint64(value[8:], low)
		c.addFixed(value)
	}
	return true
}

// scaledDecimal returns the value of plain digits times 10^scale, as a 128-bit number in two's
// complement. ok is false for any other text and if the value does not have this precision and
// scale.
func scaledDecimal(text []byte, precision, scale int) (high, low uint64, ok bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	digits, places, point := 0, 0, false // digits from the first that is not 0 on
	push := func(digit byte) {
		carry, product := bits.Mul64(low, 10)
		var over uint64
		low, over = bits.Add64(product, uint64(digit), 0)
		high = high*10 + carry + over
		if digits > 0 || digit > 0 {
			digits++
		}
	}
	for i, b := range text {
		switch {
		case b == '.' && !point && i > 0 && i < len(text)-1:
			point = true
		case b < '0' || b > '9':
			return 0, 0, false
		case point && places == scale:
			if b != '0' {
				return 0, 0, false
			}
		default:
			if point {
				places++
			}
			if push(b - '0'); digits > precision {
				return 0, 0, false
			}
		}
	}
	for ; places < scale && digits > 0; places++ {
		if push(0); digits > precision {
			return 0, 0, false
		}
	}
	if negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	return high, low, len(text) > 0
}

// number reads digits. ok is false if there is another character.
func number(digits []byte) (n int, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// exactDate reads the form of FormatDate as days since 1970-01-01.
func exactDate(text []byte) (days int64, ok bool) {
	const size = len("2006-01-02")
	if len(text) != size || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	year, ok1 := number(text[:4])
	month, ok2 := number(text[5:7])
	day, ok3 := number(text[8:])
	if !ok1 || !ok2 || !ok3 || year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	return daysSince1970(year, month, day), true
}

// daysIn is the number of days of a month.
func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSince1970 is the number of days from 1970-01-01 to a date of a year from 1 on. Years begin
// in March here, so that the day added in leap years is their last.
func daysSince1970(year, month, day int) int64 {
	if month < 3 {
		year, month = year-1, month+12
	}
	const marchOfYear0 = -719_468
	return int64(365*year+year/4-year/100+year/400+(153*(month-3)+2)/5+day-1) + marchOfYear0
}

// exactDatetime reads the form of FormatDatetime as microseconds since 1970-01-01 00:00:00 UTC.
func exactDatetime(text []byte) (micros int64, ok bool) {
	const form = "2006-01-02T15:04:05.000000+00:00"
	if len(text) != len(form) || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != '.' || string(text[26:]) != form[26:] {
		return 0, false
	}
	days, ok1 := exactDate(text[:10])
	hour, ok2 := number(text[11:13])
	minute, ok3 := number(text[14:16])
	second, ok4 := number(text[17:19])
	fraction, ok5 := number(text[20:26])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return days*microsPerDay + (int64(hour)*3600+int64(minute)*60+int64(second))*1e6 + int64(fraction), true
}

// exactUUID reads the form of FormatUUID.
func exactUUID(text []byte) (id [fixedSize]byte, ok bool) {
	const size = 36
	if len(text) != size || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	at := 0
	for i := 0; i < size; i += 2 {
		if text[i] == '-' {
			i++
		}
		high, low := hexDigit(text[i]), hexDigit(text[i+1])
		if high|low > 0xF {
			return id, false
		}
		id[at] = high<<4 | low
		at++
	}
	return id, true
}

// hexDigit is the value of a lower-case hexadecimal digit, 0xFF for another character.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 0xFF
}
