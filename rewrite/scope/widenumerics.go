package scope

// WideNumerics is a power that an Env may have: it says how numerics are computed, and is told where
// that makes a difference (decision A60).
type WideNumerics interface {
	// Wide reports whether numerics are computed as wide ones (types.WideNumeric), because the
	// engine's decimals were too short for a value.
	Wide() bool
	// NoteWidens says that something was resolved which Wide would have made another computation.
	NoteWidens()
}

func wideMode(env Env) bool {
	w, ok := env.(WideNumerics)
	return ok && w.Wide()
}

// noteWidens tells the Env of State.Widens.
func (b *State) noteWidens() {
	if w, ok := b.Env.(WideNumerics); ok && b.Widens {
		w.NoteWidens()
	}
}
