package cairn.paper;

import java.util.function.LongSupplier;

/** Work on each block of a box, in parts that a tick has time for, chunk after chunk. */
abstract class Sweep {
    private static final int LOOK = 64; // blocks between two looks at the clock

    final World world;
    final Box box;
    private final LongSupplier clock; // nanoseconds
    private int chunkX;
    private int chunkZ;
    private int next; // block of the chunk

    Sweep(World world, Box box, LongSupplier clock) {
        this.world = world;
        this.box = box;
        this.clock = clock;
        chunkX = box.x0() >> 4;
        chunkZ = box.z0() >> 4;
    }

    /** Works on one block. */
    abstract void block(int x, int y, int z);

    /** Works for at most that long, or until a chunk has to be loaded. Returns true at the end. */
    final boolean step(long nanos) {
        long end = clock.getAsLong() + nanos;
        while (chunkZ <= box.z1() >> 4) {
            if (!world.ready(chunkX, chunkZ)) {
                return false;
            }
            Box part = new Box(Math.max(box.x0(), chunkX << 4), box.y0(), Math.max(box.z0(), chunkZ << 4),
                    Math.min(box.x1(), (chunkX << 4) + 15), box.y1(), Math.min(box.z1(), (chunkZ << 4) + 15));
            for (; next < part.count(); next++) {
                if (next % LOOK == 0 && clock.getAsLong() >= end) {
                    return false;
                }
                block(part.x0() + next % part.wide(), part.y0() + next / part.wide() / part.deep(), part.z0() + next / part.wide() % part.deep());
            }
            next = 0;
            if (++chunkX > box.x1() >> 4) {
                chunkX = box.x0() >> 4;
                chunkZ++;
            }
        }
        return true;
    }
}
