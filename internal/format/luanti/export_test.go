package luanti

// Decode reads a map block.
func Decode(b []byte) error {
	_, err := Recode(b)
	return err
}

// Recode reads a map block and writes it.
func Recode(b []byte) ([]byte, error) {
	p, err := newPacker(0)
	if err != nil {
		return nil, err
	}
	defer p.dec.Close()
	var m mapBlock
	if err := p.decode(b, &m); err != nil {
		return nil, err
	}
	return p.encode(&m), nil
}
