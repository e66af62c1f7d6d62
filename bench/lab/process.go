package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Usage is what a process has used so far.
type Usage struct {
	CPU     time.Duration
	Written int64 // bytes that it had the system bring to a disk
	Memory  int64 // the most bytes that it had in memory
}

// Add returns what both used together.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.CPU + v.CPU, u.Written + v.Written, u.Memory + v.Memory}
}

// Sub returns what u used beyond v, which is an earlier use of the same processes.
func (u Usage) Sub(v Usage) Usage { return Usage{u.CPU - v.CPU, u.Written - v.Written, u.Memory} }

// clockTick is the unit of times in /proc.
const clockTick = 10 * time.Millisecond

// UsageOf returns what a process and its ended children have used. It returns zero if there is
// no /proc.
func UsageOf(pid int) (u Usage) {
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, rest, _ := bytes.Cut(text, []byte(") ")) // behind the name of the program
		if f := bytes.Fields(rest); len(f) > 14 {
			for _, ticks := range f[11:15] { // utime, stime, cutime, cstime
				n, _ := strconv.Atoi(string(ticks))
				u.CPU += time.Duration(n) * clockTick
			}
		}
	}
	u.Written = procValue(pid, "io", "write_bytes")
	_, u.Memory = MemoryOf(pid)
	return u
}

// MemoryOf returns the bytes that a process has in memory, and the most that it had. It returns
// zero if there is no /proc.
func MemoryOf(pid int) (now, highest int64) {
	return procValue(pid, "status", "VmRSS") << 10, procValue(pid, "status", "VmHWM") << 10
}

// procValue returns a number that a file of a process says behind a name.
func procValue(pid int, file, name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			f := strings.Fields(value)
			n, _ := strconv.ParseInt(f[0], 10, 64)
			return n
		}
	}
	return 0
}

// SizeOf returns the bytes of the files below dir. The files may change meanwhile.
func SizeOf(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				n += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return n, err
}
