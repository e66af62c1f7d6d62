package dragonfly

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	cairn "github.com/cairnvoxel/cairn/world"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/mcdb/leveldat"
	"github.com/google/uuid"
	bedrock "github.com/sandertv/gophertunnel/minecraft/nbt"
)

// Files of a world that an import of a Bedrock world has too.
const (
	levelFile  = "level.dat"
	nameFile   = "levelname.txt"
	keysFolder = "db.keys/"
)

// Properties of the world as an import makes them.
const (
	propName   = "name"
	propFormat = "format"
	formatName = "bedrock"
)

// level is the facts about a world.
type level struct {
	mu       sync.Mutex
	data     leveldat.Data
	file     []byte
	settings *world.Settings
	stale    atomic.Bool // the world went back, and file may be another
}

// readLevel reads the facts, or makes those of a new world.
func (p *Provider) readLevel() error {
	b, err := p.file(levelFile)
	if errors.Is(err, fs.ErrNotExist) {
		p.level.data.FillDefault()
		p.level.data.RandomSeed = 0 // of the clock
		p.level.settings = p.level.data.Settings()
		return nil
	}
	if err != nil {
		return err
	}
	dat, err := leveldat.Read(bytes.NewReader(b))
	if err == nil {
		err = dat.Unmarshal(&p.level.data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", levelFile, err)
	}
	p.level.file, p.level.settings = b, p.level.data.Settings()
	return nil
}

// file returns a file of the world.
func (p *Provider) file(path string) ([]byte, error) {
	f, err := p.world.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Settings returns the settings of the world, which are one for all dimensions.
func (p *Provider) Settings() *world.Settings { return p.level.settings }

// SaveSettings keeps the settings. dragonfly calls it at the end of each save, so a commit begins.
func (p *Provider) SaveSettings(s *world.Settings) {
	if err := p.saveLevel(s); err != nil {
		p.o.Report(fmt.Errorf("dragonfly: save settings: %w", err))
	}
	p.commitBeside()
}

func (p *Provider) saveLevel(s *world.Settings) error {
	p.level.mu.Lock()
	defer p.level.mu.Unlock()
	s.Lock()
	p.level.data.PutSettings(s)
	s.Unlock()
	var dat leveldat.LevelDat
	if err := dat.Marshal(p.level.data); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := dat.Write(&b); err != nil {
		return err
	}
	if stale := p.level.stale.Swap(false); !stale && bytes.Equal(b.Bytes(), p.level.file) {
		return nil
	}
	_, err := p.world.Update(func(tx *cairn.Tx) error {
		tx.SetFile(levelFile, b.Bytes())
		tx.SetFile(nameFile, []byte(p.level.data.LevelName))
		tx.SetProperty(propName, p.level.data.LevelName)
		tx.SetProperty(propFormat, formatName)
		return nil
	})
	if err == nil {
		p.level.file = b.Bytes()
	}
	return err
}

// player says where the facts about a player are.
type player struct {
	UUID         string `nbt:"MsaId"`
	ServerID     string `nbt:"ServerId"`
	SelfSignedID string `nbt:"SelfSignedId"`
}

// player returns the facts about a player that the server keeps, and the file that they are in.
func (p *Provider) player(id uuid.UUID) (facts map[string]any, path string, err error) {
	b, err := p.file(keysFolder + "player_" + id.String())
	if err != nil {
		return nil, "", err
	}
	var who player
	if err := bedrock.UnmarshalEncoding(b, &who, bedrock.LittleEndian); err != nil {
		return nil, "", err
	}
	if !fs.ValidPath(who.ServerID) {
		return nil, "", fmt.Errorf("its facts are in %q", who.ServerID)
	}
	path = keysFolder + who.ServerID
	if b, err = p.file(path); err == nil {
		err = bedrock.UnmarshalEncoding(b, &facts, bedrock.LittleEndian)
	}
	return facts, path, err
}

// LoadPlayerSpawnPosition returns where a player spawns, if that is not the world's spawn.
func (p *Provider) LoadPlayerSpawnPosition(id uuid.UUID) (pos cube.Pos, exists bool, err error) {
	facts, _, err := p.player(id)
	if errors.Is(err, fs.ErrNotExist) {
		return pos, false, nil
	}
	x, hasX := facts["SpawnX"].(int32)
	y, hasY := facts["SpawnY"].(int32)
	z, hasZ := facts["SpawnZ"].(int32)
	if err == nil && !(hasX && hasY && hasZ) {
		err = errors.New("its facts have no spawn")
	}
	if err != nil {
		return pos, true, fmt.Errorf("dragonfly: load player %v: %w", id, err)
	}
	return cube.Pos{int(x), int(y), int(z)}, true, nil
}

// SavePlayerSpawnPosition keeps where a player spawns.
func (p *Provider) SavePlayerSpawnPosition(id uuid.UUID, pos cube.Pos) error {
	err := p.saveSpawn(id, pos)
	if err != nil {
		err = fmt.Errorf("dragonfly: save player %v: %w", id, err)
		p.o.Report(err)
	}
	return err
}

func (p *Provider) saveSpawn(id uuid.UUID, pos cube.Pos) error {
	facts, path, err := p.player(id)
	var who []byte
	if errors.Is(err, fs.ErrNotExist) {
		key := "player_server_" + id.String()
		facts, path = map[string]any{}, keysFolder+key
		who, err = bedrock.MarshalEncoding(player{UUID: id.String(), ServerID: key}, bedrock.LittleEndian)
	}
	if err != nil {
		return err
	}
	facts["SpawnX"], facts["SpawnY"], facts["SpawnZ"] = int32(pos[0]), int32(pos[1]), int32(pos[2])
	b, err := bedrock.MarshalEncoding(inOrder(facts), bedrock.LittleEndian)
	if err != nil {
		return err
	}
	_, err = p.world.Update(func(tx *cairn.Tx) error {
		if who != nil {
			tx.SetFile(keysFolder+"player_"+id.String(), who)
		}
		tx.SetFile(path, b)
		return nil
	})
	return err
}
