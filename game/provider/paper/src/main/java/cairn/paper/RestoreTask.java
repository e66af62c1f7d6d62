package cairn.paper;

import java.util.TreeSet;
import java.util.function.LongSupplier;

/** Makes the blocks of a box those of a version. Blocks that are right stay, with what is in them. */
final class RestoreTask extends Sweep {
    private final Cells cells;
    /** How many blocks changed. */
    int changed;
    /** Blocks that the game does not know. What was there stays. */
    final TreeSet<String> unknown = new TreeSet<>();

    RestoreTask(World world, Cells cells, LongSupplier clock) {
        super(world, cells.box, clock);
        this.cells = cells;
    }

    @Override
    void block(int x, int y, int z) {
        String want = cells.get(x, y, z);
        if (unknown.contains(want) || want.equals(world.get(x, y, z))) {
            return;
        }
        try {
            world.set(x, y, z, want);
            changed++;
        } catch (IllegalArgumentException e) {
            unknown.add(want);
        }
    }
}
