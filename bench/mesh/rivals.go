package mesh

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/cairnvoxel/cairn/voxel"
)

//go:embed driver/greedy.cpp
var greedyDriver []byte

//go:embed driver/nets.rs
var netsDriver []byte

const manifest = `[package]
name = "nets"
version = "0.1.0"
edition = "2021"

[dependencies]
fast-surface-nets = { path = %q }
`

// rival is another mesher as a program, with a file of its input.
type rival struct{ program, input string }

// run returns the numbers that the program prints.
func (r *rival) run(ctx context.Context, rounds int, numbers ...any) error {
	out, err := exec.CommandContext(ctx, r.program, r.input, fmt.Sprint(rounds)).Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), numbers...)
	}
	if err != nil {
		return fmt.Errorf("mesh: %s: %w", r.program, err)
	}
	return nil
}

// greedy builds the driver of binary-greedy-meshing, whose sources are in folder.
func greedy(ctx context.Context, folder, temp string, boxes [][]voxel.Cell) (*rival, error) {
	r := &rival{filepath.Join(temp, "greedy"), filepath.Join(temp, "greedy.bin")}
	source := r.program + ".cpp"
	if err := os.WriteFile(source, greedyDriver, 0o666); err != nil {
		return nil, err
	}
	if err := build(ctx, temp, "g++", "-O3", "-march=native", "-std=c++17", "-I", filepath.Join(folder, "src"), "-o", r.program, source); err != nil {
		return nil, err
	}
	var data []byte
	for _, cells := range boxes {
		for _, c := range cells {
			data = append(data, c.Material())
		}
	}
	return r, os.WriteFile(r.input, data, 0o666)
}

// nets builds the driver of fast-surface-nets, whose crate is in folder.
func nets(ctx context.Context, folder, temp string, boxes [][]voxel.Cell) (*rival, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(temp, "nets")
	r := &rival{filepath.Join(dir, "target", "release", "nets"), filepath.Join(temp, "nets.bin")}
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "src", "main.rs"), netsDriver, 0o666); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "Cargo.toml"), fmt.Appendf(nil, manifest, folder), 0o666); err != nil {
		return nil, err
	}
	if err := build(ctx, dir, "cargo", "build", "--release", "--config", `build.rustflags=["-Ctarget-cpu=native"]`); err != nil {
		return nil, err
	}
	var data []byte
	for _, cells := range boxes {
		for _, c := range cells {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(.5-c.Occupancy()))
		}
	}
	return r, os.WriteFile(r.input, data, 0o666)
}

func build(ctx context.Context, dir, program string, args ...string) error {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("mesh: %s: %w\n%s", program, err, out)
	}
	return nil
}
