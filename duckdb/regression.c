#include "regression.h"
#include "aggregate.h"

#include <math.h>
#include <string.h>

// Further declarations of duckdb.h.
enum { typeDouble = 11 };
void duckdb_vector_ensure_validity_writable(void *vector);

// line is the transition state of Youngs and Cramer (PostgreSQL's float.c) over points:
// their number, the sums of x and y, and the sums of the squares and of the product of
// their deviations from the means. These are NaN if a point is not finite.
typedef struct {
	double n, sx, sxx, sy, syy, sxy;
} line;

static const char overflow[] = "[22003] value out of range: overflow";

static uint64_t size(void *info) { return sizeof(line); }

static void init(void *info, void *state) { memset(state, 0, sizeof(line)); }

// addPoint returns whether finite numbers overflowed to infinity.
static int addPoint(line *l, double y, double x) {
	double before = l->n, sx = l->sx, sy = l->sy;
	l->n += 1;
	l->sx += x;
	l->sy += y;
	if (before == 0) {
		if (!isfinite(x))
			l->sxx = l->sxy = NAN;
		if (!isfinite(y))
			l->syy = l->sxy = NAN;
		return 0;
	}
	double dx = x * l->n - l->sx, dy = y * l->n - l->sy, scale = 1 / (l->n * before);
	l->sxx += dx * dx * scale;
	l->syy += dy * dy * scale;
	l->sxy += dx * dy * scale;
	int infiniteX = isinf(l->sx) || isinf(l->sxx), infiniteY = isinf(l->sy) || isinf(l->syy);
	int finiteX = !isinf(sx) && !isinf(x), finiteY = !isinf(sy) && !isinf(y);
	if ((infiniteX && finiteX) || (infiniteY && finiteY) || (isinf(l->sxy) && finiteX && finiteY))
		return 1;
	if (isinf(l->sxx))
		l->sxx = NAN;
	if (isinf(l->syy))
		l->syy = NAN;
	if (isinf(l->sxy))
		l->sxy = NAN;
	return 0;
}

// addNumber is addPoint without y. PostgreSQL divides here where it multiplies there.
static int addNumber(line *l, double x) {
	double before = l->n, sx = l->sx;
	l->n += 1;
	l->sx += x;
	if (before == 0) {
		if (!isfinite(x))
			l->sxx = NAN;
		return 0;
	}
	double d = x * l->n - l->sx;
	l->sxx += d * d / (l->n * before);
	if (!isinf(l->sx) && !isinf(l->sxx))
		return 0;
	if (!isinf(sx) && !isinf(x))
		return 1;
	l->sxx = NAN;
	return 0;
}

static int isValid(uint64_t *valid, uint64_t i) { return !valid || valid[i / 64] >> (i % 64) & 1; }

static void updateNumbers(void *info, void *chunk, void **states) {
	void *vector = duckdb_data_chunk_get_vector(chunk, 0);
	const double *x = duckdb_vector_get_data(vector);
	uint64_t n = duckdb_data_chunk_get_size(chunk), *valid = duckdb_vector_get_validity(vector);
	int failed = 0;
	for (uint64_t i = 0; i < n; i++)
		if (isValid(valid, i))
			failed |= addNumber(states[i], x[i]);
	if (failed)
		duckdb_aggregate_function_set_error(info, overflow);
}

static void updatePoints(void *info, void *chunk, void **states) {
	void *left = duckdb_data_chunk_get_vector(chunk, 0), *right = duckdb_data_chunk_get_vector(chunk, 1);
	const double *y = duckdb_vector_get_data(left), *x = duckdb_vector_get_data(right);
	uint64_t n = duckdb_data_chunk_get_size(chunk), *validY = duckdb_vector_get_validity(left), *validX = duckdb_vector_get_validity(right);
	int failed = 0;
	for (uint64_t i = 0; i < n; i++)
		if (isValid(validY, i) && isValid(validX, i))
			failed |= addPoint(states[i], y[i], x[i]);
	if (failed)
		duckdb_aggregate_function_set_error(info, overflow);
}

