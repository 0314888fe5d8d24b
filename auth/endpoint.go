package auth

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/xdg-go/scram"
)

// Endpoint is what a login over TLS can be bound to: tls-server-end-point of RFC 5929, a
// hash of the server's certificate. The zero Endpoint binds to nothing.
type Endpoint struct{ binding scram.ChannelBinding }

// EndpointOf is the endpoint with that certificate. It binds to nothing where the
// certificate's signature names no hash (Ed25519): client and server must take the
// same, and the RFC does not say which.
func EndpointOf(certificate *x509.Certificate) Endpoint {
	// The library knows the client's side, whose peer has the certificate.
	binding, err := scram.NewTLSServerEndpointBinding(&tls.ConnectionState{PeerCertificates: []*x509.Certificate{certificate}})
	if err != nil {
		return Endpoint{}
	}
	return Endpoint{binding}
}

// Mechanisms are those that clients may choose from, the best first.
func (e Endpoint) Mechanisms() []string {
	if e.binding.IsSupported() {
		return []string{MechanismPlus, Mechanism}
	}
	return []string{Mechanism}
}
