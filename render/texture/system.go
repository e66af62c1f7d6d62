package texture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
	"github.com/cairnvoxel/cairn/internal/raster/paged"
	"github.com/cairnvoxel/cairn/tile"
)

// Image is an image file that is open.
type Image = raster.Image

// The purposes of textures are numbers in System.Tiles.Purposes.
const (
	Colour = iota
	Bump
	Mask        // filtered less: its edges stay sharp, if need be with steps
	Environment // light from far away, by direction: kept whole, and not filtered
)

// System has the textures of a renderer. Its fields are set before it is used. Any number of
// goroutines may use it.
type System struct {
	// Open opens an image by its name. What it returns besides, unless it is nil, is closed
	// when the image is not needed for a while. A name that is not there is fs.ErrNotExist.
	// Goroutines call Open at the same time. Default: names are those of files, of which
	// cairn's textures, OpenEXR, TIFF, Radiance, PNG and JPEG are read.
	Open func(name string) (Image, io.Closer, error)
	// Members returns the names of the images of a set by number: 1001+u+10v. It returns nil
	// for a name that is not that of a set. Default: with Open's, the files whose names
	// <UDIM>, %(UDIM)d, <U>_<V>, <u>_<v> and the like stand for.
	Members func(name string) (map[int]string, error)
	// Tiles are the options of the cache. The default Budget is 256 MiB; it should have room
	// for some tiles for each goroutine. The default Purposes have shares and make masks half
	// a level sharper; others must be as many.
	Tiles tile.Options
	// Files are how many images are open at a time, and a clock. Of a file that is closed where its tiles are
	// stays known, which takes 8 bytes a tile.
	Files tile.ItemsOptions

	once  sync.Once
	cache *tile.Cache[tile.Flat]
	items *tile.Items[tile.Flat]
	// tight says that handles of some Sampler left no room for a tile of another: from then
	// on each pins one tile at a time.
	tight  atomic.Bool
	counts [counters]atomic.Int64

	mu     sync.Mutex // guards the fields below
	shapes map[string]*paged.Outline
	files  map[string]file // by item
	pinned []tile.Handle   // environments
}

const (
	defaultBudget = 256 << 20
	// mostSlots bounds the tiles that the microcache of a Sampler pins. It has fewer where the
	// budget is small, so that those of many goroutines are a small part of it.
	mostSlots = 64
)

var purposes = []tile.Purpose{
	Colour:      {Name: "colour", Share: 0.6},
	Bump:        {Name: "bump", Share: 0.15},
	Mask:        {Name: "mask", Share: 0.15, Sharper: 0.5},
	Environment: {Name: "environment", Share: 0.1},
}

func (s *System) start() {
	s.once.Do(func() {
		if s.Open == nil {
			s.Open, s.Members = imagefile.Open, imagefile.Members
		}
		s.Tiles.Budget = cmp.Or(s.Tiles.Budget, defaultBudget)
		if s.Tiles.Purposes == nil {
			s.Tiles.Purposes = purposes
		}
		s.shapes, s.files = make(map[string]*paged.Outline), make(map[string]file)
		s.cache = tile.New[tile.Flat](s.Tiles)
		s.items = tile.NewItems(s.cache, s.open, tile.Flat.Item, s.Files)
	})
}

// With calls use with a Sampler for the goroutine that calls With.
func (s *System) With(use func(*Sampler) error) error {
	s.start()
	m := &Sampler{system: s, worker: s.cache.NewWorker(int(min(max(s.Tiles.Budget>>20, 2), mostSlots)))}
	m.release()
	defer m.addCounts()
	defer m.release()
	return use(m)
}

// purposeNames end the names of items: a file that serves two purposes is two items.
var purposeNames = []string{Colour: " (colour)", Bump: " (bump)", Mask: " (mask)", Environment: " (environment)"}

// open opens an item. It notes the shape of one that is opened for the first time; later that must
// be the same.
func (s *System) open(_ context.Context, item string) (tile.ReadCloser[tile.Flat], error) {
	purpose := slices.IndexFunc(purposeNames, func(p string) bool { return strings.HasSuffix(item, p) })
	name := strings.TrimSuffix(item, purposeNames[purpose])
	image, closer, err := s.again(item)
	if image == nil && err == nil {
		image, closer, err = s.Open(name)
	}
	if err != nil {
		return nil, err
	}
	f, err := paged.New(image, closer, purpose, purpose == Environment)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := closer.(*imagefile.Handle); ok {
		s.files[item] = file{image, h}
	}
	if was := s.shapes[item]; was != nil && !reflect.DeepEqual(was, f.Outline) {
		f.Close()
		return nil, fmt.Errorf("its size or type has changed: %w", tile.ErrChanged)
	}
	s.shapes[item] = f.Outline
	return f, nil
}

// file is an image that was opened, and its file, which may be closed.
type file struct {
	image  Image
	handle *imagefile.Handle
}

// again opens the file of an item again, without reading where the tiles are. It returns no image if it
// was never open, or the file is another.
func (s *System) again(item string) (Image, io.Closer, error) {
	s.mu.Lock()
	f, ok := s.files[item]
	s.mu.Unlock()
	if !ok {
		return nil, nil, nil
	}
	h, err := f.handle.Again()
	if h == nil {
		return nil, nil, err
	}
	return f.image, h, nil
}

// shapeOf returns the shape of an item. It opens an item that was never open.
func (s *System) shapeOf(ctx context.Context, item *tile.Item[tile.Flat], name string) (*paged.Outline, error) {
	if _, err := item.About(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shapes[name], nil
}

// environmentOf returns the environment of a view. It stays until the System is closed.
func (s *System) environmentOf(ctx context.Context, v *view) (*paged.Environment, error) {
	key, _ := tile.FlatKey(v.item.ID(), 0, 0, 0)
	handle, err := s.cache.Get(ctx, nil, key, v.item)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pinned = append(s.pinned, handle)
	return paged.NewEnvironment(v.header, handle.Bytes()), nil
}

// Close drops all tiles and closes the images. Nobody may sample any more.
func (s *System) Close() error {
	s.start()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.pinned {
		h.Release()
	}
	s.pinned = nil
	if err := errors.Join(s.cache.Close(), s.items.Close()); err != nil {
		return fmt.Errorf("texture: %w", err)
	}
	return nil
}
