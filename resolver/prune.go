package resolver

import "github.com/ontosql/ontosql/format"

// Prune leaves out the files that can hold none of the keys: canonical texts
// (decision A18) of which the first identity column of every wanted row equals
// one, entity_key or left_key. No keys means that the statement has no such
// condition. note gives what the footer of a file that was seen before says;
// files nobody has seen are kept. The order stays.
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
