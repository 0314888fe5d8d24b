package duckdb

import "regexp"

// Condition is the meaning of an error in SQL. The gateway maps each to one SQLSTATE.
type Condition uint8

// The conditions. The zero Condition is for errors that DuckDB gives no means to classify.
const (
	Unclassified         Condition = iota
	SyntaxError                    // or a wrong number of columns in a set operation or subquery
	UndefinedColumn                // Error.Name is the column, if DuckDB names it
	AmbiguousColumn                //
	UndefinedTable                 // a relation, or an alias missing from the FROM clause
	DuplicateAlias                 // an alias used twice in one FROM clause
	DuplicateTable                 //
	UndefinedSchema                //
	UndefinedFunction              // no such function, or none for the arguments
	AmbiguousFunction              // several functions match the arguments
	UndefinedType                  //
	Grouping                       // a misplaced aggregate, window function or ungrouped column
	TypeMismatch                   // types that cannot be compared or combined
	InvalidText                    // an invalid text for the type
	InvalidDatetime                // an invalid text for a date or time
	DatetimeOverflow               // a date or time that does not exist
	NumericOverflow                //
	DivisionByZero                 //
	InvalidRegexp                  //
	InvalidEscape                  // a pattern of LIKE ends with its escape character
	InvalidArgument                // a value that a function or clause does not accept
	CardinalityViolation           // a scalar subquery returned more than one row
	UniqueViolation                //
	NotNullViolation               //
	TooComplex                     // expression nested too deeply
	MemoryExhausted                //
	DiskFull                       //
	Denied                         // the sandbox refused a file or a setting
	Damaged                        // a database file is not as it was written
	InFailedTransaction            // the transaction can only be rolled back
	Conflict                       // another transaction wrote the same rows or object
)

