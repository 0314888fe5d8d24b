// Package privileges executes GRANT, REVOKE, ALTER DEFAULT PRIVILEGES and ALTER SCHEMA OWNER TO
// on what belongs to the workspace. Privileges are recorded and shown; they are not enforced.
package privileges
