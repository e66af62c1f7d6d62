package textures

// Calls returns numbers of the first calls of a trace.
func Calls(name string, thread, threads, files, n int) (all [][7]float64, err error) {
	r, err := newTrace(name, thread, threads, files)
	if err != nil {
		return nil, err
	}
	for range n {
		c := r.call()
		all = append(all, [7]float64{float64(c.file), c.s, c.t, c.dsdx, c.dtdx, c.dsdy, c.dtdy})
	}
	return all, nil
}
