package gateway

import (
	"fmt"
	"testing"
)

// TestOwnFilesAreBounded keeps more files than there is room for: the oldest go,
// and what was given out takes no room.
func TestOwnFilesAreBounded(t *testing.T) {
	var o ownFiles
	body := make([]byte, largestOwnFile)
	const fit = mostOwnBytes / largestOwnFile
	for n := range fit + 2 {
		o.keep(fmt.Sprint(n), body)
	}
	o.keep("large", make([]byte, largestOwnFile+1))
	for key, want := range map[string]bool{"0": false, "1": false, "2": true, fmt.Sprint(fit + 1): true, "large": false, "never": false} {
		if got := o.take(key) != nil; got != want {
			t.Errorf("file %s is remembered: %t, want %t", key, got, want)
		}
		if o.take(key) != nil {
			t.Errorf("file %s is given out twice", key)
		}
	}
	o.keep("more", body)
	o.keep("and more", body)
	if o.take("3") == nil {
		t.Error("a file was forgotten although others had been given out")
	}
	for n := range 2 * mostOwnFiles {
		o.keep(fmt.Sprint("small", n), []byte("x"))
		o.take(fmt.Sprint("small", n))
	}
	if len(o.keys) > mostOwnFiles {
		t.Errorf("%d keys are kept of files that are gone", len(o.keys))
	}
	if o.take("4") != nil || o.size != 0 {
		t.Errorf("after many other files there is room for %d bytes of old ones", o.size)
	}
}
