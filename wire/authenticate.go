package wire

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/auth/hba"
	"github.com/ontosql/ontosql/pgerr"
)

// maxSASL is the maximum size of a message before login (PG_MAX_SASL_MESSAGE_LENGTH of
// PostgreSQL).
const maxSASL = 1024

// authenticate lets the client prove who it is, as the first rule that fits it demands, and sets
// its role. If logins from its address have failed too often, it must wait first.
func (c *conn) authenticate(start *startupPacket) error {
	rule, err := c.rule(*start)
	if err != nil {
		return err
	}
	if rule.Method != hba.Trust {
		if err := c.wait(c.srv.attempts.delay(c.address)); err != nil {
			return err
		}
	}
	switch rule.Method {
	case hba.SCRAM:
		err = c.checkPassword(start.user)
	case hba.Cert:
		err = c.checkCertificate(rule, start.user)
	}
	if err == nil {
		start.authenticated = rule.Method != hba.Trust
		start.role, err = c.access.role(start.user, rule.Method)
	}
	if fatal := (*pgerr.Error)(nil); errors.As(err, &fatal) && rule.Method != hba.Trust {
		c.srv.attempts.failed(c.address)
	}
	return err
}

// wait delays a login, unless the connection must end.
func (c *conn) wait(d time.Duration) error {
	if d == 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.place.left:
		return net.ErrClosed
	}
}

// checkCertificate compares the common name of the client's certificate, which the handshake has
// verified, with the user.
func (c *conn) checkCertificate(rule hba.Rule, user string) error {
	if c.tls == nil || len(c.tls.VerifiedChains) == 0 {
		return pgerr.New(pgerr.InvalidAuthorizationSpec, "connection requires a valid client certificate")
	}
	name := c.tls.VerifiedChains[0][0].Subject.CommonName
	if name == "" || !c.access.Maps.Allows(rule.Map, name, user) {
		return pgerr.New(pgerr.InvalidAuthorizationSpec, "certificate authentication failed for user %q", user).
			Because(loggedCause{fmt.Errorf("the certificate is that of %q", shortened(name))})
	}
	return nil
}

// checkPassword runs the SASL exchange (PostgreSQL manual, 55.3). AuthenticationOk, which follows, is
// sent with the first messages of the session.
func (c *conn) checkPassword(user string) error {
	var endpoint auth.Endpoint
	if c.tls != nil {
		endpoint = c.access.endpoint
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
	exchange := c.access.Users.Begin(user, initial.AuthMechanism, endpoint)
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
		Because(loggedCause{err})
}

// loggedCause is a cause that the log may have and the client may not. Other causes stay out of the
// log, because the SCRAM library quotes messages of clients in its errors.
type loggedCause struct{ error }

func (c loggedCause) Unwrap() error { return c.error }

// failureReason is what the log says of a refused login.
func failureReason(e *pgerr.Error) string {
	reason := e.Message
	if e.Detail != "" {
		reason += ": " + e.Detail
	}
	if cause := (loggedCause{}); errors.As(e.Err, &cause) {
		reason += ": " + cause.Error()
	}
	return reason
}
