package resolver

import "github.com/ontosql/ontosql/format"

// Prune returns the files that may contain one of the keys, in the same order. keys are
// canonical texts (decision A18) of the first identity column, entity_key or left_key.
// Without keys the statement has no such condition and all files are returned. facts
// returns the footer of a file if it is known; files without known footer are kept.
func Prune(files []File, keys []string, note func(File) (*format.Facts, bool)) []File {
	if len(keys) == 0 {
		return files
	}
	kept := make([]File, 0, len(files))
	for _, f := range files {
		facts, seen := note(f)
		if !seen || mayContain(facts, keys) {
			kept = append(kept, f)
		}
	}
	return kept
}

func mayContain(facts *format.Facts, keys []string) bool {
	if facts.Rows == 0 {
		return false
	}
	if !facts.KeyBounds {
		return true
	}
	for _, k := range keys {
		if facts.MinKey <= k && k <= facts.MaxKey {
			return true
		}
	}
	return false
}
