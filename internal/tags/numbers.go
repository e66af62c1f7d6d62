package tags

// planar reports whether the numbers of a type are written in planes: the first bytes
// of all numbers, then the second bytes and so on. Fractions and arrays of longs are
// written unchanged.
func planar(t byte) bool { return t != tFloat && t != tDouble && t != tLongs }

// appendNumbers appends big-endian numbers of type t and brings similar bytes
// together.
func appendNumbers(dst []byte, t byte, b []byte) []byte {
	if !planar(t) {
		return append(dst, b...)
	}
	wide := int(width[t])
	for i := range wide {
		for j := i; j < len(b); j += wide {
			dst = append(dst, b[j])
		}
	}
	return dst
}

// decodeNumbers undoes appendNumbers; it may return b.
func (r *Decoder) decodeNumbers(t byte, b []byte) []byte {
	if !planar(t) || width[t] == 1 {
		return b
	}
	out, wide := make([]byte, len(b)), int(width[t])
	at := 0
	for i := range wide {
		for j := i; j < len(out); j += wide {
			if at%bytesAtOnce == 0 && r.ended() {
				return out
			}
			out[j] = b[at]
			at++
		}
	}
	return out
}
