package wire

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// parseOptions parses the startup parameter "options" as PostgreSQL parses its command line. White
// space separates words, a backslash quotes the next character. Only switches that set a parameter
// are supported.
func parseOptions(text string) ([]Option, error) {
	var options []Option
	words := splitOptions(text)
	for i := 0; i < len(words); i++ {
		word := words[i]
		var setting, flag string
		switch {
		case word == "-c":
			if i++; i == len(words) {
				return nil, pgerr.New(pgerr.SyntaxError, "invalid command-line argument for server process: %s", word)
			}
			setting, flag = words[i], "-c "
		case strings.HasPrefix(word, "--"):
			setting, flag = word[2:], "--"
		case strings.HasPrefix(word, "-c"):
			setting, flag = word[2:], "-c "
		default:
			return nil, pgerr.New(pgerr.SyntaxError, "invalid command-line argument for server process: %s", word).
				WithHint(`Use "-c name=value".`)
		}
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, pgerr.New(pgerr.SyntaxError, "%s%s requires a value", flag, setting)
		}
		options = append(options, Option{Name: strings.ReplaceAll(name, "-", "_"), Value: value})
	}
	return options, nil
}

// splitOptions is pg_split_opts of PostgreSQL.
func splitOptions(text string) []string {
	var words []string
	for i := 0; ; {
		for i < len(text) && isSpace(text[i]) {
			i++
		}
		if i == len(text) {
			return words
		}
		var word []byte
		for ; i < len(text) && !isSpace(text[i]); i++ {
			if text[i] == '\\' {
				if i++; i == len(text) {
					break
				}
			}
			word = append(word, text[i])
		}
		words = append(words, string(word))
	}
}

// isSpace is isspace of C.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
