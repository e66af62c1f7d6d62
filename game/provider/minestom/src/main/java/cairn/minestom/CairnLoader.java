package cairn.minestom;

import cairn.client.Client;
import cairn.client.Lease;
import cairn.client.Refused;
import cairn.client.Region;
import com.google.gson.JsonElement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.kyori.adventure.nbt.CompoundBinaryTag;
import net.minestom.server.instance.Chunk;
import net.minestom.server.instance.ChunkLoader;
import net.minestom.server.instance.Instance;

/**
 * Loads and saves a dimension of a world that a cairn server keeps. It holds the world's lease until it is closed, so
 * nobody else changes the world meanwhile.
 *
 * <p>A save is one version of the world: all chunks that changed, or none. When it returns, they are on the server's
 * stable storage. Loading fails rather than to give no chunk while the server is away.
 */
public final class CairnLoader implements ChunkLoader, AutoCloseable {
    /** The edge in chunks of what is read with one call. */
    private static final int AREA = 8;

    private final Client client;
    private final String world;
    private final String dimension;
    private final Lease lease;
    private final Map<Region.Pos, Area> areas = new ConcurrentHashMap<>();
    private volatile boolean empty;

    /** The chunks of a square, as they are stored, and how many of them are loaded. */
    private static final class Area {
        private Map<Region.Pos, byte[]> chunks; // null: not read yet
        private int loaded;
    }

    /** Opens the overworld of a world. */
    public static CairnLoader open(Client client, String world) throws IOException {
        return open(client, world, "overworld", "minestom " + ProcessHandle.current().pid());
    }

    /**
     * Opens a dimension of a world, which is made if it is not there.
     *
     * @param holder who has the lease; the same holder takes it over after a crash
     * @throws Refused with the code {@code leased} while another holds the world
     */
    public static CairnLoader open(Client client, String world, String dimension, String holder) throws IOException {
        try {
            client.send("PUT", "/v1/worlds/" + world, new com.google.gson.JsonObject());
        } catch (Refused e) {
            if (!e.code.equals("exists")) {
                throw e;
            }
        }
        Lease lease = Lease.take(client, world, holder, Duration.ofSeconds(60));
        try {
            return new CairnLoader(client, world, dimension, lease);
        } catch (IOException e) {
            lease.close();
            throw e;
        }
    }

    private CairnLoader(Client client, String world, String dimension, Lease lease) throws IOException {
        this.client = client;
        this.world = world;
        this.dimension = dimension;
        this.lease = lease;
        empty = true;
        JsonElement facts = client.get("/v1/worlds/" + world).json();
        for (JsonElement d : facts.getAsJsonObject().getAsJsonArray("dimensions")) {
            if (d.getAsJsonObject().get("name").getAsString().equals(dimension)) {
                empty = false;
            }
        }
    }

    /** Returns a loader of another dimension of the world, under the same lease. Closing one of them ends both. */
    public CairnLoader dimension(String name) throws IOException {
        return new CairnLoader(client, world, name, lease);
    }

    private Area area(int x, int z) {
        return areas.computeIfAbsent(new Region.Pos(Math.floorDiv(x, AREA), Math.floorDiv(z, AREA)), pos -> new Area());
    }

    private void read(Area area, int x, int z) throws IOException {
        if (area.chunks != null) {
            return;
        }
        if (empty) {
            area.chunks = new HashMap<>();
            return;
        }
        int x0 = Math.floorDiv(x, AREA) * AREA * 16;
        int z0 = Math.floorDiv(z, AREA) * AREA * 16;
        String box = x0 + ",0," + z0 + ".." + (x0 + AREA * 16 - 1) + ",0," + (z0 + AREA * 16 - 1);
        area.chunks = Region.unzip(client.get("/v1/export/" + world + "?format=anvil&dimension="
                + URLEncoder.encode(dimension, StandardCharsets.UTF_8) + "&box=" + box).body());
    }

    @Override
    public Chunk loadChunk(Instance instance, int x, int z) {
        try {
            byte[] stored;
            Area area = area(x, z);
            synchronized (area) {
                read(area, x, z);
                stored = area.chunks.get(new Region.Pos(x, z));
            }
            if (stored == null) {
                return null;
            }
            ChunkTag tag = ChunkTag.read(Region.inflate(stored));
            if (!tag.isWhole(x + "," + z)) {
                return null;
            }
            Chunk chunk = instance.getChunkSupplier().createChunk(instance, x, z);
            chunk.lockWriteLock();
            try {
                tag.load(chunk);
            } finally {
                chunk.unlockWriteLock();
            }
            synchronized (area) {
                area.loaded++;
            }
            return chunk;
        } catch (IOException e) {
            throw new UncheckedIOException("chunk " + x + "," + z + " of " + world, e);
        }
    }

    @Override
    public void saveChunk(Chunk chunk) {
        saveChunks(List.of(chunk));
    }

    /** Makes a version of what changed. It makes none if nothing did. */
    @Override
    public synchronized void saveChunks(Collection<Chunk> chunks) {
        try {
            lease.check();
            Map<Region.Pos, byte[]> changed = new HashMap<>();
            for (Chunk chunk : chunks) {
                CompoundBinaryTag tag = changed(chunk);
                if (tag != null) {
                    changed.put(new Region.Pos(chunk.getChunkX(), chunk.getChunkZ()), Region.deflate(ChunkTag.write(tag)));
                }
            }
            if (changed.isEmpty()) {
                return;
            }
            client.call("POST", "/v1/import/" + world + "?sparse=1&message=minestom%3A+" + changed.size() + "+chunks",
                    Region.zip(changed, dimension), "Cairn-Fence", lease.fence());
            empty = false;
            changed.forEach((pos, stored) -> {
                Area area = area(pos.x(), pos.z());
                synchronized (area) {
                    if (area.chunks != null) {
                        area.chunks.put(pos, stored);
                    }
                }
            });
        } catch (IOException e) {
            if (e instanceof Refused refused) {
                lease.note(refused);
            }
            throw new UncheckedIOException("save of " + world, e);
        }
    }

    private CompoundBinaryTag changed(Chunk chunk) throws IOException {
        byte[] stored;
        Area area = area(chunk.getChunkX(), chunk.getChunkZ());
        synchronized (area) {
            read(area, chunk.getChunkX(), chunk.getChunkZ());
            stored = area.chunks.get(new Region.Pos(chunk.getChunkX(), chunk.getChunkZ()));
        }
        ChunkTag was = stored == null ? new ChunkTag(CompoundBinaryTag.empty()) : ChunkTag.read(Region.inflate(stored));
        chunk.lockReadLock();
        try {
            return was.save(chunk);
        } finally {
            chunk.unlockReadLock();
        }
    }

    @Override
    public void unloadChunk(Chunk chunk) {
        areas.computeIfPresent(new Region.Pos(Math.floorDiv(chunk.getChunkX(), AREA), Math.floorDiv(chunk.getChunkZ(), AREA)), (pos, area) -> {
            synchronized (area) {
                return --area.loaded > 0 ? area : null;
            }
        });
    }

    @Override
    public boolean supportsParallelLoading() {
        return true;
    }

    @Override
    public boolean supportsParallelSaving() {
        return true;
    }

    /** Gives the lease back. It saves nothing. */
    @Override
    public void close() throws IOException {
        lease.close();
    }
}
