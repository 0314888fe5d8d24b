#include "quotient.h"
#include "_cgo_export.h"

#include <stdbool.h>

// Declarations of duckdb.h.
enum { typeSmallInt = 3, typeInteger = 4, typeBigInt = 5, typeHugeInt = 16, typeVarchar = 17, typeDecimal = 19, typeAny = 34 };
void *duckdb_create_scalar_function(void);
void duckdb_destroy_scalar_function(void **function);
void duckdb_scalar_function_set_name(void *function, const char *name);
void duckdb_scalar_function_add_parameter(void *function, void *type);
void duckdb_scalar_function_set_return_type(void *function, void *type);
void duckdb_scalar_function_set_function(void *function, void (*call)(void *, void *, void *));
int duckdb_register_scalar_function(void *connection, void *function);
void duckdb_scalar_function_set_error(void *info, const char *error);
void *duckdb_create_logical_type(int type);
void *duckdb_create_decimal_type(uint8_t width, uint8_t scale);
void duckdb_destroy_logical_type(void **type);
int duckdb_get_type_id(void *type);
uint8_t duckdb_decimal_scale(void *type);
int duckdb_decimal_internal_type(void *type);
void *duckdb_vector_get_column_type(void *vector);
void *duckdb_data_chunk_get_vector(void *chunk, uint64_t col);
uint64_t duckdb_data_chunk_get_size(void *chunk);
void *duckdb_vector_get_data(void *vector);
uint64_t *duckdb_vector_get_validity(void *vector);
void duckdb_vector_ensure_validity_writable(void *vector);
void duckdb_validity_set_row_invalid(uint64_t *valid, uint64_t row);
void duckdb_vector_assign_string_element_len(void *vector, uint64_t index, const char *text, uint64_t length);

typedef unsigned __int128 wide;

// Constants of numeric.c and of the engine's decimals.
enum { significantDigits = 16, mostScale = 1000, mostDigits = 38, quotientScale = 20 };

// tens has the powers of 10 that fit into 128 bits.
static wide tens[mostDigits + 1];

__attribute__((constructor)) static void fillTens(void) {
	tens[0] = 1;
	for (int i = 1; i <= mostDigits; i++)
		tens[i] = tens[i - 1] * 10;
}

