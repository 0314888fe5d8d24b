package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/xdg-go/scram"
)

// ErrMalformed is a message that is not SCRAM, or asks for what was not offered
// (channel binding). Any other error of a Step is a failed proof.
var ErrMalformed = errors.New("malformed SCRAM message")

// Exchange is one login. It is used by one goroutine and cannot be reused.
type Exchange struct {
	conversation *scram.ServerConversation
	known        bool
	step         int
}

// Begin starts the exchange of the user of that name. For an unknown one it
// goes on with a verifier nobody has the password of, whose salt is the same at
// every attempt, so that only the failed proof shows, and shows nothing.
func (u *Users) Begin(user string) *Exchange {
	v, known := u.verifiers[user]
	if !known {
		v = u.mock(user)
	}
	// The name inside the SCRAM message is ignored as PostgreSQL ignores it: the
	// startup packet named the user.
	server, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) { return v, nil })
	if err != nil {
		panic(fmt.Sprintf("scram server: %v", err)) // it has no case that fails
	}
	return &Exchange{conversation: server.NewConversation(), known: known}
}

// mock is the verifier of an unknown user.
func (u *Users) mock(user string) verifier {
	part := func(label string) []byte {
		mac := hmac.New(sha256.New, u.secret[:])
		mac.Write([]byte(label + "\x00" + user))
		return mac.Sum(nil)
	}
	return verifier{
		KeyFactors: scram.KeyFactors{Salt: string(part("salt")[:saltLen]), Iters: iterations},
		StoredKey:  part("stored"), ServerKey: part("server"),
	}
}

// Step takes the client's next message and returns the server's answer: the
// challenge for the first message, the server's own proof for the second. After
// the second without an error the client has proved to know the password.
func (e *Exchange) Step(message []byte) ([]byte, error) {
	e.step++
	if !utf8.Valid(message) {
		return nil, fmt.Errorf("%w: invalid UTF-8", ErrMalformed)
	}
	answer, err := e.conversation.Step(string(message))
	switch {
	case err == nil && (e.step == 1 || e.conversation.Valid() && e.known):
		return []byte(answer), nil
	case err == nil:
		return nil, errors.New("no such user")
	// The library names what went wrong in the answer it would send; only these
	// say that the message was well-formed and the password wrong.
	case e.step == 2 && strings.HasPrefix(answer, scram.ErrInvalidProof):
		return nil, err
	}
	return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
}