// rules are tried in order; the first one whose given parts all match sets the condition.
// Message texts are matched only where DuckDB's type and subtype are not specific enough. The
// named groups of a message fill empty fields of Error.
var rules = []struct {
	typ       ErrorType
	subtype   string
	object    string
	message   *regexp.Regexp
	condition Condition
}{
	{typ: Parser, message: regex(`^Max expression depth`), condition: TooComplex},
	{typ: Parser, condition: SyntaxError},
	{typ: OutOfMemory, message: regex(`No space left|max_temp_directory_size|temp_directory`), condition: DiskFull},
	{typ: OutOfMemory, condition: MemoryExhausted},
	{typ: IO, message: regex(`No space left on device`), condition: DiskFull},
	{typ: Transaction, message: regex(`No space left on device`), condition: DiskFull},
	{typ: IO, message: regex(`^Corrupt database file`), condition: Damaged},
	{typ: Permission, condition: Denied},
	{typ: InvalidInput, message: regex(`^Cannot change |configuration has been locked`), condition: Denied},
	{typ: Constraint, message: regex(`^NOT NULL constraint`), condition: NotNullViolation},
	{typ: Constraint, message: regex(`(?i)PRIMARY KEY|UNIQUE|duplicate key`), condition: UniqueViolation},
	{typ: Transaction, message: regex(`transaction is aborted`), condition: InFailedTransaction},
	{typ: Transaction, message: regex(`(?i)conflict`), condition: Conflict},

	{typ: Catalog, subtype: "MISSING_ENTRY", object: "Type", condition: UndefinedType},
	{typ: Catalog, subtype: "MISSING_ENTRY", object: "Schema", condition: UndefinedSchema},
	{typ: Catalog, subtype: "MISSING_ENTRY", object: "Table", condition: UndefinedTable},
	{typ: Catalog, subtype: "MISSING_ENTRY", object: "View", condition: UndefinedTable},
	{typ: Catalog, subtype: "MISSING_ENTRY", message: regex(`Function with name`), condition: UndefinedFunction},
	{typ: Catalog, message: regex(`with name "(?P<name>[^"]*)" does not exist because schema`), condition: UndefinedTable},
	{typ: Catalog, subtype: "ENTRY_ALREADY_EXISTS", condition: DuplicateTable},

	{subtype: "COLUMN_NOT_FOUND", condition: UndefinedColumn},
	{subtype: "NO_MATCHING_FUNCTION", condition: UndefinedFunction},
	{typ: Binder, message: regex(`does not have a column named "(?P<name>[^"]*)"|^Column "(?P<name>[^"]*)" does not exist`), condition: UndefinedColumn},
	{typ: Binder, message: regex(`^Ambiguous reference to column name "(?P<name>[^"]*)"`), condition: AmbiguousColumn},
	{typ: Binder, message: regex(`^Ambiguous reference to table "(?P<name>[^"]*)"|^Duplicate alias "(?P<name>[^"]*)"`), condition: DuplicateAlias},
	{typ: Binder, message: regex(`^Referenced table "(?P<name>[^"]*)" not found`), condition: UndefinedTable},
	{typ: Binder, message: regex(`^Could not choose a best candidate`), condition: AmbiguousFunction},
	{typ: Binder, message: regex(`GROUP BY clause|aggregate function calls cannot|cannot contain (aggregates|window functions)`), condition: Grouping},
	{typ: Binder, message: regex(`^Cannot (compare|mix|combine|deduce) |an explicit cast is required`), condition: TypeMismatch},
	{typ: Binder, message: regex(`same number of result columns|^Subquery returns \d+ columns`), condition: SyntaxError},
	{typ: Binder, message: regex(`^Max expression depth`), condition: TooComplex},
	{typ: Binder, message: regex(`term out of range|cannot be negative`), condition: InvalidArgument},

	{message: regex(`^Like pattern must not end with escape character`), condition: InvalidEscape},
	{message: regex(`(?i)^division by zero`), condition: DivisionByZero},
	{typ: Conversion, message: regex(`is out of range for the destination type|^Failed to cast decimal value|^Casting value "[^"]*" to type DECIMAL\(\d+,\d+\) failed: value is out of range|^Could not cast value .* to DECIMAL|^Could not convert string "-?[0-9]+(\.[0-9]+)?" to DECIMAL`), condition: NumericOverflow},
	{message: regex(`^Date out of range|^Could not convert Day to Microseconds|^Date and time not in timestamp range|^Timestamp out of range`), condition: DatetimeOverflow},
	{message: regex(`^Type INT32 with value \d+-\d+-\d+( \(BC\))? can't be cast to the destination type INT64`), condition: DatetimeOverflow}, // a day as a timestamp
	{typ: Conversion, message: regex(`^Could not convert string ['"](?P<value>[+-]?\d+)['"] to (?P<object>U?INT\d+)$`), condition: NumericOverflow},
	{typ: Conversion, message: regex(`^(?P<object>date|time|timestamp) field value out of range: "(?P<value>[^"]*)"`), condition: DatetimeOverflow},
	{typ: Conversion, message: regex(`^invalid (?P<object>date|time|timestamp) field format: "(?P<value>[^"]*)"`), condition: InvalidDatetime},
	{typ: Conversion, message: regex(`(?s)^Could not convert string ['"](?P<value>.*)['"] to (?P<object>INTERVAL)$`), condition: InvalidDatetime},
	{typ: Conversion, message: regex(`(?s)^Could not convert string ['"](?P<value>.*)['"] to (?P<object>[A-Z0-9_(), ]+)$`), condition: InvalidText},
	{typ: Conversion, message: regex(`specifier .* not recognized`), condition: InvalidArgument},
	{typ: Conversion, condition: InvalidText},
	{typ: OutOfRange, message: regex(`^Overflow|(?i)out of range`), condition: NumericOverflow},
	{typ: OutOfRange, condition: InvalidArgument},
	{typ: InvalidInput, message: regex(`^More than one row returned by a subquery`), condition: CardinalityViolation},
	{typ: InvalidInput, message: regex(`is out of range for the destination type`), condition: NumericOverflow},
	{typ: InvalidInput, message: regex(`^Malformed JSON`), condition: InvalidText},
	// Messages of RE2, the regular expression library.
	{typ: InvalidInput, message: regex(`^(missing (closing )?[)\]]|unexpected \)|no argument for repetition|` +
		`invalid (escape sequence|character class|perl operator|repetition size|named capture)|trailing \\|bad repetition)`), condition: InvalidRegexp},
	{typ: InvalidInput, message: regex(`^Invalid (UTF8 Codepoint|argument)|format specifier`), condition: InvalidArgument},
	{typ: NotImplemented, message: regex(`^Unknown TimeZone`), condition: InvalidArgument},
}

func regex(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// classify sets the condition and the fields that the matching message names.
func (e *Error) classify() {
	for _, r := range rules {
		if r.typ != "" && r.typ != e.Type || r.subtype != "" && r.subtype != e.Subtype || r.object != "" && r.object != e.Object {
			continue
		}
		if r.message != nil {
			found := r.message.FindStringSubmatch(e.Message)
			if found == nil {
				continue
			}
			for i, group := range r.message.SubexpNames() {
				e.fill(group, found[i])
			}
		}
		e.Condition = r.condition
		return
	}
}

func (e *Error) fill(group, text string) {
	switch {
	case group == "name" && e.Name == "":
		e.Name = text
	case group == "object" && e.Object == "":
		e.Object = text
	case group == "value" && e.Value == "":
		e.Value = text
	}
}
