package lab

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Cost is what a process used.
type Cost struct {
	Processor time.Duration // user and system
	Wall      time.Duration
	// Peak is the most bytes that it had in memory; 0 where the system does not say. On
	// Linux that is at least what its parent had by then.
	Peak int64
}

// Run runs a program in a directory ("" is the current one), and returns its output and its
// cost. A status other than 0 is an error with the program's error output.
func Run(ctx context.Context, dir, program string, args ...string) (out string, cost Cost, err error) {
	var printed, complaint strings.Builder
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Stdout, c.Stderr = dir, &printed, &complaint
	start := time.Now()
	err = c.Run()
	if c.ProcessState != nil {
		cost = Cost{c.ProcessState.UserTime() + c.ProcessState.SystemTime(), time.Since(start), peakOf(c.ProcessState)}
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), cmp.Or(ctx.Err(), err), strings.TrimSpace(complaint.String()))
	}
	return printed.String(), cost, err
}

// ProcessorOf returns the user and system time of a process that runs, to the
// nanosecond where the system counts it so.
func ProcessorOf(pid int) (sum time.Duration) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		return UsageOf(pid).CPU
	}
	for _, file := range threads {
		text, err := os.ReadFile(file)
		if err != nil { // it has just ended
			continue
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(first, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}
