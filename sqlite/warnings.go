package sqlite

import (
	"fmt"
	"slices"
)

// warnings are what is wrong with a file and was got round, for its users.
type warnings struct{ texts []string }

// maxWarnings is how many a user is told.
const maxWarnings = 5

func (p *warnings) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(p.texts) < maxWarnings && !slices.Contains(p.texts, text) {
		p.texts = append(slices.Clip(p.texts), text)
	}
}
