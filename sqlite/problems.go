package sqlite

import (
	"fmt"
	"slices"
)

// problems are what is wrong with a file and was got round, for its users.
type problems struct{ texts []string }

// mostProblems is how many a user is told.
const mostProblems = 5

func (p *problems) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(p.texts) < mostProblems && !slices.Contains(p.texts, text) {
		p.texts = append(slices.Clip(p.texts), text)
	}
}
