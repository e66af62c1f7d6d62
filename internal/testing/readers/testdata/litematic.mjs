// Prints the cells of a schematic of Litematica as nucleation reads them.
import { readFileSync } from "node:fs";

const { Schematic } = await import(process.env.NODE_PATH + "/nucleation/index.mjs");
const schematic = Schematic.fromLitematic(readFileSync(process.argv[2]));
const cells = new Map();
for (const region of JSON.parse(schematic.renderRegionsJson())) {
	const names = region.palette.map(({ name, properties }) =>
		properties.length ? `${name}[${properties.map(([key, value]) => `${key}=${value}`).sort()}]` : name);
	const [w, , l] = region.size;
	for (let start = 0; start < region.length; start += 65536) {
		schematic.regionBlockIndices(region.name, start, Math.min(65536, region.length - start)).forEach((entry, i) => {
			const at = start + i;
			const place = [region.min[0] + at % w, region.min[1] + Math.floor(at / (w * l)), region.min[2] + Math.floor(at / w) % l].join(" ");
			if (cells.has(place) && cells.get(place) !== names[entry]) {
				console.log("cannot say which of two regions covers the other: nucleation sorts them");
				process.exit();
			}
			cells.set(place, names[entry]);
		});
	}
}
const lines = [];
for (const [at, name] of cells) {
	if (name !== "minecraft:air") {
		lines.push(`${at} 1 ${name}\n`);
	}
}
lines.push(`object block_entities ${JSON.parse(schematic.getAllBlockEntitiesJson()).length}\n`, `object entities ${schematic.entityCount()}\n`);
process.stdout.write(lines.join(""));
