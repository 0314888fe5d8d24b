package wire

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/pgerr"
)

// maxSASL bounds a message of a client that has not logged in
// (PG_MAX_SASL_MESSAGE_LENGTH of PostgreSQL).
const maxSASL = 1024

// authenticate runs the SASL exchange of the manual's section 55.3. What comes
// after it, AuthenticationOk, is sent with the first messages of the session.
func (c *conn) authenticate(user string) error {
	exchange := c.srv.opts.Auth.Begin(user)
	if err := send(c.net, &pgproto3.AuthenticationSASL{AuthMechanisms: []string{auth.Mechanism}}); err != nil {
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
	if initial.AuthMechanism != auth.Mechanism {
		return pgerr.New(pgerr.ProtocolViolation, "client selected an invalid SASL authentication mechanism")
	}
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

// errLogin hides what was wrong: user, password and proof look alike.
func errLogin(user string, err error) error {
	if errors.Is(err, auth.ErrMalformed) {
		return pgerr.New(pgerr.ProtocolViolation, "malformed SCRAM message").Because(err)
	}
	return pgerr.New(pgerr.InvalidPassword, "password authentication failed for user %q", user).
		Because(fmt.Errorf("scram exchange: %w", err))
}
