package hba

import (
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"strings"
)

// parseNetwork reads an address with its mask: as a CIDR, or in the field that mask takes.
func parseNetwork(address token, mask func() (token, error)) (netip.Prefix, error) {
	if address.keyword("samehost") || address.keyword("samenet") {
		return netip.Prefix{}, fmt.Errorf("%s is not supported: specify an address range in CIDR notation", address.text)
	}
	text, _, cidr := strings.Cut(address.text, "/")
	ip, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		return netip.Prefix{}, fmt.Errorf("invalid IP address %q: host names are not supported", text)
	case ip.Zone() != "":
		return netip.Prefix{}, fmt.Errorf("invalid IP address %q: zones are not supported", text)
	case cidr:
		network, err := netip.ParsePrefix(address.text)
		if err != nil {
			return netip.Prefix{}, fmt.Errorf("invalid CIDR mask in address %q", address.text)
		}
		return unmapped(network), nil
	}
	separate, err := mask()
	if err != nil {
		return netip.Prefix{}, err
	}
	m, err := netip.ParseAddr(separate.text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("invalid IP mask %q", separate.text)
	}
	if m.BitLen() != ip.BitLen() {
		return netip.Prefix{}, errors.New("IP address and mask do not match")
	}
	ones := 0
	for _, b := range m.AsSlice() {
		ones += bits.OnesCount8(b)
	}
	network, err := ip.Prefix(ones)
	if err != nil || !contiguous(m.AsSlice(), ones) {
		return netip.Prefix{}, fmt.Errorf("invalid IP mask %q", separate.text)
	}
	return unmapped(network), nil
}

// contiguous reports whether the ones of a mask are its first bits.
func contiguous(mask []byte, ones int) bool {
	leading := 0
	for _, b := range mask {
		n := bits.LeadingZeros8(^b)
		leading += n
		if n < 8 {
			break
		}
	}
	return leading == ones
}

// unmapped is the network without the bits behind its mask, ::ffff:10.0.0.0/104 as 10.0.0.0/8:
// a socket that listens on both families names IPv4 clients so.
func unmapped(n netip.Prefix) netip.Prefix {
	if n.Addr().Is4In6() && n.Bits() >= 96 {
		n = netip.PrefixFrom(n.Addr().Unmap(), n.Bits()-96)
	}
	return n.Masked()
}
