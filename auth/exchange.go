package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xdg-go/scram"
)

// Errors of a Step. Any other is a failed proof.
var (
	// ErrMalformed is a message that is not SCRAM.
	ErrMalformed = errors.New("malformed SCRAM message")
	// ErrUnbound is a malformed message: its client chose the mechanism with channel
	// binding and does not bind.
	ErrUnbound = fmt.Errorf("%w: no channel binding", ErrMalformed)
	// ErrBound is a malformed message: its client chose the mechanism without channel
	// binding and binds.
	ErrBound = fmt.Errorf("%w: channel binding", ErrMalformed)
	// ErrDowngrade: the client supports channel binding and believes that the server does not.
	// A third party has changed the server's list of mechanisms.
	ErrDowngrade = errors.New("the offer of channel binding did not reach the client")
	// ErrChannel: the client saw the certificate of somebody else, who passes its
	// messages on.
	ErrChannel = errors.New("the client is bound to another channel")
	// ErrChannelType: the client binds to something else than the server's certificate.
	ErrChannelType = errors.New("unsupported channel binding type")
)

// Why no password is the right one. Clients are not told, logs are.
var (
	errNoRole     = errors.New("the role does not exist")
	errNoPassword = errors.New("the role has no password")
	errExpired    = errors.New("the password has expired")
)

// Exchange is one login. It is used by one goroutine and cannot be reused.
type Exchange struct {
	conversation *scram.ServerConversation
	missing      error // why no password is the right one, nil if one is
	binds        bool  // the mechanism is MechanismPlus
	offered      bool  // MechanismPlus was offered
	step         int
}

// Begin starts the exchange of a user, by one of the endpoint's mechanisms. For an unknown user, and for
// one whose password is missing or not valid any more, the exchange uses a verifier without a known password
// and with the same salt at every attempt, so that a client cannot tell these from a wrong password.
func (u *Users) Begin(user, mechanism string, endpoint Endpoint) *Exchange {
	u.Refresh(context.Background())
	role, known := u.Roles().Lookup(user)
	v, err := parseVerifier(role.Password)
	var missing error
	switch {
	case !known:
		missing = errNoRole
	case err != nil:
		missing = errNoPassword
	case role.Expired(time.Now()):
		missing = errExpired
	}
	if missing != nil {
		v = u.mock(user)
	}
	// The name inside the SCRAM message is ignored as PostgreSQL ignores it: the
	// startup packet named the user.
	server, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) { return v, nil })
	if err != nil {
		panic(fmt.Sprintf("scram server: %v", err)) // it has no case that fails
	}
	return &Exchange{
		conversation: server.NewConversationWithChannelBinding(endpoint.binding),
		missing:      missing, binds: mechanism == MechanismPlus, offered: endpoint.binding.IsSupported(),
	}
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
	if e.step == 1 {
		if err := e.checkBinding(string(message)); err != nil {
			return nil, err
		}
	}
	answer, err := e.conversation.Step(string(message))
	switch {
	case err == nil && (e.step == 1 || e.conversation.Valid() && e.missing == nil):
		return []byte(answer), nil
	case e.missing != nil && (err == nil || e.step == 2 && strings.HasPrefix(answer, scram.ErrInvalidProof)):
		return nil, e.missing
	// The library names what went wrong in the answer it would send; only these
	// say that the message was well-formed and the password wrong.
	case e.step == 2 && strings.HasPrefix(answer, scram.ErrInvalidProof):
		return nil, err
	case e.step == 2 && e.binds && strings.HasPrefix(answer, scram.ErrChannelBindingsDontMatch):
		return nil, fmt.Errorf("%w: %w", ErrChannel, err)
	}
	return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
}

// checkBinding compares what the first message says about channel binding (RFC 5802,
// gs2-cbind-flag) with the chosen and the offered mechanisms.
func (e *Exchange) checkBinding(first string) error {
	flag, _, _ := strings.Cut(first, ",")
	switch kind, bound := strings.CutPrefix(flag, "p="); {
	case (flag == "n" || flag == "y") && e.binds:
		return ErrUnbound
	case flag == "y" && e.offered:
		return ErrDowngrade
	case bound && !e.binds:
		return ErrBound
	case bound && kind != string(scram.ChannelBindingTLSServerEndpoint):
		return ErrChannelType
	}
	return nil
}
