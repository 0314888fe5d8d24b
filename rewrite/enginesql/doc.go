// Package enginesql writes SQL text for the engine: quoted names and literals, the names of
// macros, and the placeholders that Bind fills once sources, parameters and settings of a
// session are known. It knows no PostgreSQL syntax.
package enginesql
