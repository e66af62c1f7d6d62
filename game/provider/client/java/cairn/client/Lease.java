package cairn.client;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;

/**
 * The lease of a world: nobody else changes the world while it lasts. A thread renews it until it is closed or lost.
 */
public final class Lease implements AutoCloseable {
    private final Client client;
    private final String path;
    private final Duration length;
    private final String fence;
    private final Thread renewer;
    private volatile Refused lost;

    /**
     * Takes the lease of a world. One that the same holder left, before a crash say, is taken over.
     *
     * @throws Refused with the code {@code leased} while another holds it
     */
    public static Lease take(Client client, String world, String holder, Duration length) throws IOException {
        return new Lease(client, world, holder, length);
    }

    private Lease(Client client, String world, String holder, Duration length) throws IOException {
        this.client = client;
        this.path = "/v1/leases/" + world;
        this.length = length;
        JsonObject body = seconds();
        body.addProperty("holder", holder);
        fence = client.send("POST", path, body).json().getAsJsonObject().get("fence").getAsString();
        renewer = Thread.ofPlatform().daemon().name("cairn lease of " + world).start(this::renew);
    }

    private JsonObject seconds() {
        JsonObject body = new JsonObject();
        body.addProperty("seconds", length.toMillis() / 1000.0);
        return body;
    }

    /** The number that changes carry in {@code Cairn-Fence}. */
    public String fence() {
        return fence;
    }

    /** Fails if the lease is lost. */
    public void check() throws IOException {
        if (lost != null) {
            throw new IOException("the lease of the world is lost, so nothing is saved", lost);
        }
    }

    /** Notes what a change was refused with, if that means that the lease is lost. */
    public void note(Refused refusal) {
        if (refusal.isFence()) {
            lost = refusal;
            renewer.interrupt();
        }
    }

    private void renew() {
        while (lost == null) {
            try {
                Thread.sleep(length.dividedBy(3));
                client.send("PUT", path, seconds(), "Cairn-Fence", fence);
            } catch (Refused e) {
                note(e);
            } catch (IOException e) {
                // The server is away. The lease may end meanwhile; the next try finds out.
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Gives the lease back. Nothing happens if it is lost, or was given back before. */
    @Override
    public void close() throws IOException {
        renewer.interrupt();
        try {
            client.call("DELETE", path, new byte[0], "Cairn-Fence", fence);
        } catch (Refused e) {
            if (!e.isFence()) {
                throw e;
            }
        }
    }
}
