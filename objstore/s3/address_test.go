package s3

import (
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestPathStyle asks the client itself: a host name of the other style cannot
// be resolved in a test.
func TestPathStyle(t *testing.T) {
	yes, no := true, false
	for _, tc := range []struct {
		story    string
		endpoint string
		style    *bool
		want     bool
	}{
		{"AWS", "", nil, false},
		{"AWS, path style asked for", "", &yes, true},
		{"endpoint", "https://minio.example.com", nil, true},
		{"endpoint, virtual host asked for", "https://storage.example.com", &no, false},
	} {
		testenv.AWS(t, "AKIATEST", "the-secret")
		b, err := Open(t.Context(), Options{Bucket: "bucket", Endpoint: tc.endpoint, PathStyle: tc.style})
		if err != nil {
			t.Fatalf("%s: Open: %v", tc.story, err)
		}
		if got := b.client.Options().UsePathStyle; got != tc.want {
			t.Errorf("%s: path style: got %v, want %v", tc.story, got, tc.want)
		}
	}
}
