package cairn.paper;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The blocks of a box: a palette of names, and for each block the number of one. */
final class Cells {
    final Box box;
    private final List<String> names = new ArrayList<>();
    private final Map<String, Character> numbers = new HashMap<>();
    private final char[] cells;

    Cells(Box box) {
        this.box = box;
        cells = new char[box.count()];
    }

    String get(int x, int y, int z) {
        return names.get(cells[box.index(x, y, z)]);
    }

    void set(int x, int y, int z, String name) {
        cells[box.index(x, y, z)] = number(name);
    }

    private char number(String name) {
        Character number = numbers.get(name);
        if (number == null) {
            if (names.size() > Character.MAX_VALUE) {
                throw new IllegalStateException("more than 65,536 kinds of blocks in " + box);
            }
            number = (char) names.size();
            names.add(name);
            numbers.put(name, number);
        }
        return number;
    }

    /** Returns what a call writes a part of the box with: a record of JSON, and one of cells. The head says more to the server. */
    byte[] records(Box part, JsonObject head) {
        head.addProperty("box", part.toString());
        JsonArray list = new JsonArray();
        names.forEach(list::add);
        head.add("names", list);
        ByteBuffer data = ByteBuffer.allocate(2 * part.count()).order(ByteOrder.LITTLE_ENDIAN);
        data.asCharBuffer().put(cells, box.index(part.x0(), part.y0(), part.z0()), part.count());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        record(out, head.toString().getBytes(StandardCharsets.UTF_8));
        record(out, data.array());
        return out.toByteArray();
    }

    private static void record(ByteArrayOutputStream out, byte[] data) {
        int length = data.length;
        for (; length > 127; length >>>= 7) {
            out.write(length & 127 | 128);
        }
        out.write(length);
        out.writeBytes(data);
    }

    /** Takes what a call answers about a part of the box. */
    void read(Box part, byte[] records) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(records).order(ByteOrder.LITTLE_ENDIAN);
        JsonArray list = JsonParser.parseString(StandardCharsets.UTF_8.decode(next(in)).toString()).getAsJsonObject().getAsJsonArray("names");
        char[] table = new char[list.size()];
        for (int i = 0; i < table.length; i++) {
            String name = list.get(i).getAsString();
            table[i] = number(name.indexOf(':') < 0 ? "minecraft:" + name : name); // where nothing is stored, the air has no namespace
        }
        ByteBuffer data = next(in).order(ByteOrder.LITTLE_ENDIAN);
        int at = box.index(part.x0(), part.y0(), part.z0());
        for (int i = 0; i < part.count(); i++) {
            cells[at + i] = table[data.getChar()];
        }
    }

    private static ByteBuffer next(ByteBuffer in) throws IOException {
        int length = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = in.get();
            length |= (b & 127) << shift;
            if (b >= 0) {
                break;
            }
        }
        if (length < 0 || length > in.remaining()) {
            throw new IOException("the answer is cut");
        }
        ByteBuffer data = in.slice(in.position(), length);
        in.position(in.position() + length);
        return data;
    }
}
