package datetime

const (
	MicrosPerSecond = 1_000_000
	MicrosPerDay    = 86400 * MicrosPerSecond
	UnixEpochDay    = 2440588 // the Julian day of 1970-01-01
)

// JulianDay is the Julian day of a date of the proleptic Gregorian calendar; year 0
// is 1 BC.
func JulianDay(year, month, day int) int {
	if month > 2 {
		month++
		year += 4800
	} else {
		month += 13
		year += 4799
	}
	century := year / 100
	return year*365 - 32167 + year/4 - century + century/4 + 7834*month/256 + day
}

// CivilDate is the inverse of julianDay.
func CivilDate(jd int) (year, month, day int) {
	y, m, d := Civil(int64(jd) - UnixEpochDay)
	return int(y), int(m), int(d)
}

// Weekday counts from Sunday, 0.
func Weekday(jd int) int { return ((jd+1)%7 + 7) % 7 }

// IsoWeekStart is the Julian day of the Monday of an ISO week.
func IsoWeekStart(year, week int) int {
	fourth := JulianDay(year, 1, 4)
	return (week-1)*7 + fourth - (Weekday(fourth)+6)%7
}

// IsoWeek is the ISO year and week of a day, and the day's number in that year.
func IsoWeek(year, month, day int) (isoYear, week, yearDay int) {
	jd := JulianDay(year, month, day)
	isoYear = year
	start := IsoWeekStart(year, 1)
	if jd < start {
		isoYear--
		start = IsoWeekStart(isoYear, 1)
	} else if next := IsoWeekStart(year+1, 1); jd >= next {
		isoYear, start = year+1, next
	}
	return isoYear, (jd-start)/7 + 1, jd - start + 1
}

// IsLeap reports whether a year of the proleptic Gregorian calendar is a leap year.
func IsLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// DaysOfMonth is the number of days of a month, 1 to 12.
func DaysOfMonth(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if IsLeap(year) {
			return 29
		}
		return 28
	}
	return 31
}
