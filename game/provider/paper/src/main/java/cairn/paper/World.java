package cairn.paper;

/** The blocks of a running game. Only the game's main thread calls it. */
interface World {
    /** Reports whether a chunk is in memory, and has it loaded if it is not. */
    boolean ready(int chunkX, int chunkZ);

    /** Returns a block as the game writes it, such as {@code minecraft:chest[facing=north,type=single,waterlogged=false]}. */
    String get(int x, int y, int z);

    /**
     * Sets a block without consequences for those beside it.
     *
     * @throws IllegalArgumentException if the game does not know it
     */
    void set(int x, int y, int z, String block);
}