static void combine(void *info, void **sources, void **targets, uint64_t count) {
	int failed = 0;
	for (uint64_t i = 0; i < count; i++) {
		const line *a = sources[i];
		line *b = targets[i];
		if (a->n == 0)
			continue;
		if (b->n == 0) {
			*b = *a;
			continue;
		}
		double n = a->n + b->n, dx = a->sx / a->n - b->sx / b->n, dy = a->sy / a->n - b->sy / b->n, weight = a->n * b->n / n;
		line sum = {n, a->sx + b->sx, a->sxx + b->sxx + weight * dx * dx, a->sy + b->sy, a->syy + b->syy + weight * dy * dy, a->sxy + b->sxy + weight * dx * dy};
		failed |= (isinf(sum.sx) && !isinf(a->sx) && !isinf(b->sx)) || (isinf(sum.sy) && !isinf(a->sy) && !isinf(b->sy)) || isinf(sum.sxx) || isinf(sum.syy) || isinf(sum.sxy);
		*b = sum;
	}
	if (failed)
		duckdb_aggregate_function_set_error(info, overflow);
}

// FINAL defines the final function of a statistic that needs a minimum number of points.
#define FINAL(name, least, isNull, value)                                                                              \
	static void name(void *info, void **states, void *result, uint64_t count, uint64_t offset) {                       \
		double *out = duckdb_vector_get_data(result);                                                                  \
		for (uint64_t i = 0; i < count; i++) {                                                                         \
			const line *l = states[i];                                                                                 \
			uint64_t at = offset + i;                                                                                  \
			if (l->n < least || (isNull)) {                                                                            \
				duckdb_vector_ensure_validity_writable(result);                                                        \
				duckdb_vector_get_validity(result)[at / 64] &= ~((uint64_t)1 << (at % 64));                            \
			} else                                                                                                     \
				out[at] = value;                                                                                       \
		}                                                                                                              \
	}

FINAL(varPop, 1, 0, l->sxx / l->n)
FINAL(varSamp, 2, 0, l->sxx / (l->n - 1))
FINAL(stddevPop, 1, 0, sqrt(l->sxx / l->n))
FINAL(stddevSamp, 2, 0, sqrt(l->sxx / (l->n - 1)))
FINAL(sumSquaresX, 1, 0, l->sxx)
FINAL(sumSquaresY, 1, 0, l->syy)
FINAL(sumProducts, 1, 0, l->sxy)
FINAL(averageX, 1, 0, l->sx / l->n)
FINAL(averageY, 1, 0, l->sy / l->n)
FINAL(covarPop, 1, 0, l->sxy / l->n)
FINAL(covarSamp, 2, 0, l->sxy / (l->n - 1))
FINAL(corr, 1, l->sxx == 0 || l->syy == 0, l->sxy / sqrt(l->sxx * l->syy))
FINAL(r2, 1, l->sxx == 0, l->syy == 0 ? 1 : l->sxy * l->sxy / (l->sxx * l->syy))
FINAL(slope, 1, l->sxx == 0, l->sxy / l->sxx)
FINAL(intercept, 1, l->sxx == 0, (l->sy - l->sx * l->sxy / l->sxx) / l->n)

static const struct {
	const char *name;
	int columns;
	void (*finalize)(void *, void **, void *, uint64_t, uint64_t);
} statistics[] = {
	{"ontosql_var_pop", 1, varPop},        {"ontosql_var_samp", 1, varSamp},           {"ontosql_stddev_pop", 1, stddevPop}, {"ontosql_stddev_samp", 1, stddevSamp},
	{"ontosql_covar_pop", 2, covarPop},    {"ontosql_covar_samp", 2, covarSamp},       {"ontosql_corr", 2, corr},            {"ontosql_regr_r2", 2, r2},
	{"ontosql_regr_slope", 2, slope},      {"ontosql_regr_intercept", 2, intercept},   {"ontosql_regr_sxx", 2, sumSquaresX}, {"ontosql_regr_syy", 2, sumSquaresY},
	{"ontosql_regr_sxy", 2, sumProducts},  {"ontosql_regr_avgx", 2, averageX},         {"ontosql_regr_avgy", 2, averageY},
};

int ontosqlDefineRegressions(void *connection) {
	void *type = duckdb_create_logical_type(typeDouble);
	int refused = 0;
	for (unsigned i = 0; i < sizeof statistics / sizeof *statistics && !refused; i++) {
		void *function = duckdb_create_aggregate_function();
		duckdb_aggregate_function_set_name(function, statistics[i].name);
		for (int c = 0; c < statistics[i].columns; c++)
			duckdb_aggregate_function_add_parameter(function, type);
		duckdb_aggregate_function_set_return_type(function, type);
		duckdb_aggregate_function_set_functions(function, size, init, statistics[i].columns == 1 ? updateNumbers : updatePoints, combine, statistics[i].finalize);
		refused = duckdb_register_aggregate_function(connection, function);
		duckdb_destroy_aggregate_function(&function);
	}
	duckdb_destroy_logical_type(&type);
	return refused;
}
