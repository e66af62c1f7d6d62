package cairn.paper;

import cairn.client.Client;
import cairn.client.Lease;
import cairn.client.Refused;
import cairn.client.Region;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The versions of arenas on a cairn server. Each arena is a world of its own there. Calls block. */
final class Store {
    private static final String DIMENSION = "overworld";
    private static final String RECORDS = "application/vnd.cairn";
    private static final String SAVE = "save";
    private static final String BEFORE = "before ";
    /** Set by each save, so that each is a version, also if no block differs. */
    private static final String SAVED = "paper_saved";
    private static final String BOX = "paper_box";

    private final Client client;
    private final String prefix;
    private final int dataVersion;

    /** @param prefix begins the names of worlds, such as {@code arenas/} */
    Store(Client client, String prefix, int dataVersion) {
        this.client = client;
        this.prefix = prefix;
        this.dataVersion = dataVersion;
    }

    /** A version of an arena. */
    record Version(int number, Instant time, String author, String message) {
        /** Reports whether somebody saved it, and not a restore what was there before. */
        boolean isSave() {
            return message.startsWith(SAVE);
        }
    }

    /** Saves an arena, and returns the number of its version. */
    int save(Arena arena, Cells cells, String author) throws IOException {
        return put(arena, cells, author, SAVE);
    }

    /** Saves what a restore replaces, for an undo. */
    int saveBefore(Arena arena, Cells cells, String author, int restored) throws IOException {
        return put(arena, cells, author, BEFORE + "version " + restored);
    }

    private int put(Arena arena, Cells cells, String author, String message) throws IOException {
        String world = prefix + arena.name();
        create(world);
        Lease lease = Lease.take(client, world, "paper " + ProcessHandle.current().pid(), Duration.ofSeconds(60));
        try (lease) {
            for (Box part : arena.box().calls()) {
                JsonObject head = note(author, "cells");
                head.addProperty("dimension", DIMENSION);
                head.addProperty("volume", "block");
                for (String any : List.of("any_name", "any_height", "new_columns")) {
                    head.addProperty(any, true);
                }
                client.call("PUT", "/v1/cells/" + world, cells.records(part, head), "Cairn-Fence", lease.fence(), "Content-Type", RECORDS);
            }
            JsonObject mark = note(author, message);
            JsonObject set = new JsonObject();
            set.addProperty(SAVED, Instant.now().toString());
            set.addProperty(BOX, arena.box().toString());
            mark.add("set", set);
            return client.send("PATCH", "/v1/properties/" + world, mark, "Cairn-Fence", lease.fence())
                    .json().getAsJsonObject().get("number").getAsInt();
        }
    }

    private static JsonObject note(String author, String message) {
        JsonObject note = new JsonObject();
        note.addProperty("author", author);
        note.addProperty("message", message);
        return note;
    }

    /** Makes the world of an arena, with one empty chunk that says of which game it is. */
    private void create(String world) throws IOException {
        try {
            if (!client.get("/v1/head/" + world).json().getAsJsonObject().get("commit").getAsString().isEmpty()) {
                return;
            }
        } catch (Refused e) {
            if (!e.code.equals("no_world")) {
                throw e;
            }
        }
        client.call("POST", "/v1/import/" + world + "?message=new", Region.zip(Map.of(new Region.Pos(0, 0), Region.deflate(chunk())), DIMENSION));
    }

    private byte[] chunk() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        tag(out, 10, "");
        tag(out, 3, "DataVersion").writeInt(dataVersion);
        tag(out, 3, "xPos").writeInt(0);
        tag(out, 3, "zPos").writeInt(0);
        tag(out, 8, "Status").writeUTF("minecraft:full");
        tag(out, 9, "sections").writeByte(10);
        out.writeInt(1);
        tag(out, 1, "Y").writeByte(0);
        tag(out, 10, "block_states");
        tag(out, 9, "palette").writeByte(10);
        out.writeInt(1);
        tag(out, 8, "Name").writeUTF("minecraft:air");
        out.write(new byte[4]); // the ends of the entry, of block_states, of the section and of the chunk
        return bytes.toByteArray();
    }

    private static DataOutputStream tag(DataOutputStream out, int type, String name) throws IOException {
        out.writeByte(type);
        out.writeUTF(name);
        return out;
    }

    /** Returns the versions of an arena, newest first. */
    List<Version> list(Arena arena) throws IOException {
        List<Version> all = new ArrayList<>();
        JsonElement log;
        try {
            log = client.get("/v1/log/" + prefix + arena.name() + "?n=1000").json();
        } catch (Refused e) {
            if (e.code.equals("no_world")) {
                return all;
            }
            throw e;
        }
        for (JsonElement each : log.getAsJsonObject().getAsJsonArray("commits")) {
            JsonObject commit = each.getAsJsonObject();
            String message = commit.get("message").getAsString();
            if (message.startsWith(SAVE) || message.startsWith(BEFORE)) {
                all.add(new Version(commit.get("number").getAsInt(), Instant.parse(commit.get("time").getAsString()),
                        commit.get("author").getAsString(), message));
            }
        }
        return all;
    }

    /** Returns the blocks of a version. It fails if the arena had another box then. */
    Cells load(Arena arena, int version) throws IOException {
        String world = prefix + arena.name();
        String was = "";
        for (JsonElement each : client.get("/v1/properties/" + world + "?at=" + version).json().getAsJsonObject().getAsJsonArray("properties")) {
            if (each.getAsJsonObject().get("key").getAsString().equals(BOX)) {
                was = each.getAsJsonObject().get("value").getAsString();
            }
        }
        if (!was.equals(arena.box().toString())) {
            throw new IOException("version " + version + " is of the box " + was + ", and the arena is " + arena.box());
        }
        Cells cells = new Cells(arena.box());
        for (Box part : arena.box().calls()) {
            cells.read(part, client.get("/v1/cells/" + world + "?at=" + version + "&dimension=" + DIMENSION + "&volume=block&box=" + part,
                    "Accept", RECORDS).body());
        }
        return cells;
    }
}
