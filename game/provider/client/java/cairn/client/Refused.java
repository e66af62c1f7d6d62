package cairn.client;

import java.io.IOException;

/** What the server says no to. {@link #code} is for programs, the message for people. */
public final class Refused extends IOException {
    private static final long serialVersionUID = 1L;

    /** One of the codes of the API, such as {@code fenced}. */
    public final String code;

    Refused(String code, String message) {
        super(code + ": " + message);
        this.code = code;
    }

    /** Reports whether the caller has no lease any more, or another has one. */
    public boolean isFence() {
        return code.equals("fenced") || code.equals("leased");
    }
}
