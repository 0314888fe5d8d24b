package wire

import (
	"bufio"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/pgerr"
)

// maxSASL is the maximum size of a message before login (PG_MAX_SASL_MESSAGE_LENGTH of
// PostgreSQL).
const maxSASL = 1024

// authenticate runs the SASL exchange (PostgreSQL manual, 55.3). AuthenticationOk, which follows, is
// sent with the first messages of the session.
func (c *conn) authenticate(user string) error {
	var endpoint auth.Endpoint
	if c.tls != nil {
		endpoint = c.srv.endpoint
	}
	offered := endpoint.Mechanisms()
	if err := send(c.net, &pgproto3.AuthenticationSASL{AuthMechanisms: offered}); err != nil {
		return err
	}
	body, err := readSASL(c.in)
	if err != nil {
		return err
	}
	var initial pgproto3.SASLInitialResponse
	if err := initial.Decode(body); err != nil {
		return pgerr.New(pgerr.ProtocolViolation, "invalid SASL response").Because(err)
	}
	if !slices.Contains(offered, initial.AuthMechanism) {
		return pgerr.New(pgerr.ProtocolViolation, "client selected an invalid SASL authentication mechanism")
	}
	exchange := c.srv.opts.Auth.Begin(user, initial.AuthMechanism, endpoint)
	challenge, err := exchange.Step(initial.Data)
	if err != nil {
		return errLogin(user, err)
	}
	if err := send(c.net, &pgproto3.AuthenticationSASLContinue{Data: challenge}); err != nil {
		return err
	}
	if body, err = readSASL(c.in); err != nil {
		return err
	}
	proof, err := exchange.Step(body)
	if err != nil {
		return errLogin(user, err)
	}
	return send(c.net, &pgproto3.AuthenticationSASLFinal{Data: proof})
}

func readSASL(in *bufio.Reader) ([]byte, error) {
	f, err := readFrame(in, maxSASL)
	if err != nil {
		return nil, err
	}
	if f.kind != 'p' {
		return nil, pgerr.New(pgerr.ProtocolViolation, "expected SASL response, got message type %d", f.kind)
	}
	return f.body, nil
}

// saslErrors are the errors of an exchange that reveal nothing about the user, with PostgreSQL's
// messages.
var saslErrors = []struct {
	err                   error
	code, message, detail string
}{
	{
		auth.ErrUnbound, pgerr.ProtocolViolation, "malformed SCRAM message",
		"The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include channel binding data.",
	},
	{
		auth.ErrBound, pgerr.ProtocolViolation, "malformed SCRAM message",
		"The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding data.",
	},
	{
		auth.ErrDowngrade, pgerr.InvalidAuthorizationSpec, "SCRAM channel binding negotiation error",
		"The client supports SCRAM channel binding but thinks the server does not.  However, this server does support channel binding.",
	},
	{auth.ErrChannel, pgerr.InvalidAuthorizationSpec, "SCRAM channel binding check failed", ""},
	{auth.ErrChannelType, pgerr.ProtocolViolation, "unsupported SCRAM channel-binding type", ""},
	{auth.ErrMalformed, pgerr.ProtocolViolation, "malformed SCRAM message", ""},
}

// errLogin is the one error for a wrong user, password or proof, so that a client cannot tell
// them apart.
func errLogin(user string, err error) error {
	for _, r := range saslErrors {
		if errors.Is(err, r.err) {
			return pgerr.New(r.code, "%s", r.message).WithDetail("%s", r.detail).Because(err)
		}
	}
	return pgerr.New(pgerr.InvalidPassword, "password authentication failed for user %q", user).
		Because(fmt.Errorf("scram exchange: %w", err))
}
