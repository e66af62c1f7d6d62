package cairn.paper;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.bukkit.Bukkit;
import org.bukkit.block.data.BlockData;
import org.bukkit.plugin.Plugin;
import org.bukkit.scheduler.BukkitRunnable;

/** A server of Bukkit's kin. */
final class BukkitGame implements Game {
    private final Plugin plugin;

    BukkitGame(Plugin plugin) {
        this.plugin = plugin;
    }

    @Override
    public World world(String name) {
        org.bukkit.World world = Bukkit.getWorld(name);
        return world == null ? null : new BukkitWorld(world);
    }

    @Override
    public void ticks(BooleanSupplier step) {
        new BukkitRunnable() {
            @Override
            public void run() {
                if (step.getAsBoolean()) {
                    cancel();
                }
            }
        }.runTaskTimer(plugin, 1, 1);
    }

    @Override
    public void async(Runnable run) {
        Bukkit.getScheduler().runTaskAsynchronously(plugin, run);
    }

    @Override
    public void main(Runnable run) {
        if (plugin.isEnabled()) {
            Bukkit.getScheduler().runTask(plugin, run);
        }
    }

    /** The blocks of a world. Texts are kept, since making one takes longer than reading the block. */
    private static final class BukkitWorld implements World {
        private final org.bukkit.World world;
        private final Map<BlockData, String> texts = new HashMap<>();
        private final Map<String, BlockData> blocks = new HashMap<>();

        BukkitWorld(org.bukkit.World world) {
            this.world = world;
        }

        @Override
        public boolean ready(int chunkX, int chunkZ) {
            if (world.isChunkLoaded(chunkX, chunkZ)) {
                return true;
            }
            world.getChunkAtAsync(chunkX, chunkZ);
            return false;
        }

        @Override
        public String get(int x, int y, int z) {
            return texts.computeIfAbsent(world.getBlockAt(x, y, z).getBlockData(), BlockData::getAsString);
        }

        @Override
        public void set(int x, int y, int z, String block) {
            world.getBlockAt(x, y, z).setBlockData(blocks.computeIfAbsent(block, Bukkit::createBlockData), false);
        }
    }
}
