package cairn.paper;

import java.util.function.BooleanSupplier;

/** What the operations need of the game. */
interface Game {
    /** Returns a world by its name, or null. Only on the main thread. */
    World world(String name);

    /** Runs a step in each tick until it returns true. */
    void ticks(BooleanSupplier step);

    /** Runs something on another thread. */
    void async(Runnable run);

    /** Runs something on the main thread. */
    void main(Runnable run);
}
