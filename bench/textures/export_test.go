package textures

// Record writes a recording of calls.
func Record(name string, thread int, calls [][7]float64) error {
	w, err := newRecorder(name, thread)
	if err != nil {
		return err
	}
	for _, c := range calls {
		w.add(call{int(c[0]), c[1], c[2], c[3], c[4], c[5], c[6]})
	}
	return w.close()
}

// RecordScene writes the scene's recording.
func RecordScene(name string, calls int) error {
	return newBox(sceneEdge(true), theirs).record(name, calls)
}

// SceneCalls are those of the scene that Bench plays.
const SceneCalls = sceneCalls

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
