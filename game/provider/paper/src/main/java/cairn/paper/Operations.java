package cairn.paper;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Saves and restores arenas, one operation for each at a time. The game's blocks are read and written on its main thread,
 * in parts; the server is called from others.
 */
final class Operations {
    private final Game game;
    private final Store store;
    private final long budget; // nanoseconds of a tick
    private final LongSupplier clock;
    private final Set<String> busy = ConcurrentHashMap.newKeySet();

    Operations(Game game, Store store, long budget, LongSupplier clock) {
        this.game = game;
        this.store = store;
        this.budget = budget;
        this.clock = clock;
    }

    /** Work that may fail. */
    private interface Work {
        void run() throws IOException;
    }

    private void begin(Arena arena, Consumer<String> say, Work work) {
        if (!busy.add(arena.name())) {
            say.accept(arena.name() + " is at work already.");
            return;
        }
        async(arena, say, work);
    }

    private void async(Arena arena, Consumer<String> say, Work work) {
        game.async(() -> attempt(arena, say, work));
    }

    private void attempt(Arena arena, Consumer<String> say, Work work) {
        try {
            work.run();
        } catch (IOException | RuntimeException e) {
            end(arena, say, arena.name() + ": " + e.getMessage());
        }
    }

    private void end(Arena arena, Consumer<String> say, String words) {
        busy.remove(arena.name());
        game.main(() -> say.accept(words));
    }

    /** Steps through an arena on the main thread, then goes on with done on another. */
    private void sweep(Arena arena, Consumer<String> say, Function<World, Sweep> make, Done done) {
        game.main(() -> attempt(arena, say, () -> {
            World world = game.world(arena.world());
            if (world == null) {
                throw new IOException("there is no world " + arena.world());
            }
            Sweep sweep = make.apply(world);
            game.ticks(() -> {
                boolean[] over = {true};
                attempt(arena, say, () -> over[0] = sweep.step(budget) && then(arena, say, () -> done.run(sweep)));
                return over[0];
            });
        }));
    }

    private boolean then(Arena arena, Consumer<String> say, Work work) {
        async(arena, say, work);
        return true;
    }

    /** What follows a sweep. */
    private interface Done {
        void run(Sweep sweep) throws IOException;
    }

    /** Saves an arena as a version. */
    void save(Arena arena, String author, Consumer<String> say) {
        begin(arena, say, () -> read(arena, say, cells ->
                end(arena, say, arena.name() + " is saved as version " + store.save(arena, cells, author) + ".")));
    }

    private void read(Arena arena, Consumer<String> say, Read then) {
        sweep(arena, say, world -> new ReadTask(world, arena.box(), clock), task -> then.run(((ReadTask) task).cells));
    }

    private interface Read {
        void run(Cells cells) throws IOException;
    }

    /** Restores a version; 0 is the newest that was saved. What is there is saved before. */
    void restore(Arena arena, int version, String author, Consumer<String> say) {
        begin(arena, say, () -> replace(arena, find(arena, version, true), author, say));
    }

    /** Goes back to what was there before the last restore. An undo is a restore, so a second one takes it back. */
    void undo(Arena arena, String author, Consumer<String> say) {
        begin(arena, say, () -> replace(arena, find(arena, 0, false), author, say));
    }

    private int find(Arena arena, int number, boolean save) throws IOException {
        for (Store.Version v : store.list(arena)) {
            if (number == 0 ? v.isSave() == save : v.number() == number) {
                return v.number();
            }
        }
        throw new IOException(number != 0 ? "there is no version " + number : save ? "nothing is saved" : "nothing is to be undone");
    }

    private void replace(Arena arena, int version, String author, Consumer<String> say) throws IOException {
        Cells want = store.load(arena, version);
        read(arena, say, before -> {
            int saved = store.saveBefore(arena, before, author, version);
            sweep(arena, say, world -> new RestoreTask(world, want, clock), task -> {
                RestoreTask done = (RestoreTask) task;
                String words = arena.name() + " is version " + version + " again: " + done.changed + " blocks changed. What was there is version " + saved + ".";
                if (!done.unknown.isEmpty()) {
                    words += " The game does not know " + String.join(", ", done.unknown) + ".";
                }
                end(arena, say, words);
            });
        });
    }

    /** Tells the newest versions of an arena. */
    void list(Arena arena, Consumer<String> say) {
        game.async(() -> {
            StringBuilder words = new StringBuilder();
            try {
                List<Store.Version> all = store.list(arena);
                words.append(arena.name()).append(": ").append(all.size()).append(all.size() == 1 ? " version" : " versions");
                for (Store.Version v : all.subList(0, Math.min(10, all.size()))) {
                    words.append('\n').append(v.number()).append("  ").append(v.time().toString(), 0, 16).append("  ").append(v.author()).append("  ").append(v.message());
                }
            } catch (IOException | RuntimeException e) {
                words.append(arena.name()).append(": ").append(e.getMessage());
            }
            game.main(() -> say.accept(words.toString()));
        });
    }
}
