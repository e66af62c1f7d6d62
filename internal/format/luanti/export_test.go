package luanti

import "sync"

// shared is the packer of tests, which is used by one at a time.
var shared struct {
	sync.Mutex
	*packer
}

// Decode reads a map block.
func Decode(b []byte) error {
	_, err := Recode(b)
	return err
}

// Recode reads a map block and writes it.
func Recode(b []byte) (_ []byte, err error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.packer == nil {
		if shared.packer, err = newPacker(0); err != nil {
			return nil, err
		}
	}
	var m mapBlock
	if err := shared.decode(b, &m); err != nil {
		return nil, err
	}
	return shared.encode(&m), nil
}
