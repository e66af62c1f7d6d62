package cairn.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Calls the HTTP API of a cairn server. Any number of threads may use it.
 *
 * <p>A call waits and tries again while the server is busy, restarts, or cannot be reached. So a change may reach the
 * server twice: callers make changes of which the second does nothing.
 */
public final class Client implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(300);

    private final String server;
    private final String token;
    private final Duration patience;
    private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    /** As with a patience of 20 seconds. */
    public Client(String server, String token) {
        this(server, token, Duration.ofSeconds(20));
    }

    /**
     * @param server such as {@code http://127.0.0.1:7070}
     * @param token of the role write; null or empty if the server wants none
     * @param patience how long a call is tried again
     */
    public Client(String server, String token, Duration patience) {
        this.server = URI.create(server).toString().replaceAll("/+$", "");
        this.token = token == null ? "" : token;
        this.patience = patience;
    }

    /** What the server says: a status below 300, a header on demand, and the body. */
    public record Answer(HttpResponse<byte[]> response) {
        public byte[] body() {
            return response.body();
        }

        /** The body as JSON; {@link com.google.gson.JsonNull} if there is none. */
        public JsonElement json() {
            return JsonParser.parseString(new String(body(), StandardCharsets.UTF_8));
        }
    }

    public Answer get(String path, String... headers) throws IOException {
        return call("GET", path, new byte[0], headers);
    }

    public Answer send(String method, String path, JsonObject body, String... headers) throws IOException {
        return call(method, path, body.toString().getBytes(StandardCharsets.UTF_8), headers);
    }

    /**
     * Makes a call.
     *
     * @param path below the server, escaped, such as {@code /v1/head/hub}
     * @param headers names and values in turn
     * @throws Refused if the server says no
     */
    public Answer call(String method, String path, byte[] body, String... headers) throws IOException {
        long end = System.nanoTime() + patience.toNanos();
        for (; ; ) {
            IOException failed;
            try {
                return once(method, path, body, headers);
            } catch (Refused e) {
                if (!e.code.equals("busy") && !e.code.equals("draining") && !e.code.equals("away")) {
                    throw e;
                }
                failed = e;
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                failed = e;
            }
            if (System.nanoTime() > end) {
                throw failed;
            }
            pause();
        }
    }

    private Answer once(String method, String path, byte[] body, String... headers) throws IOException {
        var request = HttpRequest.newBuilder(URI.create(server + path)).timeout(Duration.ofMinutes(5))
                .method(method, body.length == 0 ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<byte[]> response;
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            throw interrupted();
        }
        if (response.statusCode() < 300) {
            return new Answer(response);
        }
        throw refusal(response);
    }

    private static Refused refusal(HttpResponse<byte[]> response) {
        String text = new String(response.body(), StandardCharsets.UTF_8);
        try {
            JsonObject error = JsonParser.parseString(text).getAsJsonObject().getAsJsonObject("error");
            return new Refused(error.get("code").getAsString(), error.get("message").getAsString());
        } catch (JsonParseException | IllegalStateException | NullPointerException | UnsupportedOperationException e) {
            return new Refused("internal", "status " + response.statusCode() + " of something that is no server of cairn");
        }
    }

    private static void pause() throws InterruptedIOException {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted");
    }

    @Override
    public void close() {
        http.close();
    }
}
