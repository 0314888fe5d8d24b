package copydata

import "testing"

// TestCopyLines asks for the line of every row, also where there are too many
// steps to keep.
func TestCopyLines(t *testing.T) {
	var l Lines
	lines := map[int64]int64{}
	line := int64(1) // a header
	for row := int64(1); row <= 3*mostSteps; row++ {
		line++
		if row%2 == 0 {
			line++ // a newline within
		}
		lines[row] = line
		l.Add(row, line)
	}
	known := int64(0)
	for row := int64(1); row <= 3*mostSteps; row++ {
		switch got := l.Line(row); got {
		case lines[row]:
			known++
		case 0:
			if row < mostSteps {
				t.Fatalf("the line of row %d is not known", row)
			}
		default:
			t.Fatalf("row %d is on line %d, not %d", row, lines[row], got)
		}
	}
	if len(l.steps) > mostSteps {
		t.Errorf("%d steps are kept", len(l.steps))
	}
}
