package formatting

import (
	"math"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
)

// result puts the fields together.
func (r *timeReader) result() (micros int64, zone int, given bool, err error) {
	overflow := pgerr.New(pgerr.DatetimeFieldOverflow, "date/time field value out of range: %q", r.whole)
	if r.daySecond != 0 {
		r.hour, r.minute, r.second = r.daySecond/3600, r.daySecond/60%60, r.daySecond%60
	}
	if r.twelve {
		if r.hour < 1 || r.hour > 12 {
			return 0, 0, false, pgerr.New(pgerr.InvalidDatetimeFormat, "hour \"%d\" is invalid for the 12-hour clock", r.hour).
				WithHint("Use the 24-hour clock, or give an hour between 1 and 12.")
		}
		r.hour %= 12
		if r.pm {
			r.hour += 12
		}
	}
	year, month, day, err := r.date(overflow)
	if err != nil {
		return 0, 0, false, err
	}
	fraction := r.millis*1000 + r.micros
	if r.hour < 0 || r.hour > 23 || r.minute < 0 || r.minute > 59 || r.second < 0 || r.second > 59 || fraction < 0 || fraction >= datetime.MicrosPerSecond {
		return 0, 0, false, overflow
	}
	if r.digits > 0 {
		unit := int(math.Pow10(6 - r.digits))
		fraction = (fraction + unit/2) / unit * unit
	}
	if r.zoneSign != 0 {
		if r.zoneHour < 0 || r.zoneHour > 15 || r.zoneMinute < 0 || r.zoneMinute > 59 {
			return 0, 0, false, overflow
		}
		given, zone = true, r.zoneSign*(r.zoneHour*60+r.zoneMinute)*60
	}
	if year < -4712 || year > 294246 {
		return 0, 0, false, overflow
	}
	days := int64(datetime.JulianDay(year, month, day) - datetime.UnixEpochDay)
	seconds := int64(r.hour*3600 + r.minute*60 + r.second)
	return days*datetime.MicrosPerDay + seconds*datetime.MicrosPerSecond + int64(fraction), zone, given, nil
}

func (r *timeReader) date(overflow error) (year, month, day int, err error) {
	month, day = 1, 1
	hasMonth, hasDay := false, false
	year, hasYear := r.fullYear()
	if r.julian != 0 {
		year, month, day = datetime.CivilDate(r.julian)
		hasYear, hasMonth, hasDay = true, true, true
	}
	if r.week != 0 {
		if r.iso {
			jd := datetime.IsoWeekStart(year, r.week)
			if r.weekday > 1 {
				jd += r.weekday - 2
			} else if r.weekday == 1 {
				jd += 6
			}
			year, month, day = datetime.CivilDate(jd)
			hasYear, hasMonth, hasDay = true, true, true
		} else {
			r.yearDay = (r.week-1)*7 + 1
		}
	}
	if r.monthWeek != 0 {
		r.day = (r.monthWeek-1)*7 + 1
	}
	if r.day != 0 {
		day, hasDay = r.day, true
	}
	if r.month != 0 {
		month, hasMonth = r.month, true
	}
	if r.yearDay != 0 && (month <= 1 || day <= 1) {
		if year == 0 && !r.bc {
			return 0, 0, 0, pgerr.New(pgerr.InvalidDatetimeFormat, "cannot calculate day of year without year information")
		}
		start := datetime.JulianDay(year, 1, 1)
		if r.iso {
			start = datetime.IsoWeekStart(year, 1)
		} else if r.yearDay < 1 || r.yearDay > 365 && !(datetime.IsLeap(year) && r.yearDay == 366) {
			return 0, 0, 0, overflow
		}
		y, m, d := datetime.CivilDate(start + r.yearDay - 1)
		if r.iso {
			year, month, day = y, m, d
		} else {
			if month <= 1 {
				month = m
			}
			if day <= 1 {
				day = d
			}
		}
		hasMonth, hasDay = true, true
	}
	if hasMonth && (month < 1 || month > 12) || hasDay && (day < 1 || day > 31) ||
		hasYear && hasMonth && hasDay && day > datetime.DaysOfMonth(year, month) {
		return 0, 0, 0, overflow
	}
	return year, month, day, nil
}

func (r *timeReader) fullYear() (year int, given bool) {
	century := r.century
	if r.bc {
		century = -century
	}
	switch {
	case r.year != 0 && r.century != 0 && r.yearDigits <= 2:
		year = r.year % 100
		switch {
		case year != 0 && century < 0:
			year = century*100 + year + 1
		case year != 0:
			year += (century - 1) * 100
		case century >= 0:
			year = century * 100
		default:
			year = century*100 + 1
		}
	case r.year != 0:
		year = r.year
		if r.bc {
			year = -year
		}
		if year < 0 {
			year++
		}
	case r.century > 0 && !r.bc:
		year = (century-1)*100 + 1
	case r.century != 0:
		year = century*100 + 1
	default:
		return 0, false
	}
	return year, true
}
