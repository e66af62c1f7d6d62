// Package deploy is what operators install: units, images, rules of alerts, dashboards. It has no code but
// the tests of these.
package deploy
