package format

// Span is a range of bytes in a text; To is exclusive.
type Span struct{ From, To int }

// EachMember calls visit for the members of a JSON object in their order, with the spans of the
// name, without quotes, and of the value. Names are not unescaped and may be repeated. The error is
// a *SyntaxError if the text is not a JSON object; members before it may have been visited.
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
