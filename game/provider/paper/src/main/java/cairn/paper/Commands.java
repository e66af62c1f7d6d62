package cairn.paper;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The command {@code /cairn save|restore|undo|list [arena or world] [version]}. A world stands for all its arenas. */
final class Commands {
    private static final List<String> VERBS = List.of("save", "restore", "undo", "list");
    private static final String USAGE = "/cairn save|restore|undo|list [arena or world] [version]";

    private final Map<String, Arena> arenas = new TreeMap<>();
    private final Operations operations;

    Commands(Collection<Arena> arenas, Operations operations) {
        arenas.forEach(arena -> this.arenas.put(arena.name(), arena));
        this.operations = operations;
    }

    /** Who gives a command. */
    interface Caller {
        String name();

        boolean may(String permission);

        void say(String words);
    }

    void execute(Caller caller, String... args) {
        if (args.length == 0 || args.length > 3 || !VERBS.contains(args[0]) || args.length == 3 && !args[0].equals("restore")) {
            caller.say(USAGE);
            return;
        }
        if (!caller.may("cairn." + args[0])) {
            caller.say("You may not " + args[0] + " arenas.");
            return;
        }
        List<Arena> meant = named(args.length > 1 ? args[1] : "");
        int version;
        try {
            version = Arena.version(args.length > 2 ? args[2] : null);
        } catch (IllegalArgumentException e) {
            caller.say(e.getMessage());
            return;
        }
        if (meant.isEmpty()) {
            caller.say((args.length > 1 ? "There is no arena and no world " + args[1] + ". " : "") + "Arenas: " + String.join(", ", arenas.keySet()));
        } else if (meant.size() > 1 && version > 0) {
            caller.say("A version is of one arena: name that.");
            return;
        }
        for (Arena arena : meant) {
            switch (args[0]) {
                case "save" -> operations.save(arena, caller.name(), caller::say);
                case "restore" -> operations.restore(arena, version, caller.name(), caller::say);
                case "undo" -> operations.undo(arena, caller.name(), caller::say);
                default -> operations.list(arena, caller::say);
            }
        }
    }

    /** Returns the arena of a name, all of a world, or the only one if there is no name. */
    private List<Arena> named(String name) {
        if (arenas.containsKey(name)) {
            return List.of(arenas.get(name));
        }
        if (name.isEmpty()) {
            return arenas.size() == 1 ? List.copyOf(arenas.values()) : List.of();
        }
        return arenas.values().stream().filter(arena -> arena.world().equals(name)).toList();
    }

    /** Returns what the last word may be. */
    List<String> complete(Caller caller, String... args) {
        List<String> all = new ArrayList<>();
        if (args.length == 1) {
            VERBS.stream().filter(verb -> caller.may("cairn." + verb)).forEach(all::add);
        } else if (args.length == 2 && VERBS.contains(args[0]) && caller.may("cairn." + args[0])) {
            TreeSet<String> names = new TreeSet<>(arenas.keySet());
            arenas.values().forEach(arena -> names.add(arena.world()));
            all.addAll(names);
        } else if (args.length == 3 && args[0].equals("restore") && caller.may("cairn.restore")) {
            all.add("newest");
        }
        all.removeIf(word -> !word.startsWith(args[args.length - 1]));
        return all;
    }
}
