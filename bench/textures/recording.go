package textures

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
)

// A record is a call in a recording: the number of the texture, then six floats of 32 bits, all with
// the lowest byte first. The driver has it as a struct.
const recordBytes = 28

// recordingName is that of the calls of one thread.
func recordingName(name string, thread int) string { return fmt.Sprintf("%s.%d", name, thread) }

// recorder writes a recording.
type recorder struct {
	thread int
	calls  int
	file   *os.File
	buf    *bufio.Writer
}

func newRecorder(name string, thread int) (*recorder, error) {
	f, err := os.Create(recordingName(name, thread))
	if err != nil {
		return nil, fmt.Errorf("textures: %w", err)
	}
	return &recorder{thread: thread, file: f, buf: bufio.NewWriterSize(f, 1<<16)}, nil
}

// add adds a call. An error comes from close.
func (r *recorder) add(c call) {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, recordBytes), uint32(c.file))
	for _, v := range [...]float64{c.s, c.t, c.dsdx, c.dtdx, c.dsdy, c.dtdy} {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	r.buf.Write(b)
	r.calls++
}

func (r *recorder) close() error { return errors.Join(r.buf.Flush(), r.file.Close()) }

// readRecording returns the records of one thread.
func readRecording(name string, thread int) ([]byte, error) {
	b, err := os.ReadFile(recordingName(name, thread))
	if err == nil && (len(b) == 0 || len(b)%recordBytes != 0) {
		err = fmt.Errorf("%s: %d bytes are no records", recordingName(name, thread), len(b))
	}
	if err != nil {
		return nil, fmt.Errorf("textures: %w", err)
	}
	return b, nil
}

// recorded returns the call of a record.
func recorded(b []byte) call {
	v := func(i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return call{int(binary.LittleEndian.Uint32(b)), v(1), v(2), v(3), v(4), v(5), v(6)}
}
