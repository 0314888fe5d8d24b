package settings

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/pgerr"
)

// duration accepts milliseconds or a number with a unit, and prints it as SHOW
// does: in the largest unit that divides it.
func duration(name string) func(string) (string, error) {
	return func(v string) (string, error) {
		d, err := parseDuration(v)
		if err != nil {
			_, _, ok := quantity(v)
			return "", badQuantity(name, v, ok, `"us", "ms", "s", "min", "h", and "d"`)
		}
		if ms := d.Milliseconds(); ms < 0 || ms > math.MaxInt32 {
			return "", pgerr.New(pgerr.InvalidParameterValue, "%d ms is outside the valid range for parameter %q (0 .. %d)", ms, name, math.MaxInt32)
		}
		return printDuration(d), nil
	}
}

var durationUnits = []struct {
	name string
	unit time.Duration
}{
	{"d", 24 * time.Hour},
	{"h", time.Hour},
	{"min", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
}

// quantityNumber matches the number at the start of a value with a unit.
var quantityNumber = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`)

// quantity splits a value into its number and its unit; ok is false where it does not
// begin with a number.
func quantity(v string) (n float64, unit string, ok bool) {
	v = strings.TrimSpace(v)
	number := quantityNumber.FindString(v)
	n, err := strconv.ParseFloat(number, 64)
	return n, strings.TrimSpace(v[len(number):]), err == nil
}

// badQuantity is the error of a bad value. Where the value has a number, its hint lists
// the valid units.
func badQuantity(name, v string, number bool, units string) *pgerr.Error {
	err := pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
	if number {
		err = err.WithHint("Valid units for this parameter are %s.", units)
	}
	return err
}

func parseDuration(v string) (time.Duration, error) {
	n, unit, ok := quantity(v)
	if !ok {
		return 0, strconv.ErrSyntax
	}
	factor := time.Millisecond
	if unit != "" {
		factor = 0
		for _, u := range durationUnits {
			if u.name == unit {
				factor = u.unit
			}
		}
		if factor == 0 {
			return 0, strconv.ErrSyntax
		}
	}
	if n*float64(factor) > math.MaxInt64 {
		return 0, strconv.ErrRange
	}
	return time.Duration(math.Round(n*float64(factor)/1e6)) * time.Millisecond, nil
}

func printDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	for _, u := range durationUnits {
		if d%u.unit == 0 {
			return strconv.FormatInt(int64(d/u.unit), 10) + u.name
		}
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}

var memoryUnits = []struct {
	name  string
	bytes int64
}{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"B", 1}}

// kilobytes accepts an amount of memory in kB, or with a unit, and prints it as SHOW
// does: in the largest unit that divides it.
func kilobytes(name string, least int64) func(string) (string, error) {
	return memory(name, 1<<10, least)
}

// pages is kilobytes with pages of 8 kB as its unit.
func pages(name string, least int64) func(string) (string, error) { return memory(name, 8<<10, least) }

func memory(name string, unit, least int64) func(string) (string, error) {
	return func(v string) (string, error) {
		n, suffix, ok := quantity(v)
		factor := unit
		if suffix != "" {
			factor = 0
			for _, u := range memoryUnits {
				if u.name == suffix {
					factor = u.bytes
				}
			}
		}
		if !ok || factor == 0 {
			return "", badQuantity(name, v, ok, `"B", "kB", "MB", "GB", and "TB"`)
		}
		if n = math.Round(n * float64(factor) / float64(unit)); n < float64(least) || n > math.MaxInt32 {
			in := strings.TrimPrefix(strconv.FormatInt(unit>>10, 10), "1") + "kB"
			return "", pgerr.New(pgerr.InvalidParameterValue, "%.0f %s is outside the valid range for parameter %q (%d .. %d)", n, in, name, least, math.MaxInt32)
		}
		bytes := int64(n) * unit
		if bytes == 0 {
			return "0", nil
		}
		for _, u := range memoryUnits {
			if bytes%u.bytes == 0 {
				return strconv.FormatInt(bytes/u.bytes, 10) + u.name, nil
			}
		}
		return strconv.FormatInt(bytes, 10), nil
	}
}
