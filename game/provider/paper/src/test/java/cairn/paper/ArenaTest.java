package cairn.paper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cairn.client.Client;
import cairn.client.Lease;
import cairn.client.Server;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArenaTest {
    private static final int DATA_VERSION = 4440; // 1.21.8
    private static final String CHEST = "minecraft:chest[facing=west,type=single,waterlogged=false]";

    @TempDir
    Path dir;
    private Server server;
    private Client client;
    private final Main main = new Main();
    private final Arena arena = new Arena("spleef", "world", Box.parse("-20,60,-20..20,75,20"), Duration.ZERO, 0);
    private final List<String> said = new ArrayList<>();
    private Operations operations;
    private Store store;

    @BeforeEach
    void serve() throws Exception {
        server = new Server(dir.resolve("store")).start();
        client = new Client(server.url(), "");
        store = new Store(client, "arenas/", DATA_VERSION);
        operations = new Operations(main, store, 2_000_000, main::now);
        main.worlds.put("world", new Blocks());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        client.close();
    }

    /** A world in memory. Its chunks are ready at the second question. */
    private static final class Blocks implements World {
        final Map<String, String> blocks = new HashMap<>();
        final Set<String> loaded = new HashSet<>();

        @Override
        public boolean ready(int x, int z) {
            return !loaded.add(x + "," + z);
        }

        @Override
        public String get(int x, int y, int z) {
            assertTrue(loaded.contains((x >> 4) + "," + (z >> 4)), "the chunk is not loaded");
            return blocks.getOrDefault(x + "," + y + "," + z, y < 64 ? "minecraft:stone" : "minecraft:air");
        }

        @Override
        public void set(int x, int y, int z, String block) {
            if (block.contains("unknown")) {
                throw new IllegalArgumentException("unknown");
            }
            blocks.put(x + "," + y + "," + z, block);
        }
    }

    /** The main thread of a game, and a clock on which each look takes 20 microseconds. */
    private final class Main implements Game {
        final Map<String, World> worlds = new HashMap<>();
        private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
        private final List<BooleanSupplier> steps = new ArrayList<>();
        private final Thread thread = Thread.currentThread();
        private long now;
        private int ticks;
        private long longest;

        long now() {
            assertEquals(thread, Thread.currentThread());
            return now += 20_000;
        }

        @Override
        public World world(String name) {
            assertEquals(thread, Thread.currentThread());
            return worlds.get(name);
        }

        @Override
        public void ticks(BooleanSupplier step) {
            steps.add(step);
        }

        @Override
        public void async(Runnable run) {
            Thread.ofVirtual().start(run);
        }

        @Override
        public void main(Runnable run) {
            queue.add(run);
        }

        /** Ticks until somebody says something. */
        String until() throws Exception {
            int before = said.size();
            while (said.size() == before) {
                ticks++;
                long start = now;
                steps.removeIf(BooleanSupplier::getAsBoolean);
                longest = Math.max(longest, now - start);
                Runnable run = queue.poll(steps.isEmpty() ? 20_000 : 1, TimeUnit.MILLISECONDS);
                if (run != null) {
                    run.run();
                }
            }
            return said.getLast();
        }
    }

    private Blocks world() {
        return (Blocks) main.worlds.get("world");
    }

    @Test
    void anArenaComesBackAndGoesBack() throws Exception {
        world().set(3, 70, 4, CHEST);
        world().set(-20, 60, -20, "minecraft:gold_block");
        operations.save(arena, "ann", said::add);
        assertTrue(main.until().matches("spleef is saved as version \\d+\\."), said.toString());

        // A round is played.
        world().set(3, 70, 4, "minecraft:tnt[unstable=false]");
        world().set(20, 75, 20, "minecraft:dirt");
        world().set(21, 75, 20, "minecraft:dirt");
        Map<String, String> played = Map.copyOf(world().blocks);
        operations.restore(arena, 0, "ann", said::add);
        assertTrue(main.until().contains(": 2 blocks changed."), said.toString());
        assertEquals(CHEST, world().get(3, 70, 4));
        assertEquals("minecraft:air", world().get(20, 75, 20));
        assertEquals("minecraft:dirt", world().get(21, 75, 20), "beside the box everything stays");
        assertTrue(main.longest < 4_000_000, "a tick took " + main.longest);
        assertTrue(main.ticks > 10, "it was spread over " + main.ticks + " ticks");

        operations.undo(arena, "ann", said::add);
        assertTrue(main.until().contains(": 2 blocks changed."), said.toString());
        played.forEach((at, block) -> assertEquals(block, world().blocks.get(at), at));

        operations.undo(arena, "ann", said::add);
        main.until();
        assertEquals(CHEST, world().get(3, 70, 4), "an undo of an undo");

        operations.list(arena, said::add);
        String list = main.until();
        assertTrue(list.startsWith("spleef: 4 versions\n"), list);
        assertTrue(list.contains("ann  save") && list.contains("ann  before version"), list);
    }

    @Test
    void versionsAreNumbersAndOutliveTheServer() throws Exception {
        List<Integer> numbers = new ArrayList<>();
        for (String block : List.of("minecraft:dirt", "minecraft:sand", "minecraft:sand")) {
            world().set(0, 70, 0, block);
            operations.save(arena, "ann", said::add);
            main.until();
            numbers.add(Integer.parseInt(said.getLast().replaceAll("\\D", "")));
        }
        assertTrue(numbers.get(2) > numbers.get(1), "a save that changes nothing is a version, too");
        server.kill();
        server.start();
        operations.restore(arena, numbers.get(0), "ann", said::add);
        main.until();
        assertEquals("minecraft:dirt", world().get(0, 70, 0), said.toString());
        operations.restore(arena, 99, "ann", said::add);
        assertEquals("spleef: there is no version 99", main.until());
    }

    @Test
    void oneOperationAtATime() throws Exception {
        operations.save(arena, "ann", said::add);
        operations.save(arena, "bob", said::add);
        assertEquals("spleef is at work already.", said.getFirst());
        main.until();
        operations.save(arena, "bob", said::add);
        assertTrue(main.until().contains("is saved"), said.toString());
    }

    @Test
    void refusalsAreSaidInWords() throws Exception {
        operations.undo(arena, "ann", said::add);
        assertEquals("spleef: nothing is to be undone", main.until());
        operations.restore(arena, 0, "ann", said::add);
        assertEquals("spleef: nothing is saved", main.until());
        operations.save(new Arena("none", "nowhere", arena.box(), Duration.ZERO, 0), "ann", said::add);
        assertEquals("none: there is no world nowhere", main.until());
        operations.save(arena, "ann", said::add);
        main.until();
        try (Lease other = Lease.take(client, "arenas/spleef", "another server", Duration.ofSeconds(30))) {
            operations.save(arena, "ann", said::add);
            assertTrue(main.until().contains("leased"), said.toString());
            assertFalse(other.fence().isEmpty());
        }
        operations.restore(new Arena("spleef", "world", Box.parse("0,60,0..1,61,1"), Duration.ZERO, 0), 0, "ann", said::add);
        assertTrue(main.until().contains("is of the box -20,60,-20..20,75,20"), said.toString());
    }

    @Test
    void aBlockThatTheGameDoesNotKnowStays() throws Exception {
        world().blocks.put("0,70,0", "other:unknown[a=b]");
        operations.save(arena, "ann", said::add);
        main.until();
        world().set(0, 70, 0, "minecraft:dirt");
        operations.restore(arena, 0, "ann", said::add);
        assertTrue(main.until().endsWith("The game does not know other:unknown[a=b]."), said.toString());
        assertEquals("minecraft:dirt", world().get(0, 70, 0));
    }

    @Test
    void aLargeArenaTakesSeveralCalls() throws Exception {
        Arena large = new Arena("large", "world", Box.parse("0,0,0..255,99,255"), Duration.ZERO, 0);
        assertEquals(2, large.box().calls().size());
        Cells cells = new Cells(large.box());
        for (int i = 0; i < 256; i++) {
            for (int y = 0; y < 100; y++) {
                for (int z = 0; z < 256; z++) {
                    cells.set(i, y, z, (i * 7 + y * 3 + z) % 11 == 0 ? "minecraft:stone" : "minecraft:air");
                }
            }
        }
        long start = System.nanoTime();
        int version = store.save(large, cells, "ann");
        long saved = System.nanoTime();
        Cells back = store.load(large, version);
        System.out.printf("an arena of %d blocks saved in %d ms, loaded in %d ms%n", large.box().count(), (saved - start) / 1_000_000, (System.nanoTime() - saved) / 1_000_000);
        for (int i = 0; i < 256; i += 5) {
            for (int y = 0; y < 100; y++) {
                assertEquals(cells.get(i, y, 255 - i), back.get(i, y, 255 - i));
            }
        }
    }

    @Test
    void commands() throws Exception {
        Commands commands = new Commands(List.of(arena, new Arena("tower", "world", Box.parse("0,0,0..1,1,1"), Duration.ZERO, 0)), operations);
        Set<String> may = new HashSet<>(Set.of("cairn.save", "cairn.list"));
        Commands.Caller ann = new Commands.Caller() {
            @Override
            public String name() {
                return "ann";
            }

            @Override
            public boolean may(String permission) {
                return may.contains(permission);
            }

            @Override
            public void say(String words) {
                said.add(words);
            }
        };
        assertEquals(List.of("save", "list"), commands.complete(ann, ""));
        assertEquals(List.of("spleef"), commands.complete(ann, "save", "s"));
        assertEquals(List.of("spleef", "tower", "world"), commands.complete(ann, "list", ""));
        assertEquals(List.of(), commands.complete(ann, "restore", ""));
        for (String[] wrong : new String[][] {
            {"restore", "spleef", "You may not restore arenas."}, {"fly", "/cairn save|restore|undo|list [arena or world] [version]"},
            {"save", "Arenas: spleef, tower"}, {"save", "here", "There is no arena and no world here. Arenas: spleef, tower"},
        }) {
            commands.execute(ann, java.util.Arrays.copyOf(wrong, wrong.length - 1));
            assertEquals(wrong[wrong.length - 1], said.getLast());
        }
        commands.execute(ann, "save", "world");
        main.until();
        main.until();
        assertTrue(said.toString().contains("spleef is saved") && said.toString().contains("tower is saved"), said.toString());
        may.add("cairn.restore");
        assertEquals(List.of("newest"), commands.complete(ann, "restore", "tower", "n"));
        commands.execute(ann, "restore", "tower", "soon");
        assertEquals("version soon: want a number, or newest", said.getLast());
        commands.execute(ann, "restore", "world", "2");
        assertEquals("A version is of one arena: name that.", said.getLast());
        commands.execute(ann, "restore", "tower");
        assertTrue(main.until().startsWith("tower is version "), said.toString());
    }

    @Test
    void whatTheConfigMaySay() {
        assertEquals(new Box(-1, 2, -3, 4, 5, 6), Box.parse("4,2,6..-1,5,-3"));
        for (String wrong : List.of("", "1,2,3", "0,0,0..5000,0,5000", "0,0,0..999,255,999", "0,0,0..99999999999,0,0")) {
            assertThrows(IllegalArgumentException.class, () -> Box.parse(wrong), wrong);
        }
        assertEquals(Duration.ofMinutes(30), Arena.every("30m"));
        assertEquals(Duration.ZERO, Arena.every(null));
        for (String wrong : List.of("30", "0m", "m", "1w")) {
            assertThrows(IllegalArgumentException.class, () -> Arena.every(wrong), wrong);
        }
        assertThrows(IllegalArgumentException.class, () -> new Arena("Big Arena", "world", arena.box(), Duration.ZERO, 0));
    }
}
