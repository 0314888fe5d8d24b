package scope

import "fmt"

// mostEdits is PostgreSQL's MAX_FUZZY_DISTANCE: a name that needs more edits is no other
// spelling.
const mostEdits = 3

// closeColumns are the columns whose names are closest to one that does not exist, as
// PostgreSQL's updateFuzzyAttrMatchState collects them.
type closeColumns struct {
	edits int      // of those found
	found []string // one or two, "relation.column"
}

// add takes a column in that needs so many edits. Of three that are equally close none
// is shown.
func (c *closeColumns) add(edits int, name string) {
	switch {
	case edits < c.edits:
		c.edits, c.found = edits, []string{name}
	case edits == c.edits && len(c.found) == 2:
		c.edits, c.found = edits-1, nil
	case edits == c.edits && edits <= mostEdits:
		c.found = append(c.found, name)
	}
}

// ColumnHint is PostgreSQL's hint about a column that does not exist, "" for none. The
// relations of the statement that cannot be named here count too. qualifier is the name
// that the column was qualified with, "" for none.
func ColumnHint(l *Level, qualifier, name string) string {
	near := closeColumns{edits: mostEdits + 1}
	for ; l != nil; l = l.Parent {
		for _, list := range [][]*RangeEntry{l.Hidden, l.Namespace.Ranges} {
			for _, r := range list {
				if r.MadeBy == "a join" {
					continue
				}
				away := 0
				if qualifier != "" {
					away = distance(qualifier, r.Alias)
				}
				if away == 0 && r.Column(name) != nil {
					return fmt.Sprintf("There is a column named \"%s\" in table \"%s\", but it cannot be referenced from this part of the query.", name, r.Alias)
				}
				for _, c := range r.Columns {
					if edits := distance(c.Name, name); edits <= len(name)/2 {
						near.add(edits+away, r.Alias+"."+c.Name)
					}
				}
			}
		}
	}
	switch len(near.found) {
	case 1:
		return fmt.Sprintf("Perhaps you meant to reference the column \"%s\".", near.found[0])
	case 2:
		return fmt.Sprintf("Perhaps you meant to reference the column \"%s\" or the column \"%s\".", near.found[0], near.found[1])
	}
	return ""
}

// distance is the Levenshtein distance of two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := prev
			if a[i-1] != b[j-1] {
				cost++
			}
			prev = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
