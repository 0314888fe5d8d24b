package auth

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/scram"
)

// The SASL mechanisms of the exchange (RFC 7677). Verifiers, which begin with the name
// of the first, serve both.
const (
	Mechanism     = "SCRAM-SHA-256"
	MechanismPlus = "SCRAM-SHA-256-PLUS" // with channel binding
)

const (
	iterations = 4096 // PostgreSQL's SCRAM_DEFAULT_ITERATIONS
	saltLen    = 16   // SCRAM_DEFAULT_SALT_LEN
	keyLen     = 32   // of SHA-256
)

// verifier is what is kept of a password: enough to check a proof of it, not
// enough to give one.
type verifier = scram.StoredCredentials

// NewVerifier makes the verifier of a password with a salt of its own, in
// PostgreSQL's form: SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey.
func NewVerifier(password string) (string, error) {
	if password == "" {
		return "", errors.New("a password must not be empty")
	}
	if strings.ContainsRune(password, 0) {
		return "", errors.New("a password must not contain NUL") // no client could send it
	}
	salt := make([]byte, saltLen)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	v, err := derive(password, scram.KeyFactors{Salt: string(salt), Iters: iterations})
	if err != nil {
		return "", err
	}
	return formatVerifier(v), nil
}

func derive(password string, factors scram.KeyFactors) (verifier, error) {
	client, err := scram.SHA256.NewClient("", password, "")
	if err != nil {
		// A password that SASLprep refuses is used as it is, as PostgreSQL and
		// libpq do on their two sides.
		if client, err = scram.SHA256.NewClientUnprepped("", password, ""); err != nil {
			return verifier{}, fmt.Errorf("derive keys: %w", err)
		}
	}
	v, err := client.GetStoredCredentialsWithError(factors)
	if err != nil {
		return verifier{}, fmt.Errorf("derive keys: %w", err)
	}
	return v, nil
}

func formatVerifier(v verifier) string {
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s$%d:%s$%s:%s", Mechanism, v.Iters, b64([]byte(v.Salt)), b64(v.StoredKey), b64(v.ServerKey))
}

var errVerifier = errors.New("want " + Mechanism + "$iterations:salt$StoredKey:ServerKey after the name")

// IsVerifier reports whether a text has the form of a verifier.
func IsVerifier(text string) bool {
	_, err := parseVerifier(text)
	return err == nil
}

func parseVerifier(text string) (verifier, error) {
	fields := strings.Split(text, "$")
	if len(fields) != 3 || fields[0] != Mechanism {
		return verifier{}, errVerifier
	}
	count, saltText, ok1 := strings.Cut(fields[1], ":")
	storedText, serverText, ok2 := strings.Cut(fields[2], ":")
	if !ok1 || !ok2 {
		return verifier{}, errVerifier
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 {
		return verifier{}, fmt.Errorf("%w: bad iteration count", errVerifier)
	}
	salt, err := base64.StdEncoding.DecodeString(saltText)
	if err != nil || len(salt) == 0 {
		return verifier{}, fmt.Errorf("%w: bad salt", errVerifier)
	}
	v := verifier{KeyFactors: scram.KeyFactors{Salt: string(salt), Iters: n}}
	for _, key := range []struct {
		to   *[]byte
		text string
		name string
	}{{&v.StoredKey, storedText, "StoredKey"}, {&v.ServerKey, serverText, "ServerKey"}} {
		raw, err := base64.StdEncoding.DecodeString(key.text)
		if err != nil || len(raw) != keyLen {
			return verifier{}, fmt.Errorf("%w: bad %s", errVerifier, key.name)
		}
		*key.to = raw
	}
	return v, nil
}
