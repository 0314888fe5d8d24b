package auth

import (
	"testing"

	"github.com/xdg-go/scram"
)

// FuzzReplay sends the messages of a login in any order, mixed with those of a recorded one, with
// wrong bits, and with other headers of channel binding. Only the two messages that belong to the
// exchange, in their order, let a client in.
func FuzzReplay(f *testing.F) {
	const (
		first = iota
		final
		recordedFirst
		recordedFinal
		boundFirst
		flippedFinal
		steps
	)
	f.Add([]byte{first, final}, uint16(0))
	f.Add([]byte{recordedFirst, recordedFinal}, uint16(0))
	f.Add([]byte{first, recordedFinal}, uint16(0))
	f.Add([]byte{first, first, final}, uint16(0))
	f.Add([]byte{final, first}, uint16(0))
	f.Add([]byte{first, flippedFinal, final}, uint16(400))
	f.Add([]byte{boundFirst, final}, uint16(0))
	f.Add([]byte{first, final, final}, uint16(0))
	users, err := Load(writeUsers(f, "alice:"+postgresVerifier+"\n", 0o600), nil)
	if err != nil {
		f.Fatal(err)
	}
	client := func() *scram.ClientConversation {
		c, err := scram.SHA256.NewClient("", "pencil", "")
		if err != nil {
			f.Fatal(err)
		}
		return c.NewConversation()
	}
	say := func(c *scram.ClientConversation, challenge string) string {
		text, err := c.Step(challenge)
		if err != nil {
			f.Fatal(err)
		}
		return text
	}
	overheard, exchange := client(), users.Begin("alice", Mechanism, Endpoint{})
	oldFirst := say(overheard, "")
	challenge, err := exchange.Step([]byte(oldFirst))
	if err != nil {
		f.Fatal(err)
	}
	oldFinal := say(overheard, string(challenge))
	if _, err := exchange.Step([]byte(oldFinal)); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, order []byte, bit uint16) {
		own, exchange := client(), users.Begin("alice", Mechanism, Endpoint{})
		ownFirst := say(own, "")
		ownFinal := oldFinal // until the challenge has come
		for i, b := range order {
			step := b % steps
			message := map[byte]string{
				first: ownFirst, final: ownFinal, recordedFirst: oldFirst, recordedFinal: oldFinal,
				boundFirst: "p=tls-server-end-point" + ownFirst[1:], flippedFinal: flipped(ownFinal, bit),
			}[step]
			answer, err := exchange.Step([]byte(message))
			if err != nil {
				return // the server ends the connection
			}
			switch {
			case i == 0 && step == first:
				ownFinal = say(own, string(answer))
			case i == 0 && step == recordedFirst:
			case i == 1 && order[0]%steps == first && step == final:
			default:
				t.Fatalf("step %d of %v was taken: %q", i, order, message)
			}
		}
	})
}

// flipped is the text with another bit, which base64 does not ignore.
func flipped(text string, bit uint16) string {
	b := []byte(text)
	at := int(bit/8) % (len(b) - 2)
	b[at] ^= 1 << (bit % 8)
	return string(b)
}
