package storetest

import "testing"

func random(t *testing.T, k Kind) {}
