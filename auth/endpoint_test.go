package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/xdg-go/scram"
)

func certificate(t *testing.T, key crypto.Signer) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func ecdsaKey(t *testing.T, curve elliptic.Curve) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// bound is a client's view of the channel to a server that showed this hash.
func bound(hash []byte) scram.ChannelBinding {
	return scram.ChannelBinding{Type: scram.ChannelBindingTLSServerEndpoint, Data: hash}
}

// TestChannelBinding logs in with clients that see the server's certificate, another
// certificate, or an offer without channel binding.
func TestChannelBinding(t *testing.T) {
	users, err := Load(writeUsers(t, "alice:"+postgresVerifier+"\n", 0o600), nil)
	if err != nil {
		t.Fatal(err)
	}
	cert, other := certificate(t, ecdsaKey(t, elliptic.P256())), certificate(t, ecdsaKey(t, elliptic.P256()))
	client := func(password string) *scram.Client {
		c, err := scram.SHA256.NewClient("", password, "")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	right, wrong := sha256.Sum256(cert.Raw), sha256.Sum256(other.Raw)
	unique := scram.ChannelBinding{Type: scram.ChannelBindingTLSUnique, Data: []byte("finished")}
	bind := func(password string, b scram.ChannelBinding) *scram.ClientConversation {
		return client(password).NewConversationWithChannelBinding(b)
	}
	plain, able := client("pencil").NewConversation, client("pencil").NewConversationAdvertisingChannelBinding
	errProof := errors.New("any but the sentinels")
	for _, c := range []struct {
		name, mechanism string
		endpoint        Endpoint
		client          *scram.ClientConversation
		want            error
	}{
		{"bound", MechanismPlus, EndpointOf(cert), bind("pencil", bound(right[:])), nil},
		{"bound, with a wrong password", MechanismPlus, EndpointOf(cert), bind("pen", bound(right[:])), errProof},
		{"bound to another's certificate", MechanismPlus, EndpointOf(cert), bind("pencil", bound(wrong[:])), ErrChannel},
		{"bound to another's, with a wrong password", MechanismPlus, EndpointOf(cert), bind("pen", bound(wrong[:])), ErrChannel},
		{"bound to the handshake", MechanismPlus, EndpointOf(cert), bind("pencil", unique), ErrChannelType},
		{"the choice of binding and none", MechanismPlus, EndpointOf(cert), plain(), ErrUnbound},
		{"the choice of binding and a downgrade", MechanismPlus, EndpointOf(cert), able(), ErrUnbound},
		{"the choice of none and binding", Mechanism, EndpointOf(cert), bind("pencil", bound(right[:])), ErrBound},
		{"a client that cannot", Mechanism, EndpointOf(cert), plain(), nil},
		{"a client that can and heard of no offer", Mechanism, EndpointOf(cert), able(), ErrDowngrade},
		{"a client that can, without an offer", Mechanism, Endpoint{}, able(), nil},
		{"binding without an offer", Mechanism, Endpoint{}, bind("pencil", bound(right[:])), ErrBound},
	} {
		err := converse(t, c.client, users.Begin("alice", c.mechanism, c.endpoint))
		matches := errors.Is(err, c.want)
		if c.want == errProof {
			matches = err != nil
			for _, sentinel := range []error{ErrMalformed, ErrChannel, ErrChannelType, ErrDowngrade} {
				matches = matches && !errors.Is(err, sentinel)
			}
		}
		if !matches {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

// TestEndpoints: the hash is that of the certificate's own signature (RFC 5929, 4.1).
func TestEndpoints(t *testing.T) {
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	offers := func(e Endpoint) bool { return slices.Contains(e.Mechanisms(), MechanismPlus) }
	p256, p384 := certificate(t, ecdsaKey(t, elliptic.P256())), certificate(t, ecdsaKey(t, elliptic.P384()))
	short, long := sha256.Sum256(p256.Raw), sha512.Sum384(p384.Raw)
	if e := EndpointOf(p256); !offers(e) || !e.binding.Matches(bound(short[:])) {
		t.Errorf("signed with SHA-256: got %+v, want that hash", e)
	}
	if e := EndpointOf(p384); !offers(e) || !e.binding.Matches(bound(long[:])) {
		t.Errorf("signed with SHA-384: got %+v, want that hash", e)
	}
	for name, e := range map[string]Endpoint{"no certificate": {}, "Ed25519": EndpointOf(certificate(t, edwards))} {
		if offers(e) {
			t.Errorf("%s: channel binding is offered", name)
		}
	}
}
