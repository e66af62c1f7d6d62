//go:build race

package local_test

const linearRounds = 300
