package cairn.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A cairn server as a child of a test. The property {@code cairn} is the path of the program. */
public final class Server implements AutoCloseable {
    private final Path store;
    private final int port;
    private Process process;

    public Server(Path store) throws Exception {
        this.store = store;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
    }

    /** Returns a program's command, or fails if nobody says where the program is. */
    private static List<String> command(String... args) {
        String program = System.getProperty("cairn", "");
        if (program.isEmpty()) {
            throw new IllegalStateException("give -Dcairn=PATH of the program; test.sh does");
        }
        List<String> all = new ArrayList<>(List.of(program));
        all.addAll(List.of(args));
        return all;
    }

    /** Runs a verb. */
    public static void run(String... args) throws Exception {
        Process verb = new ProcessBuilder(command(args)).redirectErrorStream(true).start();
        String said = new String(verb.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (verb.waitFor() != 0) {
            throw new IOException(String.join(" ", args) + ": " + said);
        }
    }

    /** Starts the server, and returns when it answers. */
    public Server start() throws Exception {
        process = new ProcessBuilder(command("serve", "--store=local:" + store, "--listen", "127.0.0.1:" + port)).redirectErrorStream(true).start();
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line; (line = out.readLine()) != null; ) {
            if (line.startsWith("ready ")) {
                Thread.ofVirtual().start(() -> {
                    try {
                        out.transferTo(Writer.nullWriter());
                    } catch (IOException e) {
                        return; // it was killed
                    }
                });
                return this;
            }
        }
        throw new IOException("the server does not start");
    }

    /** Kills the server as kill -9 does. */
    public void kill() throws Exception {
        process.destroyForcibly().waitFor();
    }

    public String url() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() throws Exception {
        if (process != null) {
            kill();
        }
    }
}
