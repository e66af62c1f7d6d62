// Package backup keeps backups of a Store in a blob.Bucket, and moves living worlds
// from one Store to another.
//
// Run makes a backup. It reads only worlds that changed since the backup before, and
// stores the stones that worlds share once. (The exception is a new fork of a version
// that is no world's newest, neither now nor at the backup before.) Open finds the
// backups of a Bucket; a Backup restores worlds and verifies itself. Migrate moves
// worlds. FORMAT.md describes what lies in the Bucket.
//
// The Store must be a history.Archiver. The memory of Run grows with the number of
// worlds, by some 350 bytes each, and with the number of new stones, by some 50 bytes
// each.
package backup
