package nbt

// Empty reports whether a payload of type t holds nothing: no text, no array
// element, and in lists and compounds only empty values. A number is never empty. It
// returns false for a malformed payload.
func Empty(t Type, payload []byte) bool {
	r := NewPayload(payload, Limits{})
	check := r
	check.Skip(t)
	return check.Err() == nil && check.Rest() == 0 && r.empty(t)
}

// empty reads a payload that has been checked, up to the first content.
func (r *Reader) empty(t Type) bool {
	switch t {
	case String:
		return len(r.String()) == 0
	case ByteArray, IntArray, LongArray:
		return r.Int() == 0
	case List:
		elem, n := r.List()
		for ; n > 0; n-- {
			if !r.empty(elem) {
				return false
			}
		}
		return true
	case Compound:
		for t, _ := r.Next(); t != End; t, _ = r.Next() {
			if !r.empty(t) {
				return false
			}
		}
		return true
	}
	return false
}
