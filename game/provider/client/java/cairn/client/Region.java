package cairn.client;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Chunks in region files in a zip: what the server exports and imports of a part of a world. A chunk is the bytes of its
 * NBT, deflated, as region files have it.
 */
public final class Region {
    /** The position of a chunk. */
    public record Pos(int x, int z) {}

    private static final int EDGE = 32;
    private static final int SECTOR = 4096;
    private static final byte ZLIB = 2;
    private static final Pattern NAME = Pattern.compile("(?:.*/)?region/r\\.(-?\\d+)\\.(-?\\d+)\\.mca");

    private Region() {}

    /** Returns the chunks in the region files of blocks in a zip. */
    public static Map<Pos, byte[]> unzip(byte[] zip) throws IOException {
        Map<Pos, byte[]> all = new HashMap<>();
        Path file = Files.createTempFile("cairn", ".zip"); // a stream of Java reads no entry that is stored before its size
        try {
            Files.write(file, zip);
            try (ZipFile in = new ZipFile(file.toFile())) {
                for (ZipEntry entry : Collections.list(in.entries())) {
                    Matcher name = NAME.matcher(entry.getName());
                    if (name.matches()) {
                        read(in.getInputStream(entry).readAllBytes(), Integer.parseInt(name.group(1)), Integer.parseInt(name.group(2)), all);
                    }
                }
            }
        } finally {
            Files.delete(file);
        }
        return all;
    }

    private static void read(byte[] file, int x, int z, Map<Pos, byte[]> to) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(file);
        for (int i = 0; i < EDGE * EDGE && file.length >= 2 * SECTOR; i++) {
            int at = (in.getInt(4 * i) >>> 8) * SECTOR;
            if (at == 0) {
                continue;
            }
            Pos pos = new Pos(x * EDGE + i % EDGE, z * EDGE + i / EDGE);
            if (at + 5 > file.length || in.getInt(at) < 1 || in.getInt(at) > file.length - at - 4 || in.get(at + 4) != ZLIB) {
                throw new IOException("chunk " + pos.x + "," + pos.z + " is not stored as this program reads it");
            }
            byte[] chunk = new byte[in.getInt(at) - 1];
            in.get(at + 5, chunk);
            to.put(pos, chunk);
        }
    }

    /**
     * Returns a zip with region files of these chunks.
     *
     * @param dimension as the server names it, such as {@code overworld}
     */
    public static byte[] zip(Map<Pos, byte[]> chunks, String dimension) throws IOException {
        Map<String, Map<Integer, byte[]>> files = new TreeMap<>();
        chunks.forEach((pos, chunk) -> files
                .computeIfAbsent(folder(dimension) + "region/r." + (pos.x >> 5) + "." + (pos.z >> 5) + ".mca", name -> new LinkedHashMap<>())
                .put((pos.z & 31) * EDGE + (pos.x & 31), chunk));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (var file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(write(file.getValue()));
            }
        }
        return out.toByteArray();
    }

    private static byte[] write(Map<Integer, byte[]> chunks) throws IOException {
        int sectors = 2;
        for (byte[] chunk : chunks.values()) {
            if (sectors(chunk) > 255) {
                throw new IOException("a chunk has more than a megabyte, which region files cannot hold");
            }
            sectors += sectors(chunk);
        }
        ByteBuffer out = ByteBuffer.allocate(sectors * SECTOR);
        int next = 2;
        for (var chunk : chunks.entrySet()) {
            byte[] data = chunk.getValue();
            out.putInt(4 * chunk.getKey(), next << 8 | sectors(data));
            out.putInt(next * SECTOR, data.length + 1).put(next * SECTOR + 4, ZLIB).put(next * SECTOR + 5, data);
            next += sectors(data);
        }
        return out.array();
    }

    private static int sectors(byte[] chunk) {
        return (chunk.length + 5 + SECTOR - 1) / SECTOR;
    }

    /** Returns where the game keeps a dimension below a world's folder. */
    static String folder(String dimension) {
        return switch (dimension) {
            case "overworld" -> "";
            case "the_nether" -> "DIM-1/";
            case "the_end" -> "DIM1/";
            default -> "dimensions/" + dimension.replace(':', '/') + "/";
        };
    }

    public static byte[] inflate(byte[] chunk) throws IOException {
        try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(chunk))) {
            return in.readAllBytes();
        }
    }

    public static byte[] deflate(byte[] nbt) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream to = new DeflaterOutputStream(out)) {
            to.write(nbt);
        }
        return out.toByteArray();
    }
}
