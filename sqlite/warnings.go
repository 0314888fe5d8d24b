package sqlite

import (
	"fmt"
	"slices"
)

// warnings describe damage of a file that reading works around. Clients see them.
type warnings struct{ texts []string }

// maxWarnings is how many a client sees.
const maxWarnings = 5

func (p *warnings) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(p.texts) < maxWarnings && !slices.Contains(p.texts, text) {
		p.texts = append(slices.Clip(p.texts), text)
	}
}
