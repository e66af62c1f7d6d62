package cairn.minestom;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import net.kyori.adventure.nbt.BinaryTag;
import net.kyori.adventure.nbt.CompoundBinaryTag;
import net.kyori.adventure.nbt.ListBinaryTag;
import net.minestom.server.instance.palette.Palette;
import net.minestom.server.instance.palette.Palettes;

/**
 * The cells of a section as a chunk's NBT stores them: entries, which are blocks or biomes, and for each cell the number
 * of one. Entries may have names that this Minestom does not know; they stay as they are.
 */
final class PaletteTag {
    private final int least;
    private final List<BinaryTag> entries = new ArrayList<>();
    private final int[] ids; // of entries, in the registry of Minestom
    private final int[] cells;

    /**
     * @param least the bits that a cell has at least
     * @param id returns the id of an entry
     * @param none stands for all cells if the tag has no entries
     */
    PaletteTag(CompoundBinaryTag tag, int count, int least, ToIntFunction<BinaryTag> id, BinaryTag none) {
        this.least = least;
        tag.getList("palette").forEach(entries::add);
        if (entries.isEmpty()) {
            entries.add(none);
        }
        ids = entries.stream().mapToInt(id).toArray();
        cells = new int[count];
        if (ids.length > 1) {
            Palettes.unpack(cells, tag.getLongArray("data"), bits(ids.length));
            for (int cell : cells) {
                if (cell >= ids.length) {
                    throw new IllegalStateException("a cell has number " + cell + " of " + ids.length);
                }
            }
        }
    }

    private int bits(int entries) {
        return Math.max(least, 32 - Integer.numberOfLeadingZeros(entries - 1));
    }

    /** Sets the cells of a section. */
    void load(Palette to) {
        int edge = to.dimension();
        if (ids.length == 1) {
            to.fill(ids[0]);
        } else {
            to.setAll((x, y, z) -> ids[cells[(y * edge + z) * edge + x]]);
        }
    }

    /**
     * Returns the tag of a section's cells, or null if no cell has another id than here. Cells that have the same id keep
     * their entry.
     */
    CompoundBinaryTag save(Palette from, IntFunction<BinaryTag> entryOf) {
        int edge = from.dimension();
        int[] now = new int[cells.length];
        from.getAll((x, y, z, id) -> now[(y * edge + z) * edge + x] = id);
        boolean same = true;
        for (int i = 0; i < now.length && same; i++) {
            same = now[i] == ids[cells[i]];
        }
        if (same) {
            return null;
        }
        List<BinaryTag> all = new ArrayList<>(entries);
        Map<Integer, Integer> made = new HashMap<>(); // entries by id
        for (int i = 0; i < now.length; i++) {
            now[i] = now[i] == ids[cells[i]] ? cells[i] : made.computeIfAbsent(now[i], id -> numberOf(entryOf.apply(id), all));
        }
        int[] numbers = new int[all.size()]; // of those in use, from 1 on
        List<BinaryTag> list = new ArrayList<>();
        for (int i = 0; i < now.length; i++) {
            if (numbers[now[i]] == 0) {
                list.add(all.get(now[i]));
                numbers[now[i]] = list.size();
            }
            now[i] = numbers[now[i]] - 1;
        }
        CompoundBinaryTag.Builder out = CompoundBinaryTag.builder().put("palette", ListBinaryTag.listBinaryTag(list.getFirst().type(), list));
        if (list.size() > 1) {
            out.putLongArray("data", Palettes.pack(now, bits(list.size())));
        }
        return out.build();
    }

    /** Returns where an entry is in a list, to which it adds those that are not there. */
    private static int numberOf(BinaryTag entry, List<BinaryTag> all) {
        if (!all.contains(entry)) {
            all.add(entry);
        }
        return all.indexOf(entry);
    }
}
