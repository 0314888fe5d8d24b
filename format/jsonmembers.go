package format

// Span is a place in a text: its first byte and the one behind its last.
type Span struct{ From, To int }

// EachMember visits the members of a JSON object in their order, each with the
// places of its name, between the quotes, and of its value. Nothing is made of
// them: names have their escapes, and one may come twice. A text that is no JSON
// object is a *SyntaxError, maybe after some members were visited.
func EachMember(text []byte, visit func(name, value Span)) error {
	s := scanner{text: text}
	s.space()
	s.elements('{', '}', 0, func() {
		if s.peek() != '"' {
			s.fail("expected a member's name")
			return
		}
		name := Span{From: s.at + 1}
		s.rawString()
		name.To = s.at - 1
		s.colon()
		value := Span{From: s.at}
		s.skip(1)
		if value.To = s.at; s.err == nil {
			visit(name, value)
		}
	})
	s.space()
	if s.err == nil && s.at < len(text) {
		s.fail("something follows the value")
	}
	return s.err
}
