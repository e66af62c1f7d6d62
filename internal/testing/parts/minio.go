package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MinIOOptions is how MinIO runs. The zero value is four drives in folders.
type MinIOOptions struct {
	Drives  int       // default 4
	Buckets []string  // are made; default "cairn"
	Disk    int64     // bytes of a file system of its own for all drives, for which we must be root; 0 for none
	Log     io.Writer // gets what it prints; may be nil
}

// MinIO is a server of S3 objects that keeps each in parts on several drives. It
// reads with half of them, and writes with more than half.
type MinIO struct {
	*Process
	dir, addr string
	o         MinIOOptions
}

// The key of every MinIO that this package starts.
const (
	AccessKey = "cairn"
	SecretKey = "cairn-secret"
)

// StartMinIO starts a server with drives in dir.
func StartMinIO(ctx context.Context, dir string, o MinIOOptions) (*MinIO, error) {
	if o.Drives == 0 {
		o.Drives = 4
	}
	if o.Buckets == nil {
		o.Buckets = []string{"cairn"}
	}
	addr, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	console, err := FreeAddr()
	if err != nil {
		return nil, err
	}
	m := &MinIO{dir: filepath.Join(dir, "minio"), addr: addr, o: o}
	args := []string{"server", "--quiet", "--address", addr, "--console-address", console, filepath.Join(m.dir, fmt.Sprintf("drive{1...%d}", o.Drives))}
	if m.Process, err = newProcess("minio", args...); err != nil {
		return nil, err
	}
	m.log = o.Log
	m.env = []string{"MINIO_ROOT_USER=" + AccessKey, "MINIO_ROOT_PASSWORD=" + SecretKey, "MINIO_CI_CD=1", "MINIO_BROWSER=off", "MINIO_UPDATE=off"}
	m.ready = func(ctx context.Context) error { return Healthy(ctx, m.URL()+"/minio/health/cluster") }
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return nil, err
	}
	if o.Disk > 0 {
		var drives []string
		for i := range o.Drives {
			drives = append(drives, fmt.Sprintf("%s/drive%d", m.dir, i+1))
		}
		if err := m.mount(ctx, filepath.Join(dir, "minio.img"), m.dir, o.Disk, drives...); err != nil {
			return nil, err
		}
	} else if err := m.mkdirs(m.dir); err != nil {
		return nil, err
	}
	if err := m.Start(ctx); err != nil {
		return nil, err
	}
	for _, bucket := range o.Buckets {
		if err := m.MakeBucket(bucket); err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	return m, nil
}

func (m *MinIO) mkdirs(dir string) error {
	for i := range m.o.Drives {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("drive%d", i+1)), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// URL returns the server's endpoint.
func (m *MinIO) URL() string { return "http://" + m.addr }

// Addr returns the server's address, for a proxy.
func (m *MinIO) Addr() string { return m.addr }

// root returns the folder of the drives as the server sees it.
func (m *MinIO) root() string {
	if m.o.Disk > 0 {
		return fmt.Sprintf("/proc/%d/root%s", m.Pid(), m.dir)
	}
	return m.dir
}

// MakeBucket makes a bucket. It does nothing if there is one.
func (m *MinIO) MakeBucket(name string) error {
	for i := range m.o.Drives {
		if err := os.MkdirAll(filepath.Join(m.root(), fmt.Sprintf("drive%d", i+1), name), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// WipeDrive deletes everything on a drive, counted from 0, as if it was replaced by
// a new one. The server fills it again after some seconds.
func (m *MinIO) WipeDrive(i int) error {
	drive := filepath.Join(m.root(), fmt.Sprintf("drive%d", i+1))
	trash, err := os.MkdirTemp(m.root(), "old")
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(drive)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(drive, e.Name()), filepath.Join(trash, e.Name())); err != nil {
			return err
		}
	}
	return until(context.Background(), stopLimit, func(context.Context) error { return os.RemoveAll(trash) }) // it may still write there
}

// Fill fills the file system of the drives, which MinIOOptions.Disk made, until
// Unfill.
func (m *MinIO) Fill() error {
	if m.o.Disk == 0 {
		return errors.New("parts: fill: the drives have no file system of their own")
	}
	return fill(m.ballast())
}

// Unfill takes back what Fill did.
func (m *MinIO) Unfill() error { return os.Remove(m.ballast()) }

func (m *MinIO) ballast() string { return filepath.Join(m.root(), "ballast") }

// Objects returns the objects of the buckets that a drive has a part of, counted from
// 0. The server must run.
func (m *MinIO) Objects(drive int) (map[string]bool, error) {
	out := make(map[string]bool)
	top := filepath.Join(m.root(), fmt.Sprintf("drive%d", drive+1))
	if _, err := os.Stat(top); err != nil {
		return nil, err
	}
	for _, bucket := range m.o.Buckets {
		err := filepath.WalkDir(filepath.Join(top, bucket), func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // it was deleted meanwhile
			}
			if err == nil && e.Name() == "xl.meta" {
				out[strings.TrimPrefix(filepath.Dir(path), top)] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Close ends the server. It keeps its files.
func (m *MinIO) Close() error { return m.Kill() }
