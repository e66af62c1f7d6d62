// Reads a box, builds a wall and runs a brush: node cells.mjs WORLD
// CAIRN_URL names the server, and CAIRN_TOKEN is a token if it wants one.

const server = process.env.CAIRN_URL ?? "http://127.0.0.1:7070";
const token = process.env.CAIRN_TOKEN;

/** Returns the answer. Tries again while someone else changes the world. */
async function call(method, path, body, headers = {}, tries = 5) {
  const answer = await fetch(server + path, {
    method,
    headers: token ? { ...headers, Authorization: `Bearer ${token}` } : headers,
    body: body && JSON.stringify(body),
  });
  if (answer.ok) return answer;
  const { code, message } = (await answer.json()).error;
  if ((code === "leased" || code === "busy") && tries > 1) {
    await new Promise((resume) => setTimeout(resume, 500));
    return call(method, path, body, headers, tries - 1);
  }
  throw Object.assign(new Error(`${code}: ${message}`), { code });
}

/** Reads a box in the binary form: the head, and 2 bytes for each cell, x fastest, then z, then y. */
async function read(world, box) {
  const answer = await call("GET", `/v1/cells/${world}?box=${box}`, undefined, { Accept: "application/vnd.cairn" });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  let at = 0;
  const record = () => {
    let length = 0;
    for (let shift = 1; ; shift *= 128) {
      length += (bytes[at] & 127) * shift;
      if (bytes[at++] < 128) break;
    }
    at += length;
    return bytes.subarray(at - length, at);
  };
  const head = JSON.parse(new TextDecoder().decode(record()));
  const cells = record();
  const view = new DataView(cells.buffer, cells.byteOffset, cells.byteLength);
  const names = Array.from({ length: cells.length / 2 }, (_, i) => head.names[view.getUint16(2 * i, true)]);
  return { names, version: answer.headers.get("ETag") };
}

const world = process.argv[2];
const before = await read(world, "0,100,0..4,102,0");
console.log(`before: ${before.names.length} cells, ${new Set(before.names).size} kinds`);

// A wall of 5 x 3 cells. null is a window: what is there stays.
const wall = {
  box: "0,100,0..4,102,0",
  names: ["stone_bricks", null],
  cells: [[0, 5], [0, 2], 1, [0, 2], [0, 5]],
  message: "a wall",
  author: "javascript",
};
// If-Match: only if nobody has changed the world since.
let done = await (await call("PUT", `/v1/cells/${world}`, wall, { "If-Match": before.version })).json();
console.log(`wall: ${done.cells} cells, version ${done.commit.number}`);

const ball = { brush: "ball", at: [2, 110, 0], r: 2, name: "glass", message: "a ball", author: "javascript" };
done = await (await call("POST", `/v1/brush/${world}`, ball)).json();
console.log(`ball: ${done.cells} cells, version ${done.commit.number}`);

try {
  await call("PUT", `/v1/cells/${world}`, { box: "0,0,0..0,0,0", names: ["stnoe"], cells: [0] });
} catch (refused) {
  console.log(`refused: ${refused.message}`);
}

const after = await read(world, "0,100,0..4,102,0");
console.log(`after: ${after.names.filter((name) => name === "minecraft:stone_bricks").length} stone bricks`);
