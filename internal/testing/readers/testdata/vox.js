// Prints the voxels of a scene of MagicaVoxel as vox-reader reads its chunks, in cairn's axes: x, z and -1 - y. What places the
// models is done here, by the specification.
const vox = require("vox-reader")(require("node:fs").readFileSync(process.argv[2]));

const many = (chunks) => (chunks === undefined ? [] : [].concat(chunks));
const sizes = many(vox.size), models = many(vox.xyzi);
const hidden = new Set(many(vox.layr).filter((l) => l.layerAttributes._hidden === "1").map((l) => l.layerId));
const nodes = new Map();
for (const kind of ["ntrn", "ngrp", "nshp"]) {
	many(vox[kind]).forEach((n) => nodes.set(n.nodeId, { kind, ...n }));
}

const cells = new Map();
const paint = (model, rows, move) => {
	const half = ["x", "y", "z"].map((axis) => Math.floor(sizes[model][axis] / 2));
	for (const v of models[model].values) {
		const from = [v.x - half[0] + .5, v.y - half[1] + .5, v.z - half[2] + .5];
		const [x, y, z] = rows.map((row, i) => Math.floor(row.reduce((sum, r, k) => sum + r * from[k], 0) + move[i]));
		cells.set(`${x} ${z} ${-1 - y}`, v.i);
	}
};
const turn = (text) => {
	const bits = Number(text ?? 4), first = bits & 3, second = bits >> 2 & 3;
	return [first, second, 3 - first - second].map((column, i) => [0, 1, 2].map((k) => (k !== column ? 0 : bits >> 4 + i & 1 ? -1 : 1)));
};
const visit = (id, rows, move) => {
	const node = nodes.get(id);
	if (node.nodeAttributes._hidden === "1" || node.kind === "ntrn" && hidden.has(node.layer)) {
		return;
	}
	if (node.kind === "ntrn") {
		const { _r, _t } = node.frames[0], own = turn(_r), by = (_t ?? "0 0 0").split(" ").map(Number);
		const moved = move.map((m, i) => m + rows[i].reduce((sum, r, k) => sum + r * by[k], 0));
		visit(node.child, rows.map((row) => [0, 1, 2].map((k) => row.reduce((sum, r, j) => sum + r * own[j][k], 0))), moved);
	} else if (node.kind === "ngrp") {
		node.children.forEach((child) => visit(child, rows, move));
	} else {
		paint(node.models[0][0], rows, move);
	}
};
const still = turn(undefined);
if (nodes.has(0)) {
	visit(0, still, [0, 0, 0]);
} else {
	paint(0, still, [0, 0, 0]);
}
// a file without a palette has the specification's, which vox-reader leaves to its callers
const web = (i) => [36, 6, 1].map((step) => 255 - 51 * (Math.floor(i / step) % 6));
const ramps = [0xee, 0xdd, 0xbb, 0xaa, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11];
const known = (i) => (i < 215 ? web(i) : [0, 1, 2].map((k) => (i < 245 && k !== Math.floor((i - 215) / 10) ? 0 : ramps[(i - 215) % 10])));
for (const [at, i] of cells) {
	const c = vox.rgba?.values[i - 1];
	console.log(`${at} 1 rgb:${Buffer.from(c ? [c.r, c.g, c.b] : known(i - 1)).toString("hex")}`);
}