// digitsOf is the number of decimal digits of u, 0 of 0.
static int digitsOf(wide u) {
	int low = 0, high = mostDigits + 1; // tens[low - 1] <= u < tens[high]
	while (low < high) {
		int middle = (low + high) / 2;
		if (u < tens[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// operands is a column of integers or decimals, with the digits behind the point that PostgreSQL
// shows of each: zeros behind those are the engine's and do not count. All do where that is -1.
typedef struct {
	const void *data;
	const uint64_t *valid;
	const int64_t *shown;
	int type, scale;
} operands;

// number is a value of it: units of 10^-scale.
typedef struct {
	wide units;
	bool negative;
	int scale, digits;
} number;

static bool has(const uint64_t *valid, uint64_t i) { return !valid || valid[i / 64] >> (i % 64) & 1; }

static operands readOperands(void *chunk, int col) {
	void *vector = duckdb_data_chunk_get_vector(chunk, col), *type = duckdb_vector_get_column_type(vector);
	operands o = {duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector), duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, col + 1)),
	              duckdb_get_type_id(type), 0};
	if (o.type == typeDecimal) {
		o.scale = duckdb_decimal_scale(type);
		o.type = duckdb_decimal_internal_type(type);
	}
	duckdb_destroy_logical_type(&type);
	return o;
}

static bool readNumber(const operands *o, uint64_t i, number *n) {
	__int128 v;
	switch (o->type) {
	case typeSmallInt:
		v = ((const int16_t *)o->data)[i];
		break;
	case typeInteger:
		v = ((const int32_t *)o->data)[i];
		break;
	case typeBigInt:
		v = ((const int64_t *)o->data)[i];
		break;
	case typeHugeInt: {
		const uint64_t *words = (const uint64_t *)o->data + 2 * i;
		v = (__int128)((wide)words[1] << 64 | words[0]);
		break;
	}
	default:
		return false;
	}
	n->negative = v < 0;
	n->units = v < 0 ? -(wide)v : (wide)v;
	n->scale = o->scale;
	int64_t shown = o->shown[i];
	while (shown >= 0 && n->scale > shown && n->units % 10 == 0) {
		n->units /= 10;
		n->scale--;
	}
	n->digits = digitsOf(n->units);
	return true;
}

// leading is the exponent of the first digit of base 10,000 of a number, and that digit.
static int leading(const number *n, int *first) {
	if (!n->digits) {
		*first = 0;
		return 0;
	}
	int exponent = n->digits - 1 - n->scale; // of the first decimal digit
	int weight = exponent >= 0 ? exponent / 4 : -((3 - exponent) / 4);
	int count = exponent - 4 * weight + 1;
	*first = n->digits >= count ? (int)(n->units / tens[n->digits - count]) : (int)(n->units * tens[count - n->digits]);
	return weight;
}

// scaleOf is the display scale of x / y (select_div_scale of numeric.c).
static int scaleOf(const number *x, const number *y) {
	int first, below, weight = leading(x, &first);
	weight -= leading(y, &below);
	if (first <= below)
		weight--;
	int scale = significantDigits - 4 * weight;
	scale = scale < x->scale ? x->scale : scale;
	scale = scale < y->scale ? y->scale : scale;
	scale = scale < 0 ? 0 : scale;
	return scale > mostScale ? mostScale : scale;
}

static const char *const outOfRange = "[22003] numeric out of range";

// over is x / y rounded, halves away from zero.
static wide over(wide x, wide y) {
	if (!(x >> 64) && !(y >> 64)) {
		uint64_t q = (uint64_t)x / (uint64_t)y, rest = (uint64_t)x % (uint64_t)y;
		return q + (rest >= (uint64_t)y - rest);
	}
	wide q = x / y, rest = x % y;
	return q + (rest >= y - rest);
}

// fits reports whether x * 10^shift needs no more than 128 bits.
static bool fits(const number *x, int shift) { return x->digits + shift <= mostDigits; }

// longQuotient writes the decimal digits of x * 10^shift / y, which does not fit, and returns their number.
static int longQuotient(const number *x, const number *y, int shift, char *digits) {
	return ontosqlLongQuotient((uint64_t)(x->units >> 64), (uint64_t)x->units, shift, (uint64_t)(y->units >> 64), (uint64_t)y->units, digits);
}

// mostQuotientDigits are the digits of a quotient: those of x and of 10^shift.
enum { mostQuotientDigits = mostDigits + mostScale + mostDigits };

// printDigits writes the decimal digits of u and returns their number, 0 of 0.
static int printDigits(wide u, char *digits) {
	int n = digitsOf(u);
	for (int i = n; i > 0;) {
		uint64_t part = (uint64_t)(u % 1000000000000000000);
		u /= 1000000000000000000;
		for (int k = 0; k < 18 && i > 0; k++, part /= 10)
			digits[--i] = '0' + part % 10;
	}
	return n;
}

// setQuotient sets x / y with quotientScale digits behind the point.
static const char *setQuotient(const number *x, const number *y, void *out, void *result, uint64_t i) {
	int scale = scaleOf(x, y), shift = scale + y->scale - x->scale;
	wide q = 0;
	if (fits(x, shift)) {
		q = over(x->units * tens[shift], y->units);
		if (scale > quotientScale)
			q = scale - quotientScale > mostDigits ? 0 : over(q, tens[scale - quotientScale]);
		else if (digitsOf(q) + quotientScale - scale > mostDigits)
			return outOfRange;
		else
			q *= tens[quotientScale - scale];
	} else {
		char digits[mostQuotientDigits];
		int n = longQuotient(x, y, shift, digits), kept = n + quotientScale - scale;
		if (kept > mostDigits)
			return outOfRange;
		for (int k = 0; k < kept; k++)
			q = q * 10 + (k < n ? digits[k] - '0' : 0);
		if (kept >= 0 && kept < n && digits[kept] >= '5')
			q++;
		if (q >= tens[mostDigits])
			return outOfRange;
	}
	__int128 value = x->negative != y->negative ? -(__int128)q : (__int128)q;
	uint64_t *words = (uint64_t *)result + 2 * i;
	words[0] = (uint64_t)value;
	words[1] = (uint64_t)(value >> 64);
	return NULL;
}

// setText sets x / y with all digits of its scale.
static const char *setText(const number *x, const number *y, void *out, void *result, uint64_t i) {
	int scale = scaleOf(x, y), shift = scale + y->scale - x->scale;
	char digits[mostQuotientDigits], text[mostQuotientDigits + mostScale + 3];
	int n = fits(x, shift) ? printDigits(over(x->units * tens[shift], y->units), digits) : longQuotient(x, y, shift, digits), length = 0;
	if (n && x->negative != y->negative)
		text[length++] = '-';
	for (int at = n > scale ? n : scale + 1; at > 0; at--) { // digits from here on
		if (at == scale)
			text[length++] = '.';
		text[length++] = at > n ? '0' : digits[n - at];
	}
	duckdb_vector_assign_string_element_len(out, i, text, length);
	return NULL;
}

static const char *setScale(const number *x, const number *y, void *out, void *result, uint64_t i) {
	((int64_t *)result)[i] = scaleOf(x, y);
	return NULL;
}

// each calls compute for each row of a chunk that has no NULL.
static void each(void *info, void *chunk, void *out, const char *(*compute)(const number *, const number *, void *, void *, uint64_t)) {
	operands left = readOperands(chunk, 0), right = readOperands(chunk, 2);
	const uint64_t *leftShown = duckdb_vector_get_validity(duckdb_data_chunk_get_vector(chunk, 1));
	const uint64_t *rightShown = duckdb_vector_get_validity(duckdb_data_chunk_get_vector(chunk, 3));
	void *result = duckdb_vector_get_data(out);
	uint64_t n = duckdb_data_chunk_get_size(chunk);
	for (uint64_t i = 0; i < n; i++) {
		if (!has(left.valid, i) || !has(right.valid, i) || !has(leftShown, i) || !has(rightShown, i)) {
			duckdb_vector_ensure_validity_writable(out);
			duckdb_validity_set_row_invalid(duckdb_vector_get_validity(out), i);
			continue;
		}
		number x, y;
		const char *error = "a quotient is of integers and decimals";
		if (readNumber(&left, i, &x) && readNumber(&right, i, &y))
			error = y.digits ? compute(&x, &y, out, result, i) : "[22012] division by zero";
		if (error) {
			duckdb_scalar_function_set_error(info, error);
			return;
		}
	}
}

static void quotients(void *info, void *chunk, void *out) { each(info, chunk, out, setQuotient); }

static void texts(void *info, void *chunk, void *out) { each(info, chunk, out, setText); }

static void scales(void *info, void *chunk, void *out) { each(info, chunk, out, setScale); }

static int define(void *connection, const char *name, void (*call)(void *, void *, void *), void *result) {
	void *function = duckdb_create_scalar_function(), *any = duckdb_create_logical_type(typeAny), *bigint = duckdb_create_logical_type(typeBigInt);
	duckdb_scalar_function_set_name(function, name);
	for (int i = 0; i < 2; i++) {
		duckdb_scalar_function_add_parameter(function, any);
		duckdb_scalar_function_add_parameter(function, bigint);
	}
	duckdb_scalar_function_set_return_type(function, result);
	duckdb_scalar_function_set_function(function, call);
	int refused = duckdb_register_scalar_function(connection, function);
	duckdb_destroy_logical_type(&result);
	duckdb_destroy_logical_type(&any);
	duckdb_destroy_logical_type(&bigint);
	duckdb_destroy_scalar_function(&function);
	return refused;
}

int ontosqlDefineQuotients(void *connection) {
	return define(connection, "ontosql_quotient", quotients, duckdb_create_decimal_type(mostDigits, quotientScale)) ||
	       define(connection, "ontosql_quotient_text", texts, duckdb_create_logical_type(typeVarchar)) ||
	       define(connection, "ontosql_quotient_scale", scales, duckdb_create_logical_type(typeBigInt));
}
