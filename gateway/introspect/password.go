package introspect

import "regexp"

// ofRole finds the statements that may have passwords, in a string of several too, and comments within.
var ofRole = regexp.MustCompile(`(?is)\b(create|alter)\b.*?\b(role|user|group)\b.*?\bpassword\b`)

// passwordAt is the end of the word PASSWORD in a statement on roles, -1 for any other statement. Text that
// merely looks like one is found too. Only the part of a text that would be shown counts.
func passwordAt(sql string) int {
	sql = sql[:min(len(sql), maxShown)]
	if !hasWord(sql) {
		return -1
	}
	found := ofRole.FindStringIndex(sql)
	if found == nil {
		return -1
	}
	return found[1]
}

// hasWord reports whether a text has the letters of PASSWORD, in any case. Nearly no statement has, and all are
// asked.
func hasWord(sql string) bool {
	const word = "password"
	for i := 0; i+len(word) <= len(sql); i++ {
		if sql[i]|0x20 != 'p' {
			continue
		}
		k := 1
		for k < len(word) && sql[i+k]|0x20 == word[k] {
			k++
		}
		if k == len(word) {
			return true
		}
	}
	return false
}
