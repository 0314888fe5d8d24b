package memory_test

import (
	"testing"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/memory"
	"github.com/ontosql/ontosql/nameservice/nameservicetest"
)

func TestContract(t *testing.T) {
	nameservicetest.Run(t, func(*testing.T) nameservicetest.Store {
		s := new(memory.Service)
		return nameservicetest.Store{Open: func() nameservice.Service { return s }}
	})
}
