// Package browser has nothing but tests.
package browser
