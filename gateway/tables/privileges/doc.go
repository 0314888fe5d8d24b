// Package privileges executes GRANT, REVOKE and ALTER DEFAULT PRIVILEGES on what belongs to the
// workspace. Privileges are recorded and shown; gateway/access compares them where grants are required.
package privileges
