package format

import (
	"strconv"
	"strings"
)

// String returns the type approximately as Python writes it.
func (r *Rule) String() string {
	const longest = 200
	text := r.appendTo(nil, longest)
	if len(text) > longest {
		text = append(text[:longest:longest], "..."...)
	}
	return strings.ToValidUTF8(string(text), "")
}

// shapeNames are the names of rules without parts.
var shapeNames = [...]string{
	shapeAny: "Any", shapeNone: "None", shapeStr: "str", shapeInt: "int", shapeFloat: "float", shapeBool: "bool", shapeBytes: "bytes",
	shapeDatetime: "datetime", shapeDate: "date", shapeDecimal: "Decimal", shapeUUID: "UUID",
	shapeLiteral: "Literal", shapeList: "list", shapeTuple: "tuple", shapeDict: "dict", shapeTypedDict: "TypedDict",
}

// appendTo appends the text. It stops soon after dst has more than longest bytes.
func (r *Rule) appendTo(dst []byte, longest int) []byte {
	switch {
	case r.shape == shapeUnion:
		return appendList(dst, r.parts, " | ", longest)
	case r.shape == shapeTypedDict && r.name != "":
		return append(dst, r.name...)
	}
	dst = append(dst, shapeNames[r.shape]...)
	switch {
	case r.shape == shapeLiteral:
		return r.appendValues(dst, longest)
	case r.shape == shapeTuple:
		dst = appendList(append(dst, '['), r.parts, ", ", longest)
	case r.shape == shapeList && !r.item.AdmitsAll():
		dst = r.item.appendTo(append(dst, '['), longest)
	case r.shape == shapeDict && !(r.key.AdmitsAll() && r.item.AdmitsAll()):
		dst = appendList(append(dst, '['), []*Rule{r.key, r.item}, ", ", longest)
	default:
		return dst
	}
	return append(dst, ']')
}

func appendList(dst []byte, rules []*Rule, between string, longest int) []byte {
	for i, r := range rules {
		if len(dst) > longest {
			break
		}
		if i > 0 {
			dst = append(dst, between...)
		}
		dst = r.appendTo(dst, longest)
	}
	return dst
}

func (r *Rule) appendValues(dst []byte, longest int) []byte {
	between := "["
	for _, v := range r.values {
		if len(dst) > longest {
			break
		}
		dst = append(dst, between...)
		between = ", "
		if v.kind == JSONString {
			dst = strconv.AppendQuote(dst, v.text)
			continue
		}
		text, _ := KeyText(v) // only arrays and objects have no KeyText
		dst = append(dst, text...)
	}
	return append(dst, ']')
}
