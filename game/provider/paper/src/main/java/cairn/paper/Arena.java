package cairn.paper;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An arena of the config.
 *
 * @param every when it is restored by itself; zero for never
 * @param version what is restored then: a number, or 0 for the newest that was saved
 */
record Arena(String name, String world, Box box, Duration every, int version) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{1,64}");
    private static final Pattern EVERY = Pattern.compile("(\\d{1,6})([smhd])");

    Arena {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("arena " + name + ": a name has a-z, 0-9, _ and -");
        }
    }

    /** Reads {@code 90s}, {@code 30m}, {@code 6h}, {@code 1d}, or nothing for never. */
    static Duration every(String text) {
        if (text == null || text.isBlank() || text.equals("never")) {
            return Duration.ZERO;
        }
        Matcher m = EVERY.matcher(text);
        if (!m.matches() || Integer.parseInt(m.group(1)) == 0) {
            throw new IllegalArgumentException("every: " + text + ": want a number and s, m, h or d");
        }
        return Duration.ofSeconds(Long.parseLong(m.group(1)) * switch (m.group(2)) {
            case "s" -> 1;
            case "m" -> 60;
            case "h" -> 3600;
            default -> 86400;
        });
    }

    /** Reads a number of a version, or {@code newest}. */
    static int version(String text) {
        if (text == null || text.equals("newest")) {
            return 0;
        }
        if (!text.matches("[1-9]\\d{0,8}")) {
            throw new IllegalArgumentException("version " + text + ": want a number, or newest");
        }
        return Integer.parseInt(text);
    }
}
