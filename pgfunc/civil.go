package pgfunc

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86400 * microsPerSecond
	unixEpochDay    = 2440588 // the Julian day of 1970-01-01
)

// julianDay is the Julian day of a date of the proleptic Gregorian calendar; year 0
// is 1 BC.
func julianDay(year, month, day int) int {
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

// civilDate is the inverse of julianDay.
func civilDate(jd int) (year, month, day int) {
	y, m, d := civil(int64(jd) - unixEpochDay)
	return int(y), int(m), int(d)
}

// weekday counts from Sunday, 0.
func weekday(jd int) int { return ((jd+1)%7 + 7) % 7 }

// isoWeekStart is the Julian day of the Monday of an ISO week.
func isoWeekStart(year, week int) int {
	fourth := julianDay(year, 1, 4)
	return (week-1)*7 + fourth - (weekday(fourth)+6)%7
}

// isoWeek is the ISO year and week of a day, and the day's number in that year.
func isoWeek(year, month, day int) (isoYear, week, yearDay int) {
	jd := julianDay(year, month, day)
	isoYear = year
	start := isoWeekStart(year, 1)
	if jd < start {
		isoYear--
		start = isoWeekStart(isoYear, 1)
	} else if next := isoWeekStart(year+1, 1); jd >= next {
		isoYear, start = year+1, next
	}
	return isoYear, (jd-start)/7 + 1, jd - start + 1
}

func isLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysOfMonth(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if isLeap(year) {
			return 29
		}
		return 28
	}
	return 31
}
