package sqlite

import (
	"cmp"
	"math"
	"slices"

	"github.com/ontosql/ontosql"
)

// span is a range of ids, both ends included.
type span struct{ first, last int64 }

// maxGap is the number of rows of other types that are cheaper to skip than looking up the
// next range.
const maxGap = 32

// runsAfter returns the runs of the commits after lower.
func runsAfter(runs []rowRun, lower ontosql.CommitID) []rowRun {
	from, _ := slices.BinarySearchFunc(runs, lower+1, func(r rowRun, c ontosql.CommitID) int { return int(r.commit - c) })
	return runs[from:]
}

// idsFollowCommits reports whether the rows of the runs up to upper have ids in the order of
// their commits.
func idsFollowCommits(runs []rowRun, upper ontosql.CommitID) bool {
	last := int64(math.MinInt64)
	for _, r := range runs {
		if r.commit > upper {
			break
		}
		if r.first <= last {
			return false
		}
		last = r.last
	}
	return true
}

// ranges returns the id ranges of the runs up to upper.
func ranges(runs []rowRun, upper ontosql.CommitID) []span {
	var spans []span
	for _, r := range runs {
		if r.commit > upper {
			break
		}
		if n := len(spans); n > 0 && spans[n-1].first <= r.first && r.first <= spans[n-1].last+maxGap {
			spans[n-1].last = max(spans[n-1].last, r.last)
			continue
		}
		spans = append(spans, span{r.first, r.last})
	}
	// Ranges of writers other than the original and this program may overlap or be out of
	// order.
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && s.first <= merged[n-1].last {
			merged[n-1].last = max(merged[n-1].last, s.last)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}
