// Package macros defines the SQL macros that printed statements call because the engine
// lacks the function or means something else by it. BindArguments keeps calls within calls
// from growing exponentially when the engine expands the macros.
package macros
