package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/sandertv/gophertunnel/minecraft"
	"github.com/sandertv/gophertunnel/minecraft/protocol"
	"github.com/sandertv/gophertunnel/minecraft/protocol/packet"
)

// childAddr has the test start the server at an address.
const childAddr = "CAIRN_EXAMPLE_ADDR"

func TestMain(m *testing.M) {
	world.DefaultBlockRegistry.Finalize()
	if addr := os.Getenv(childAddr); addr != "" {
		if err := run(addr, "local:"+os.Getenv("CAIRN_EXAMPLE_STORE"), "hub", 200*time.Millisecond); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// process is the example as a process.
type process struct {
	*exec.Cmd
	addr string
	said
}

// said is what a process has written.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// commits waits for so many commits from now on: the first may have begun before.
func (p *process) commits(t *testing.T, n int) {
	t.Helper()
	count := func() int { return strings.Count(p.said.String(), savedLine) }
	for want, end := count()+n, time.Now().Add(time.Minute); count() < want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no commit; the server said:\n%s", p.said.String())
		}
	}
}

func start(t *testing.T, store string) *process {
	t.Helper()
	free, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(os.Args[0]), addr: free.LocalAddr().String()}
	free.Close()
	p.Env = append(os.Environ(), childAddr+"="+p.addr, "CAIRN_EXAMPLE_STORE="+store)
	p.Stdout, p.Stderr = &p.said, &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	return p
}

// bot is a player.
type bot struct {
	*minecraft.Conn
	t *testing.T
}

func (p *process) join(t *testing.T) bot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		conn, err := minecraft.Dialer{}.DialContext(ctx, "raknet", p.addr)
		if err == nil {
			t.Cleanup(func() { conn.Close() })
			if err = conn.DoSpawnContext(ctx); err != nil {
				t.Fatal(err)
			}
			return bot{conn, t}
		}
		if ctx.Err() != nil {
			t.Fatalf("%v; the server said:\n%s", err, p.said.String())
		}
	}
}

// until asks with ask from time to time and reads packets until found says so.
func (b bot) until(ask func() packet.Packet, found func(packet.Packet) bool) {
	b.t.Helper()
	end := time.Now().Add(3 * time.Minute)
	for time.Now().Before(end) {
		if err := b.WritePacket(ask()); err != nil {
			b.t.Fatal(err)
		}
		b.SetReadDeadline(time.Now().Add(time.Second / 2))
		for {
			p, err := b.ReadPacket()
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if err != nil {
				b.t.Fatal(err)
			}
			if found(p) {
				return
			}
		}
	}
	b.t.Fatal("the bot has waited in vain")
}

// The bot clicks on the flat land's grass.
var clicked = protocol.BlockPos{2, -61, 2}

// build puts a block of the first item, and returns the number that blocks of it have.
func (b bot) build() (number uint32) {
	b.until(func() packet.Packet {
		return &packet.InventoryTransaction{TransactionData: &protocol.UseItemTransactionData{
			ActionType: protocol.UseItemActionClickBlock, BlockPosition: clicked, BlockFace: 1}}
	}, func(p packet.Packet) bool {
		u, ok := p.(*packet.UpdateBlock)
		if ok && u.Position == (protocol.BlockPos{clicked[0], clicked[1] + 1, clicked[2]}) {
			number = u.NewBlockRuntimeID
		}
		return number != 0
	})
	return number
}

// built returns the number of the block above the clicked one, as a player's game gets it.
func (b bot) built() uint32 {
	var section []byte
	b.until(func() packet.Packet {
		return &packet.SubChunkRequest{Position: protocol.SubChunkPos{0, -4, 0}, Offsets: []protocol.SubChunkOffset{{}}}
	}, func(p packet.Packet) bool {
		s, ok := p.(*packet.SubChunk)
		if ok && len(s.SubChunkEntries) == 1 {
			section, ok = s.SubChunkEntries[0].RawPayload.Value()
		}
		return ok && section != nil
	})
	heights := world.Overworld.Range()
	biomes := bytes.Repeat([]byte{1, 0}, heights.Height()>>4+1)
	c, err := chunk.NetworkDecode(world.DefaultBlockRegistry, append(section, biomes...), 1, heights)
	if err != nil {
		b.t.Fatal(err)
	}
	return c.Block(uint8(clicked[0]), int16(clicked[1]+1), uint8(clicked[2]), 0)
}

// TestKilled has a bot join, build and leave, kills the server, starts it again, and the bot finds its build.
func TestKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "worlds")
	s := start(t, dir)
	b := s.join(t)
	before := b.built() // the bot sees the place from now on
	number := b.build()
	if number == before || b.built() != number {
		t.Fatalf("the block %d was not built", number)
	}
	s.commits(t, 2)
	b.Close()
	s.Process.Kill()
	s.Wait()

	s = start(t, dir)
	b = s.join(t)
	if got := b.built(); got != number {
		t.Fatalf("the bot finds the block %d, want its own, %d", got, number)
	}
	b.Close()
	s.Process.Signal(os.Interrupt)
	if err := s.Wait(); err != nil || strings.Contains(s.said.String(), "level=ERROR") {
		t.Fatalf("%v: %s", err, s.said.String())
	}
}
