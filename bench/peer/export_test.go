package peer

// The doors for tests.
var (
	Documents      = documents
	DecodeTnze     = decodeTnze
	DecodeSandertv = decodeSandertv
	PeerChunk      = peerChunk
	Write          = write
)
