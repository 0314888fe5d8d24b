package jsonpath

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
)

// accessor reads one accessor after n. more is false if no accessor follows.
func (p *pathParser) accessor(n *pathNode) (next *pathNode, more bool, err error) {
	switch {
	case p.take("?"):
		of, err := p.parenthesized()
		return &pathNode{op: "?", left: n, right: of}, true, err
	case p.take("["):
		next, err = p.subscripts(n)
		return next, true, err
	case p.take("."):
		next, err = p.member(n)
		return next, true, err
	}
	return nil, false, nil
}

func (p *pathParser) subscripts(n *pathNode) (*pathNode, error) {
	if p.take("*") {
		if !p.take("]") {
			return nil, p.fail()
		}
		return &pathNode{op: "[*]", left: n}, nil
	}
	out := &pathNode{op: "[]", left: n}
	for {
		from, err := p.sum()
		if err != nil {
			return nil, err
		}
		if p.word("to") {
			to, err := p.sum()
			if err != nil {
				return nil, err
			}
			from = &pathNode{op: "to", left: from, right: to}
		}
		out.list = append(out.list, from)
		if p.take("]") {
			return out, nil
		}
		if !p.take(",") {
			return nil, p.fail()
		}
	}
}

func (p *pathParser) member(n *pathNode) (*pathNode, error) {
	p.space()
	switch {
	case p.take("**"):
		return p.anyLevel(n)
	case p.take("*"):
		return &pathNode{op: ".*", left: n}, nil
	case strings.HasPrefix(p.rest, `"`):
		name, err := p.quoted()
		return &pathNode{op: ".", left: n, text: name}, err
	}
	name := p.name()
	if name == "" || chars.IsDigit(name[0]) {
		return nil, p.fail()
	}
	if name == "datetime" && p.take("(") {
		return p.datetime(n)
	}
	if p.take("(") {
		if !p.take(")") || !pathMethods[name] {
			return nil, pgerr.Unsupported("jsonpath item method .%s() is not supported", name)
		}
		return &pathNode{op: "method", left: n, text: name}, nil
	}
	return &pathNode{op: ".", left: n, text: name}, nil
}

// datetime is the method of this name, whose argument is a template.
func (p *pathParser) datetime(n *pathNode) (*pathNode, error) {
	out := &pathNode{op: "method", left: n, text: "datetime"}
	if p.take(")") {
		return out, nil
	}
	p.space()
	template, err := p.quoted()
	if err == nil && !p.take(")") {
		err = p.fail()
	}
	out.right = &pathNode{op: "string", text: template}
	return out, err
}

// anyLast is the bound last of .**.
const anyLast = 1 << 30

// anyLevel is .** with its bounds.
func (p *pathParser) anyLevel(n *pathNode) (*pathNode, error) {
	out := &pathNode{op: ".**", left: n, until: anyLast}
	if !p.take("{") {
		return out, nil
	}
	bound := func() (int, error) {
		if p.word("last") {
			return anyLast, nil
		}
		p.space()
		v, used, err := chars.LeadingInt(p.rest)
		if used == 0 || err != nil {
			return 0, p.fail()
		}
		p.rest = p.rest[used:]
		return v, nil
	}
	var err error
	if out.from, err = bound(); err != nil {
		return nil, err
	}
	out.until = out.from
	if p.word("to") {
		if out.until, err = bound(); err != nil {
			return nil, err
		}
	}
	if !p.take("}") {
		return nil, p.fail()
	}
	return out, nil
}

var pathMethods = map[string]bool{
	"type": true, "size": true, "double": true, "ceiling": true, "floor": true, "abs": true, "keyvalue": true,
}
