package parts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// mount makes the server mount a file, image, as the file system of dir, where no other
// process sees it. So nothing remains mounted when the server ends. It makes folders there.
func (p *Process) mount(ctx context.Context, image, dir string, size int64, folders ...string) error {
	f, err := os.Create(image)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(size), f.Close()); err != nil {
		return err
	}
	if _, err := output(ctx, nil, "mkfs.ext4", "-q", "-m", "0", "-i", "4096", "-E", "lazy_itable_init=1,nodiscard", image); err != nil {
		return err
	}
	unshare, err := program("unshare")
	if err != nil {
		return err
	}
	script := fmt.Sprintf("mount -o loop '%s' '%s'", image, dir)
	if len(folders) > 0 {
		script += " && mkdir -p '" + strings.Join(folders, "' '") + "'"
	}
	p.args = append([]string{"-m", "sh", "-c", script + ` && exec "$0" "$@"`, p.path}, p.args...)
	p.path = unshare
	return nil
}

// fill makes a file that fills its file system.
func fill(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	for size := int64(1 << 30); size >= 4096; {
		if err := reserve(f, size); err != nil {
			size /= 2
		}
	}
	return f.Close()
}
