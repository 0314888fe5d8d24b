// Package tables defines ordinary tables (package workspace) and what belongs to them: views,
// indexes, constraints, schemas and privileges. It executes CREATE, ALTER, DROP, TRUNCATE,
// REFRESH, GRANT, COMMENT and VACUUM. Its sub-rooms find and lock the relations (namespace), write
// rows (modify) and keep sequences (sequences).
package tables
