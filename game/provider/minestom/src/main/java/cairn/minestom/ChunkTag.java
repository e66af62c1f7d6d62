package cairn.minestom;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import net.kyori.adventure.key.InvalidKeyException;
import net.kyori.adventure.nbt.BinaryTag;
import net.kyori.adventure.nbt.BinaryTagIO;
import net.kyori.adventure.nbt.BinaryTagTypes;
import net.kyori.adventure.nbt.CompoundBinaryTag;
import net.kyori.adventure.nbt.ListBinaryTag;
import net.kyori.adventure.nbt.StringBinaryTag;
import net.minestom.server.MinecraftServer;
import net.minestom.server.coordinate.Vec;
import net.minestom.server.instance.Chunk;
import net.minestom.server.instance.LightingChunk;
import net.minestom.server.instance.Section;
import net.minestom.server.instance.block.Block;
import net.minestom.server.instance.block.BlockHandler;
import net.minestom.server.registry.DynamicRegistry;
import net.minestom.server.registry.RegistryKey;
import net.minestom.server.world.biome.Biome;

/**
 * The NBT of a chunk. What Minestom does not know stays as it was read: blocks and biomes of other names, sections beyond
 * its heights, other tags.
 */
final class ChunkTag {
    private static final int BLOCKS = 4096;
    private static final int BIOMES = 64;
    private static final BinaryTag AIR = CompoundBinaryTag.builder().putString("Name", "minecraft:air").build();
    private static final BinaryTag PLAINS = StringBinaryTag.stringBinaryTag("minecraft:plains");
    /** What the tags of a chunk in Minestom do not have. */
    private static final Set<String> OWN = Set.of("sections", "block_entities", "Heightmaps", "isLightOn");

    private final CompoundBinaryTag tag;
    private final TreeMap<Integer, CompoundBinaryTag> sections = new TreeMap<>();
    private final Map<Vec, CompoundBinaryTag> blockEntities = new HashMap<>();

    /** The chunk of an NBT, or a new one of an empty compound. */
    ChunkTag(CompoundBinaryTag tag) {
        this.tag = tag;
        for (BinaryTag section : tag.getList("sections", BinaryTagTypes.COMPOUND)) {
            sections.put(((CompoundBinaryTag) section).getInt("Y"), (CompoundBinaryTag) section);
        }
        for (BinaryTag each : tag.getList("block_entities", BinaryTagTypes.COMPOUND)) {
            CompoundBinaryTag entity = (CompoundBinaryTag) each;
            blockEntities.put(new Vec(entity.getInt("x"), entity.getInt("y"), entity.getInt("z")), entity);
        }
    }

    static ChunkTag read(byte[] nbt) throws IOException {
        return new ChunkTag(BinaryTagIO.unlimitedReader().read(new ByteArrayInputStream(nbt)));
    }

