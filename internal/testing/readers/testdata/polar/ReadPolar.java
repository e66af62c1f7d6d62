import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import net.hollowcube.polar.PolarReader;
import net.hollowcube.polar.PolarSection;

/** Prints the cells of a world of Polar as the library of its authors reads them. */
class ReadPolar {
	public static void main(String[] args) throws Exception {
		var world = PolarReader.read(Files.readAllBytes(Path.of(args[0])));
		var objects = 0;
		try (var out = new PrintWriter(System.out)) {
			for (var chunk : world.chunks()) {
				objects += chunk.blockEntities().size();
				for (var s = 0; s < chunk.sections().length; s++) {
					var section = chunk.sections()[s];
					if (section.isEmpty()) {
						continue;
					}
					for (int i = 0, n; i < PolarSection.BLOCK_PALETTE_SIZE; i += n) {
						var name = name(section, i);
						for (n = 1; (i + n) % 16 != 0 && name(section, i + n).equals(name); n++) {
						}
						if (!name.equals("air") && !name.equals("minecraft:air")) {
							int x = 16 * chunk.x() + i % 16, y = 16 * (world.minSection() + s) + i / 256, z = 16 * chunk.z() + i / 16 % 16;
							out.println(x + " " + y + " " + z + " " + n + " " + name);
						}
					}
				}
			}
			out.println("object block_entities " + objects);
		}
	}

	private static String name(PolarSection section, int i) {
		var names = section.blockPalette();
		return names[names.length == 1 ? 0 : section.blockData()[i]];
	}
}
