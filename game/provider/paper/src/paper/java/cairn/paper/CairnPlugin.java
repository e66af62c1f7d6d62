package cairn.paper;

import cairn.client.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.bukkit.Bukkit;
import org.bukkit.command.Command;
import org.bukkit.command.CommandSender;
import org.bukkit.configuration.ConfigurationSection;
import org.bukkit.plugin.java.JavaPlugin;

/** The plugin: it reads the config, passes the command on, and restores arenas by the clock. */
public final class CairnPlugin extends JavaPlugin {
    private static final long TICKS_A_SECOND = 20;

    private Client client;
    private Commands commands;

    @Override
    public void onEnable() {
        saveDefaultConfig();
        String token = System.getenv().getOrDefault("CAIRN_TOKEN", getConfig().getString("token", ""));
        client = new Client(getConfig().getString("server", "http://127.0.0.1:7070"), token);
        Store store = new Store(client, getConfig().getString("prefix", "arenas/"), dataVersion());
        long budget = Math.max(1, getConfig().getLong("tick-budget-ms", 5)) * 1_000_000;
        Operations operations = new Operations(new BukkitGame(this), store, budget, System::nanoTime);
        List<Arena> arenas = arenas();
        commands = new Commands(arenas, operations);
        for (Arena arena : arenas) {
            if (!arena.every().isZero()) {
                long ticks = arena.every().toSeconds() * TICKS_A_SECOND;
                Bukkit.getScheduler().runTaskTimer(this, () -> operations.restore(arena, arena.version(), "schedule", getLogger()::info), ticks, ticks);
            }
        }
    }

    @SuppressWarnings("deprecation") // there is no other way to ask for it
    private static int dataVersion() {
        return Bukkit.getUnsafe().getDataVersion();
    }

    /** Reads the arenas of the config. One that is wrong is named and left out. */
    private List<Arena> arenas() {
        List<Arena> all = new ArrayList<>();
        ConfigurationSection section = getConfig().getConfigurationSection("arenas");
        for (String name : section == null ? List.<String>of() : section.getKeys(false)) {
            try {
                all.add(new Arena(name, section.getString(name + ".world", "world"), Box.parse(section.getString(name + ".box", "")),
                        Arena.every(section.getString(name + ".restore.every")), Arena.version(section.getString(name + ".restore.version"))));
            } catch (IllegalArgumentException e) {
                getLogger().log(Level.SEVERE, "arena {0} is left out: {1}", new Object[] {name, e.getMessage()});
            }
        }
        return all;
    }

    @Override
    public void onDisable() {
        if (client != null) {
            client.close();
        }
    }

    @Override
    public boolean onCommand(CommandSender sender, Command command, String label, String[] args) {
        commands.execute(caller(sender), args);
        return true;
    }

    @Override
    public List<String> onTabComplete(CommandSender sender, Command command, String label, String[] args) {
        return commands.complete(caller(sender), args);
    }

    private static Commands.Caller caller(CommandSender sender) {
        return new Commands.Caller() {
            @Override
            public String name() {
                return sender.getName();
            }

            @Override
            public boolean may(String permission) {
                return sender.hasPermission(permission);
            }

            @Override
            public void say(String words) {
                sender.sendMessage(words);
            }
        };
    }
}
