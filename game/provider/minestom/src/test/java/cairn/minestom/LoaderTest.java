package cairn.minestom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cairn.client.Client;
import cairn.client.Refused;
import cairn.client.Server;
import com.google.gson.JsonObject;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import net.kyori.adventure.nbt.CompoundBinaryTag;
import net.minestom.server.MinecraftServer;
import net.minestom.server.instance.Chunk;
import net.minestom.server.instance.InstanceContainer;
import net.minestom.server.instance.block.Block;
import net.minestom.server.world.biome.Biome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoaderTest {
    @TempDir
    static Path made;
    @TempDir
    Path dir;
    private Server server;
    private Client client;
    private final List<Throwable> thrown = new ArrayList<>();

    @BeforeAll
    static void minestom() throws Exception {
        MinecraftServer.init();
        Server.run("gen", "survival", "@wild", "--quick", "--size", "16", "--store=local:" + made.resolve("store"));
    }

    @BeforeEach
    void serve() throws Exception {
        server = new Server(dir.resolve("store"));
        try (Stream<Path> all = Files.walk(made)) {
            for (Path from : (Iterable<Path>) all.filter(path -> !path.equals(made))::iterator) {
                Files.copy(from, dir.resolve(made.relativize(from).toString()));
            }
        }
        server.start();
        client = new Client(server.url(), "");
        MinecraftServer.getExceptionManager().setExceptionHandler(thrown::add);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        client.close();
    }

    /** An instance of its own on a world, as another server of Minestom has it. */
    private InstanceContainer instance(CairnLoader loader) {
        return MinecraftServer.getInstanceManager().createInstanceContainer(loader);
    }

    private int version(String world) throws Exception {
        return client.get("/v1/worlds/" + world).json().getAsJsonObject().getAsJsonObject("commit").get("number").getAsInt();
    }

    private JsonObject cells(String at) throws Exception {
        return client.get("/v1/cells/wild?box=" + at + ".." + at).json().getAsJsonObject();
    }

    @Test
    void savesWhatAnotherFinds() throws Exception {
        Block chest = Block.CHEST.withProperty("facing", "east").withHandler(MinecraftServer.getBlockManager().getHandlerOrDummy("minecraft:chest"))
                .withNbt(CompoundBinaryTag.builder().putString("CustomName", "\"loot\"").build());
        try (CairnLoader loader = CairnLoader.open(client, "wild")) {
            InstanceContainer wild = instance(loader);
            wild.loadChunk(0, 0).join();
            wild.loadChunk(-3, 2).join();
            wild.saveChunksToStorage().join();
            assertEquals(1, version("wild"), "nothing changed, so there is no version");

            wild.setBlock(3, 200, 5, Block.OAK_STAIRS.withProperty("half", "top"));
            wild.setBlock(4, 200, 5, chest);
            wild.setBiome(0, 200, 0, Biome.DESERT);
            wild.setBlock(-40, 201, 40, Block.GOLD_BLOCK);
            Chunk beyond = wild.loadChunk(900, -900).join();
            wild.setBlock(900 * 16, 64, -900 * 16, Block.DIAMOND_BLOCK);
            assertTrue(beyond.isLoaded());
            wild.saveChunksToStorage().join();
            assertEquals(2, version("wild"), "all chunks are one version");
        }
        assertEquals(List.of(), thrown);
        assertTrue(cells("3,200,5").toString().contains("minecraft:oak_stairs[facing=north,half=top,shape=straight,waterlogged=false]"), cells("3,200,5").toString());

        try (CairnLoader loader = CairnLoader.open(client, "wild", "overworld", "another")) {
            InstanceContainer found = instance(loader);
            for (int[] at : new int[][] {{0, 0}, {-3, 2}, {900, -900}}) {
                found.loadChunk(at[0], at[1]).join();
            }
            assertEquals(Block.OAK_STAIRS.withProperty("half", "top"), found.getBlock(3, 200, 5));
            assertEquals(Block.GOLD_BLOCK, found.getBlock(-40, 201, 40));
            assertEquals(Block.DIAMOND_BLOCK, found.getBlock(900 * 16, 64, -900 * 16));
            assertEquals(Biome.DESERT, found.getBiome(0, 200, 0));
            Block there = found.getBlock(4, 200, 5);
            assertEquals(chest.nbt(), there.nbt());
            assertEquals("minecraft:chest", there.handler().getKey().asString());
            assertEquals("east", there.getProperty("facing"));
        }
    }

    @Test
    void whatMinestomDoesNotKnowStays() throws Exception {
        for (String body : List.of(
                "{'box':'1,100,1..1,100,1','names':['other:machine[a=b]'],'cells':[0],'any_name':true,'message':'m'}",
                "{'box':'0,25,0..0,25,0','volume':'biome','names':['other:marsh'],'cells':[0],'any_name':true,'message':'m'}")) {
            client.call("PUT", "/v1/cells/wild", body.replace('\'', '"').getBytes());
        }
        try (CairnLoader loader = CairnLoader.open(client, "wild")) {
            InstanceContainer wild = instance(loader);
            wild.loadChunk(0, 0).join();
            assertEquals(Block.STONE, wild.getBlock(1, 100, 1));
            assertEquals(Biome.PLAINS, wild.getBiome(0, 100, 0));
            wild.saveChunksToStorage().join();
            assertEquals(3, version("wild"), "nothing changed");
            wild.setBlock(1, 101, 1, Block.STONE);
            wild.setBiome(4, 100, 4, Biome.DESERT);
            wild.saveChunksToStorage().join();
        }
        assertEquals(List.of(), thrown);
        assertTrue(cells("1,100,1").toString().contains("other:machine[a=b]"), cells("1,100,1").toString());
        assertTrue(cells("1,101,1").toString().contains("minecraft:stone"));
        JsonObject diff = client.get("/v1/diff/wild?a=3").json().getAsJsonObject();
        assertEquals(1, diff.getAsJsonObject("volumes").get("biome").getAsInt(), diff.toString());
        assertEquals(1, diff.getAsJsonObject("volumes").get("block").getAsInt(), diff.toString());
        assertEquals(0, diff.get("objects").getAsInt(), diff.toString());
    }

    @Test
    void aKillLosesNothingThatWasSaved() throws Exception {
        try (CairnLoader loader = CairnLoader.open(client, "wild")) {
            InstanceContainer wild = instance(loader);
            wild.loadChunk(0, 0).join();
            for (int i = 0; i < 5; i++) {
                wild.setBlock(i, 210, 0, Block.EMERALD_BLOCK);
                wild.saveChunksToStorage().join();
                server.kill();
                server.start();
                assertTrue(cells(i + ",210,0").toString().contains("emerald_block"), "save " + i);
            }
            assertEquals(6, version("wild"));
        }
        assertEquals(List.of(), thrown);
    }

    @Test
    void nobodyElseChangesAnOpenWorld() throws Exception {
        try (CairnLoader loader = CairnLoader.open(client, "wild")) {
            assertEquals("leased", assertThrows(Refused.class, () -> CairnLoader.open(client, "wild", "overworld", "another")).code);
            InstanceContainer wild = instance(loader);
            wild.loadChunk(0, 0).join();
            wild.setBlock(0, 200, 0, Block.STONE);
            // An admin takes the lease away.
            String fence = client.get("/v1/leases/wild").json().getAsJsonObject().get("fence").getAsString();
            client.call("DELETE", "/v1/leases/wild", new byte[0], "Cairn-Fence", fence);
            try (CairnLoader other = CairnLoader.open(client, "wild", "overworld", "another")) {
                Chunk chunk = wild.getChunk(0, 0);
                assertThrows(UncheckedIOException.class, () -> loader.saveChunk(chunk));
                assertThrows(UncheckedIOException.class, () -> loader.saveChunk(chunk), "it stays lost");
                assertNotNull(other);
            }
        }
        assertEquals(1, version("wild"));
    }

    @Test
    void aNewWorldBeginsEmpty() throws Exception {
        try (CairnLoader loader = CairnLoader.open(client, "fresh")) {
            assertNull(loader.loadChunk(instance(loader), 0, 0));
            InstanceContainer fresh = instance(loader);
            fresh.setGenerator(unit -> unit.modifier().fillHeight(0, 40, Block.STONE));
            fresh.loadChunk(0, 0).join();
            fresh.saveChunksToStorage().join();
        }
        try (CairnLoader loader = CairnLoader.open(client, "fresh")) {
            InstanceContainer fresh = instance(loader);
            fresh.loadChunk(0, 0).join();
            assertEquals(Block.STONE, fresh.getBlock(8, 39, 8));
            assertEquals(Block.AIR, fresh.getBlock(8, 40, 8));
        }
        assertEquals(List.of(), thrown);
    }

    @Test
    void aServerThatIsAwayGivesNoEmptyChunks() throws Exception {
        try (Client hasty = new Client(server.url(), "", Duration.ZERO); CairnLoader loader = CairnLoader.open(client, "wild")) {
            loader.close();
            CairnLoader open = CairnLoader.open(hasty, "wild");
            server.kill();
            assertThrows(UncheckedIOException.class, () -> open.loadChunk(instance(open), 0, 0));
            server.start();
        }
    }

    @Test
    void howLongItTakes() throws Exception {
        try (CairnLoader loader = CairnLoader.open(client, "wild")) {
            for (int round = 0; round < 3; round++) {
                InstanceContainer wild = instance(loader);
                long start = System.nanoTime();
                for (int i = 0; i < 100; i++) {
                    wild.loadChunk(i % 10 - 5, i / 10 - 5).join();
                }
                long loaded = System.nanoTime();
                wild.setBlock(0, 220 + round, 0, Block.STONE);
                loader.saveChunk(wild.getChunk(0, 0));
                long one = System.nanoTime();
                wild.setBlock(0, 230 + round, 0, Block.STONE);
                wild.saveChunksToStorage().join();
                long all = System.nanoTime();
                System.out.printf("100 chunks loaded in %d ms, one saved in %d ms, one of 100 looked through saved in %d ms%n",
                        (loaded - start) / 1_000_000, (one - loaded) / 1_000_000, (all - one) / 1_000_000);
                new ArrayList<>(wild.getChunks()).forEach(wild::unloadChunk);
            }
        }
    }
}
