// Package tables defines ordinary tables (package workspace) and what belongs to them: views,
// indexes, constraints and schemas. It executes CREATE, ALTER, DROP, TRUNCATE, REFRESH, COMMENT
// and VACUUM. Its sub-rooms find and lock the relations (namespace), write rows (modify), keep
// sequences (sequences) and record privileges (privileges).
package tables
