package cairn.paper;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A box of blocks, both corners included. */
record Box(int x0, int y0, int z0, int x1, int y1, int z1) {
    /** How many blocks an arena may have. */
    static final int MOST = 1 << 24;
    /** How many a call of the server takes. */
    static final int CALL = 1 << 22;

    private static final Pattern FORM = Pattern.compile(
            "\\s*(-?\\d{1,8}),(-?\\d{1,8}),(-?\\d{1,8})\\.\\.(-?\\d{1,8}),(-?\\d{1,8}),(-?\\d{1,8})\\s*");

    /** Reads {@code x0,y0,z0..x1,y1,z1}. The corners may stand in any order. */
    static Box parse(String text) {
        Matcher m = FORM.matcher(text);
        if (!m.matches()) {
            throw new IllegalArgumentException("box " + text + ": want x0,y0,z0..x1,y1,z1");
        }
        int[] n = new int[6];
        for (int i = 0; i < 6; i++) {
            n[i] = Integer.parseInt(m.group(i + 1));
        }
        Box box = new Box(Math.min(n[0], n[3]), Math.min(n[1], n[4]), Math.min(n[2], n[5]),
                Math.max(n[0], n[3]), Math.max(n[1], n[4]), Math.max(n[2], n[5]));
        if ((long) box.wide() * box.deep() > CALL || box.wide() * (long) box.deep() * box.high() > MOST) {
            throw new IllegalArgumentException("box " + text + ": an arena has at most " + MOST + " blocks, and " + CALL + " in a layer");
        }
        return box;
    }

    int wide() {
        return x1 - x0 + 1;
    }

    int high() {
        return y1 - y0 + 1;
    }

    int deep() {
        return z1 - z0 + 1;
    }

    int count() {
        return wide() * high() * deep();
    }

    /** The number of a block: x first, then z, then y. */
    int index(int x, int y, int z) {
        return ((y - y0) * deep() + (z - z0)) * wide() + (x - x0);
    }

    /** Cuts the box into layers that a call takes. */
    List<Box> calls() {
        int layers = Math.max(1, CALL / (wide() * deep()));
        List<Box> all = new ArrayList<>();
        for (int y = y0; y <= y1; y += layers) {
            all.add(new Box(x0, y, z0, x1, Math.min(y1, y + layers - 1), z1));
        }
        return all;
    }

    @Override
    public String toString() {
        return x0 + "," + y0 + "," + z0 + ".." + x1 + "," + y1 + "," + z1;
    }
}
