package cairn.paper;

import java.util.function.LongSupplier;

/** Reads the blocks of a box. */
final class ReadTask extends Sweep {
    final Cells cells;

    ReadTask(World world, Box box, LongSupplier clock) {
        super(world, box, clock);
        cells = new Cells(box);
    }

    @Override
    void block(int x, int y, int z) {
        cells.set(x, y, z, world.get(x, y, z));
    }
}