    static byte[] write(CompoundBinaryTag tag) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryTagIO.writer().write(tag, out);
        return out.toByteArray();
    }

    /** Reports whether the game has finished the chunk, and this program reads its version. */
    boolean isWhole(String where) {
        if (!tag.getCompound("Level").isEmpty() || tag.getInt("DataVersion") < 2844) {
            throw new IllegalStateException("chunk " + where + " is of a game before 1.18: let a newer game convert the world");
        }
        String status = tag.getString("Status", "full");
        return status.equals("full") || status.equals("minecraft:full");
    }

    /** Fills a new chunk. */
    void load(Chunk chunk) {
        for (int y = chunk.getMinSection(); y < chunk.getMaxSection(); y++) {
            CompoundBinaryTag from = sections.get(y);
            if (from == null) {
                continue;
            }
            Section section = chunk.getSection(y);
            blocks(from).load(section.blockPalette());
            biomes(from, chunk).load(section.biomePalette());
            if (from.getByteArray("SkyLight").length == 2048) {
                section.setSkyLight(from.getByteArray("SkyLight"));
            }
            if (from.getByteArray("BlockLight").length == 2048) {
                section.setBlockLight(from.getByteArray("BlockLight"));
            }
        }
        blockEntities.forEach((at, entity) -> {
            if (at.blockY() >> 4 >= chunk.getMinSection() && at.blockY() >> 4 < chunk.getMaxSection()) {
                Block block = chunk.getBlock(at, Block.Getter.Condition.TYPE);
                chunk.setBlock(at.blockX(), at.blockY(), at.blockZ(), block.withHandler(handlerOf(entity)).withNbt(contentOf(entity)));
            }
        });
        chunk.tagHandler().updateContent(rest());
    }

    private static PaletteTag blocks(CompoundBinaryTag section) {
        return new PaletteTag(section.getCompound("block_states"), BLOCKS, 4, ChunkTag::stateOf, AIR);
    }

    private static PaletteTag biomes(CompoundBinaryTag section, Chunk chunk) {
        return new PaletteTag(section.getCompound("biomes"), BIOMES, 1, name -> biomeOf(name, chunk), PLAINS);
    }

    private CompoundBinaryTag rest() {
        CompoundBinaryTag.Builder rest = CompoundBinaryTag.builder();
        for (var each : tag) {
            if (!OWN.contains(each.getKey())) {
                rest.put(each.getKey(), each.getValue());
            }
        }
        return rest.build();
    }

    /** A block of a name that Minestom does not know is stone to it. */
    private static int stateOf(BinaryTag entry) {
        CompoundBinaryTag state = (CompoundBinaryTag) entry;
        Block block;
        try {
            block = Block.fromKey(state.getString("Name"));
        } catch (InvalidKeyException e) {
            block = null;
        }
        if (block == null) {
            return Block.STONE.stateId();
        }
        for (var property : state.getCompound("Properties")) {
            if (property.getValue() instanceof StringBinaryTag value) {
                try {
                    block = block.withProperty(property.getKey(), value.value());
                } catch (IllegalArgumentException e) {
                    continue; // a property or a value of another version
                }
            }
        }
        return block.stateId();
    }

    private static BinaryTag entryOf(int state) {
        Block block = Block.fromStateId(state);
        CompoundBinaryTag.Builder entry = CompoundBinaryTag.builder().putString("Name", block.name());
        if (!block.properties().isEmpty()) {
            CompoundBinaryTag.Builder properties = CompoundBinaryTag.builder();
            new TreeMap<>(block.properties()).forEach(properties::putString);
            entry.put("Properties", properties.build());
        }
        return entry.build();
    }

    private static int biomeOf(BinaryTag name, Chunk chunk) {
        DynamicRegistry<Biome> registry = chunk.getInstance().registries().biome();
        int id = registry.getId(RegistryKey.<Biome>unsafeOf(((StringBinaryTag) name).value()));
        return id < 0 ? registry.getId(Biome.PLAINS) : id;
    }

    private static BinaryTag nameOf(int biome, Chunk chunk) {
        return StringBinaryTag.stringBinaryTag(chunk.getInstance().registries().biome().getKey(biome).key().asString());
    }

    private static BlockHandler handlerOf(CompoundBinaryTag entity) {
        try {
            return entity.keySet().contains("id") ? MinecraftServer.getBlockManager().getHandlerOrDummy(entity.getString("id")) : null;
        } catch (InvalidKeyException e) {
            return null;
        }
    }

    private static boolean sameHandler(BlockHandler a, BlockHandler b) {
        return a == null || b == null ? a == b : a.getKey().equals(b.getKey());
    }

    /** Returns what Minestom sees of a block entity, null for nothing. */
    private static CompoundBinaryTag contentOf(CompoundBinaryTag entity) {
        CompoundBinaryTag content = CompoundBinaryTag.builder().put(entity)
                .remove("id").remove("keepPacked").remove("x").remove("y").remove("z").build();
        return content.isEmpty() ? null : content;
    }

    /**
     * Returns the NBT of a chunk that was filled from this, or null if it is as it was.
     *
     * <p>Light that Minestom does not compute is left out of a chunk whose blocks changed, so the game computes it anew.
     */
    CompoundBinaryTag save(Chunk chunk) {
        TreeMap<Integer, CompoundBinaryTag> to = new TreeMap<>(sections);
        boolean blocksChanged = tag.isEmpty();
        boolean changed = tag.isEmpty();
        ListBinaryTag.Builder<CompoundBinaryTag> entities = ListBinaryTag.builder(BinaryTagTypes.COMPOUND);
        for (int y = chunk.getMinSection(); y < chunk.getMaxSection(); y++) {
            CompoundBinaryTag was = sections.getOrDefault(y, CompoundBinaryTag.builder().putByte("Y", (byte) y).build());
            CompoundBinaryTag blocks = blocks(was).save(chunk.getSection(y).blockPalette(), ChunkTag::entryOf);
            CompoundBinaryTag biomes = biomes(was, chunk).save(chunk.getSection(y).biomePalette(), biome -> nameOf(biome, chunk));
            CompoundBinaryTag now = was;
            if (blocks != null) {
                now = now.put("block_states", blocks);
                blocksChanged = true;
            }
            if (biomes != null) {
                now = now.put("biomes", biomes);
                changed = true;
            }
            if (now != was || tag.isEmpty()) {
                to.put(y, now);
            }
            changed |= saveEntities(chunk, y, entities);
        }
        blockEntities.forEach((at, entity) -> {
            if (at.blockY() >> 4 < chunk.getMinSection() || at.blockY() >> 4 >= chunk.getMaxSection()) {
                entities.add(entity);
            }
        });
        ListBinaryTag entityList = entities.build();
        CompoundBinaryTag rest = chunk.tagHandler().asCompound();
        changed |= blocksChanged || entityList.size() != blockEntities.size() || !rest.equals(rest());
        if (!changed) {
            return null;
        }
        CompoundBinaryTag.Builder out = CompoundBinaryTag.builder();
        out.putInt("DataVersion", MinecraftServer.DATA_VERSION).putString("Status", "minecraft:full");
        out.put(rest).putInt("xPos", chunk.getChunkX()).putInt("zPos", chunk.getChunkZ());
        if (tag.get("yPos") == null) {
            out.putInt("yPos", chunk.getMinSection());
        }
        if (blocksChanged) {
            to.replaceAll((y, section) -> lit(chunk, y, section));
            out.putByte("isLightOn", (byte) (chunk instanceof LightingChunk ? 1 : 0));
        } else {
            OWN.forEach(name -> {
                if (tag.get(name) != null) {
                    out.put(name, tag.get(name));
                }
            });
        }
        ListBinaryTag.Builder<CompoundBinaryTag> list = ListBinaryTag.builder(BinaryTagTypes.COMPOUND);
        to.values().forEach(list::add);
        return out.put("sections", list.build()).put("block_entities", entityList).build();
    }

    private static CompoundBinaryTag lit(Chunk chunk, int y, CompoundBinaryTag section) {
        CompoundBinaryTag.Builder out = CompoundBinaryTag.builder().put(section).remove("SkyLight").remove("BlockLight");
        if (chunk instanceof LightingChunk && y >= chunk.getMinSection() && y < chunk.getMaxSection()) {
            byte[] sky = chunk.getSection(y).skyLight().array();
            byte[] light = chunk.getSection(y).blockLight().array();
            if (sky.length > 0) {
                out.putByteArray("SkyLight", sky);
            }
            if (light.length > 0) {
                out.putByteArray("BlockLight", light);
            }
        }
        return out.build();
    }

    /** Adds the block entities of a section, and reports whether one is not as it was. */
    private boolean saveEntities(Chunk chunk, int section, ListBinaryTag.Builder<CompoundBinaryTag> to) {
        boolean changed = false;
        for (int i = 0; i < BLOCKS; i++) {
            int x = i & 15;
            int y = section * 16 + (i >> 8);
            int z = i >> 4 & 15;
            Block block = chunk.getBlock(x, y, z, Block.Getter.Condition.CACHED);
            if (block == null || block.handler() == null && block.nbt() == null) {
                continue;
            }
            Vec at = new Vec(chunk.getChunkX() * 16 + x, y, chunk.getChunkZ() * 16 + z);
            CompoundBinaryTag was = blockEntities.get(at);
            if (was != null && sameHandler(block.handler(), handlerOf(was)) && Objects.equals(block.nbt(), contentOf(was))) {
                to.add(was);
                continue;
            }
            changed = true;
            CompoundBinaryTag.Builder entity = CompoundBinaryTag.builder();
            if (block.nbt() != null) {
                entity.put(block.nbt());
            }
            if (block.handler() != null) {
                entity.putString("id", block.handler().getKey().asString());
            }
            to.add(entity.putInt("x", at.blockX()).putInt("y", y).putInt("z", at.blockZ()).putByte("keepPacked", (byte) 0).build());
        }
        return changed;
    }
}
