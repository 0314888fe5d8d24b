package datetime

// wordKind is what a word says in the text of a date or time.
type wordKind uint8

const (
	ignoredWord wordKind = iota
	monthWord            // its number
	weekdayWord
	halfWord    // of the day: 12 for pm
	eraWord     // 1 for BC
	momentWord  // infinity: the text is this moment
	dayWord     // days from today
	nowWord     // the time of the transaction
	zeroWord    // 00:00:00 UTC
	summerWord  // summer time of the zone before it
	unitWord    // the unit of the number after it
	isoTimeWord // the time of day follows
)

// timeWord is a word of dates and times.
type timeWord struct {
	kind  wordKind
	value int
	unit  byte // of a unitWord
}

// timeWords are the keywords of PostgreSQL (manual, B.3) except the abbreviations of zones.
var timeWords = func() map[string]timeWord {
	words := map[string]timeWord{
		"at": {}, "on": {},
		"sept": {kind: monthWord, value: 9},
		"tues": {kind: weekdayWord}, "weds": {kind: weekdayWord}, "thur": {kind: weekdayWord}, "thurs": {kind: weekdayWord},
		"am": {kind: halfWord}, "pm": {kind: halfWord, value: 12},
		"ad": {kind: eraWord}, "bc": {kind: eraWord, value: 1},
		"epoch": {kind: momentWord}, "infinity": {kind: momentWord}, "-infinity": {kind: momentWord},
		"now": {kind: nowWord}, "yesterday": {kind: dayWord, value: -1}, "today": {kind: dayWord}, "tomorrow": {kind: dayWord, value: 1},
		"allballs": {kind: zeroWord}, "dst": {kind: summerWord}, "t": {kind: isoTimeWord},
		"y": {kind: unitWord, unit: 'y'}, "m": {kind: unitWord, unit: 'm'}, "d": {kind: unitWord, unit: 'd'}, "h": {kind: unitWord, unit: 'h'},
		"mm": {kind: unitWord, unit: 'i'}, "s": {kind: unitWord, unit: 's'},
		"j": {kind: unitWord, unit: 'j'}, "jd": {kind: unitWord, unit: 'j'}, "julian": {kind: unitWord, unit: 'j'},
		"dow": {kind: unitWord, unit: '?'}, "doy": {kind: unitWord, unit: '?'}, "isodow": {kind: unitWord, unit: '?'}, "isoyear": {kind: unitWord, unit: '?'},
	}
	for i, month := range monthList {
		words[month], words[month[:3]] = timeWord{kind: monthWord, value: i + 1}, timeWord{kind: monthWord, value: i + 1}
	}
	for _, day := range []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"} {
		words[day], words[day[:3]] = timeWord{kind: weekdayWord}, timeWord{kind: weekdayWord}
	}
	return words
}()

var monthList = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
