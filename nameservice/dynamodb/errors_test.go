package dynamodb

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
)

func removal(x table) *dynamodb.DeleteItemInput {
	return &dynamodb.DeleteItemInput{TableName: aws.String(x.name), Key: key(shop)}
}

// operations are all that a service does.
func operations() map[string]func(ctx context.Context, s *Service) error {
	return map[string]func(ctx context.Context, s *Service) error{
		"create": func(ctx context.Context, s *Service) error {
			_, err := s.Create(ctx, nameservice.New{Alias: shop, CreatedAt: created})
			return err
		},
		"get":  func(ctx context.Context, s *Service) error { _, err := s.Get(ctx, shop); return err },
		"list": func(ctx context.Context, s *Service) error { _, err := s.List(ctx, ""); return err },
		"list of a type": func(ctx context.Context, s *Service) error {
			_, err := s.List(ctx, "vg:bm25")
			return err
		},
		"write": func(ctx context.Context, s *Service) error {
			_, err := s.Write(ctx, shop, nameservice.NewFastForward(nameservice.Status, value(6, `{"state":"ready"}`)))
			return err
		},
		"migrate": func(ctx context.Context, s *Service) error { _, err := s.Migrate(ctx, shop); return err },
		"purge": func(ctx context.Context, s *Service) error {
			_, err := s.Purge(ctx, &nameservice.Record{Alias: shop, Retracted: true})
			return err
		},
	}
}

func TestNoTable(t *testing.T) {
	x := noTable(t)
	for name, ask := range operations() {
		err := ask(t.Context(), x.open(nil))
		if !errors.Is(err, ErrNoTable) || !errors.Is(err, objstore.ErrNoBucket) || !strings.Contains(err.Error(), x.name) {
			t.Errorf("%s: %v; want ErrNoTable and the name of the table", name, err)
		}
	}
}

func TestErrorWords(t *testing.T) {
	const token = "FwoGZXIvYXdzEToken"
	for _, tc := range []struct {
		status        int
		code, message string
		want          error
	}{
		{400, "ResourceNotFoundException", "Requested resource not found", ErrNoTable},
		{400, "AccessDeniedException", "User x is not authorized to perform: dynamodb:GetItem", ErrDenied},
		{400, "UnrecognizedClientException", "The security token included in the request is invalid", ErrDenied},
		{400, "ExpiredTokenException", "expired", ErrDenied},
		{400, "InvalidSignatureException", "does not match. The Canonical String should have been x-amz-security-token:" + token, ErrDenied},
		{403, "Forbidden", "", ErrDenied},
		{400, "ThrottlingException", "", ErrThrottled},
		{500, "InternalServerError", "", ErrUnreachable},
		{503, "ServiceUnavailable", "", ErrUnreachable},
		{404, "NotFound", "", ErrUnreachable},
	} {
		for name, ask := range operations() {
			tr := &transport{answer: func(int, exchange) (*http.Response, error) { return refusal(tc.status, tc.code, tc.message), nil }}
			err := ask(t.Context(), alone(t, tr))
			if !errors.Is(err, tc.want) {
				t.Errorf("%s after %d %s: %v; want %v", name, tc.status, tc.code, err, tc.want)
				continue
			}
			for _, secret := range []string{token, "the-secret"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s after %s: %q is in the error %v", name, tc.code, secret, err)
				}
			}
			if tc.status == 400 && tc.want != ErrThrottled && len(tr.ops()) > 2 {
				t.Errorf("%s after %s: %v, which was said already", name, tc.code, tr.ops())
			}
		}
	}
}

// TestTooLarge: DynamoDB keeps items of 400 KB. A payload may be too large, and so may what a payload
// makes of the record.
func TestTooLarge(t *testing.T) {
	x := newTable(t, false)
	x.create()
	payload := func(kb int) string { return `{"x":"` + strings.Repeat("x", kb<<10) + `"}` }
	for _, tc := range []struct {
		concern nameservice.Concern
		kb      int
		fits    bool
	}{{nameservice.Config, 500, false}, {nameservice.Config, 300, true}, {nameservice.Index, 200, false}, {nameservice.Index, 50, true}} {
		_, err := x.open(nil).Write(t.Context(), shop, nameservice.NewFastForward(tc.concern, value(6, payload(tc.kb))))
		switch {
		case tc.fits && err != nil:
			t.Errorf("%s of %d KB: %v", tc.concern, tc.kb, err)
		case !tc.fits && (!errors.Is(err, ErrTooLarge) || !errors.Is(err, nameservice.ErrPayload)):
			t.Errorf("%s of %d KB: %.300v; want ErrTooLarge", tc.concern, tc.kb, err)
		case !tc.fits && x.found().Value(tc.concern).V != 5:
			t.Errorf("%s of %d KB is there", tc.concern, tc.kb)
		}
	}
}

func TestParseURI(t *testing.T) {
	for uri, want := range map[string]Options{
		"dynamodb://names": {Table: "names"},
		"dynamodb://Names.of_all-1?region=eu-central-1":                          {Table: "Names.of_all-1", Region: "eu-central-1"},
		"dynamodb://names/?endpoint=http://127.0.0.1:8000":                       {Table: "names", Endpoint: "http://127.0.0.1:8000"},
		"dynamodb://names?region=us-west-2&endpoint=https%3A%2F%2Flocalhost%2Fx": {Table: "names", Region: "us-west-2", Endpoint: "https://localhost/x"},
	} {
		if got, err := ParseURI(uri); err != nil || got.Table != want.Table || got.Region != want.Region || got.Endpoint != want.Endpoint {
			t.Errorf("%s: %+v, %v; want %+v", uri, got, err, want)
		}
	}
	for _, uri := range []string{
		"dynamodb://", "dynamodb:names", "s3://names", "dynamodb://ab", "dynamodb://a b", "dynamodb://names/prefix", "dynamodb://names#x",
		"dynamodb://key:pass-word@names", "dynamodb://names?region=a&region=b", "dynamodb://names?secret=pass-word", "dynamodb://names?%zz=pass-word",
		"dynamodb://names?endpoint=ftp://x", "dynamodb://names?endpoint=http://key:pass-word@x", "dynamodb://names?endpoint=http://%zz:pass-word@x",
		"dynamodb://%zz:pass-word@names",
	} {
		if got, err := ParseURI(uri); err == nil || strings.Contains(err.Error(), "pass-word") {
			t.Errorf("%s: %+v, %v; want an error without the password", uri, got, err)
		}
	}
}

// TestNoCredentials: the chain finds none.
func TestNoCredentials(t *testing.T) {
	tr := withoutIndexes()
	s := alone(t, tr)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	s, err := Open(t.Context(), Options{Table: "names", Endpoint: "http://127.0.0.1:1", Transport: tr, Backoff: s.backoff})
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range operations() {
		if err := ask(t.Context(), s); !errors.Is(err, ErrDenied) {
			t.Errorf("%s: %v, want ErrDenied", name, err)
		}
	}
}

// TestUnreachable: nothing was sent, so nothing was written.
func TestUnreachable(t *testing.T) {
	s := alone(t, new(transport)) // nobody listens on port 1
	for name, ask := range operations() {
		if err := ask(t.Context(), s); !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v, want ErrUnreachable", name, err)
		}
	}
}
