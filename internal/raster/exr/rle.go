package exr

import "errors"

var errRuns = errors.New("the runs of bytes are not those of the block")

// unrle fills dst. A count n below 0 stands before -n bytes, another before a byte that is there n+1 times.
func unrle(dst, src []byte) error {
	for len(src) > 0 {
		n := int(int8(src[0]))
		src = src[1:]
		if max(-n, 1) > len(src) || max(-n, n+1) > len(dst) {
			return errRuns
		}
		if n < 0 {
			copy(dst, src[:-n])
			dst, src = dst[-n:], src[-n:]
			continue
		}
		for i := range dst[:n+1] {
			dst[i] = src[0]
		}
		dst, src = dst[n+1:], src[1:]
	}
	if len(dst) > 0 {
		return errRuns
	}
	return nil
}
