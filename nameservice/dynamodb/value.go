package dynamodb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What DynamoDB keeps ("Supported data types and naming rules", DynamoDB developer guide).
const (
	maxDigits   = 38  // of a number, without zeros at either end
	maxExponent = 125 // of the first digit
	minExponent = -130
	maxDepth    = 31 // of lists and maps in an attribute; the value in the innermost is the 32nd level
	maxName     = 65535
)

var null = &types.AttributeValueMemberNULL{Value: true}

// encode is the attribute of a JSON text. Numbers are kept as decimals, so that equality is
// that of values: 1, 1.0 and 1e0 are one number. What DynamoDB cannot keep is an error, so
// that what is read is what was written.
func encode(text []byte) (types.AttributeValue, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not JSON: text after the value")
	}
	return encodeValue(value, 0)
}

func encodeValue(value any, depth int) (types.AttributeValue, error) {
	switch v := value.(type) {
	case nil:
		return null, nil
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}, nil
	case string:
		return &types.AttributeValueMemberS{Value: v}, nil
	case json.Number:
		if err := checkNumber(v.String()); err != nil {
			return nil, err
		}
		return &types.AttributeValueMemberN{Value: v.String()}, nil
	}
	if depth == maxDepth {
		return nil, fmt.Errorf("DynamoDB keeps no more than %d lists and objects in each other", maxDepth)
	}
	if items, ok := value.([]any); ok {
		return encodeList(items, depth+1)
	}
	return encodeMap(value.(map[string]any), depth+1)
}

func encodeList(items []any, depth int) (types.AttributeValue, error) {
	list := make([]types.AttributeValue, len(items))
	for i, item := range items {
		var err error
		if list[i], err = encodeValue(item, depth); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return &types.AttributeValueMemberL{Value: list}, nil
}

func encodeMap(members map[string]any, depth int) (types.AttributeValue, error) {
	attributes := make(map[string]types.AttributeValue, len(members))
	for name, member := range members {
		if name == "" {
			return nil, errors.New("DynamoDB keeps no member with an empty name")
		}
		if len(name) > maxName {
			return nil, fmt.Errorf("DynamoDB keeps no member whose name has more than %d bytes", maxName)
		}
		var err error
		if attributes[name], err = encodeValue(member, depth); err != nil {
			return nil, fmt.Errorf("member %q: %w", name, err)
		}
	}
	return &types.AttributeValueMemberM{Value: attributes}, nil
}

// checkText refuses what the JSON decoder would replace by U+FFFD without a word: bytes that
// are not UTF-8, and half of a surrogate pair.
func checkText(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not JSON: not UTF-8")
	}
	// A backslash stands only in strings, so escapes can be read without their context.
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		first, ok := surrogate(text[i:])
		if !ok {
			i++ // the escaped character
			continue
		}
		second, ok := surrogate(text[min(i+6, len(text)):])
		if first >= 0xdc00 || !ok || second < 0xdc00 {
			return errors.New("DynamoDB keeps no half of a surrogate pair")
		}
		i += 11
	}
	return nil
}

// surrogate reads the escape of a surrogate at the beginning of text.
func surrogate(text []byte) (unit uint64, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return unit, err == nil && unit >= 0xd800 && unit <= 0xdfff
}

// checkNumber refuses a JSON number that DynamoDB would round or refuse.
func checkNumber(text string) error {
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return nil // zero
	}
	exponent := 0
	if exponentText != "" {
		var err error
		if exponent, err = strconv.Atoi(exponentText); err != nil {
			return fmt.Errorf("DynamoDB keeps no number of this magnitude: %s", text)
		}
	}
	first := exponent + len(digits) - len(fraction) - 1 // the power of ten of the first digit
	switch {
	case len(strings.TrimRight(digits, "0")) > maxDigits:
		return fmt.Errorf("DynamoDB keeps no number with more than %d digits: %s", maxDigits, text)
	case first > maxExponent || first < minExponent:
		return fmt.Errorf("DynamoDB keeps no number of this magnitude: %s", text)
	}
	return nil
}

// decode is the JSON text of an attribute, with the names of objects in order.
func decode(value types.AttributeValue) (json.RawMessage, error) { return appendValue(nil, value) }

func appendValue(dst []byte, value types.AttributeValue) ([]byte, error) {
	switch v := value.(type) {
	case *types.AttributeValueMemberNULL:
		return append(dst, "null"...), nil
	case *types.AttributeValueMemberBOOL:
		return strconv.AppendBool(dst, v.Value), nil
	case *types.AttributeValueMemberN:
		if !json.Valid([]byte(v.Value)) {
			return nil, fmt.Errorf("%q is no number of JSON", v.Value)
		}
		return append(dst, v.Value...), nil
	case *types.AttributeValueMemberS:
		return appendString(dst, v.Value)
	case *types.AttributeValueMemberL:
		return appendList(dst, v.Value)
	case *types.AttributeValueMemberM:
		return appendMap(dst, v.Value)
	}
	return nil, fmt.Errorf("a value that JSON does not have: %s", kind(value))
}

func appendString(dst []byte, s string) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return nil, err
	}
	return append(dst, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...), nil
}

func appendList(dst []byte, items []types.AttributeValue) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendValue(dst, item); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

func appendMap(dst []byte, members map[string]types.AttributeValue) (_ []byte, err error) {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendString(dst, name); err != nil {
			return nil, err
		}
		dst = append(dst, ':')
		if dst, err = appendValue(dst, members[name]); err != nil {
			return nil, fmt.Errorf("member %q: %w", name, err)
		}
	}
	return append(dst, '}'), nil
}

// kind names the type of an attribute as DynamoDB's documents do.
func kind(value types.AttributeValue) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case *types.AttributeValueMemberS:
		return "String"
	case *types.AttributeValueMemberN:
		return "Number"
	case *types.AttributeValueMemberBOOL:
		return "Boolean"
	case *types.AttributeValueMemberNULL:
		return "Null"
	case *types.AttributeValueMemberL:
		return "List"
	case *types.AttributeValueMemberM:
		return "Map"
	case *types.AttributeValueMemberB:
		return "Binary"
	case *types.AttributeValueMemberSS:
		return "String Set"
	case *types.AttributeValueMemberNS:
		return "Number Set"
	case *types.AttributeValueMemberBS:
		return "Binary Set"
	}
	return fmt.Sprintf("%T", value)
}
