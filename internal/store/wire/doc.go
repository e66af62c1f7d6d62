// Package wire has what a server and its clients share: the codes of refusals (Code), the
// records of application/vnd.cairn (Body, RecordReader), the JSON of calls and answers, and
// headers. server/API.md describes them.
package wire
