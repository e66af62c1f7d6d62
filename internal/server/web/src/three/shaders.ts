// The shaders. Positions are relative to the eye, so that they are exact far from the origin.

const head = /* glsl */ `
precision highp float;
precision highp int;
precision highp usampler2D;
precision highp isampler2D;
`;

const place = /* glsl */ `
uniform usampler2D texels;
uniform isampler2D table;
uniform sampler2D looks; // of cells, 256 a row
uniform mat4 view;       // rotation and projection
uniform ivec3 eyeBlock;
uniform vec3 eyePart;

uvec2 texelOf(int i, out ivec4 cube) {
  int row = i >> 6;
  cube = texelFetch(table, ivec2(row & 63, row >> 6), 0);
  return texelFetch(texels, ivec2(i & 63, row), 0).xy;
}

// fromEye returns a place of a cube, in its cells, in blocks from the eye.
vec3 fromEye(ivec4 cube, vec3 local) {
  return vec3(cube.xyz - eyeBlock) - eyePart + local * float(1 << cube.w);
}
`;

const colours = /* glsl */ `
uniform vec3 fogColour;
uniform vec2 fogRange;
uniform vec3 sunColour;
uniform vec3 skyLight;
uniform vec3 groundLight;
uniform vec3 sun;
uniform float night;
out vec4 colour;

float hash(ivec3 p) {
  uvec3 q = uvec3(p) * uvec3(1597334673u, 3812015801u, 2798796415u);
  uint n = (q.x ^ q.y ^ q.z) * 1597334673u;
  n ^= n >> 15;
  return float(n & 0xFFFFu) / 65535.0;
}

vec3 lightOf(vec3 n) {
  float s = max(dot(n, sun), 0.0);
  return mix(groundLight, skyLight, n.y * 0.5 + 0.5) + sunColour * s;
}

vec3 fogged(vec3 c, vec3 at) {
  float d = length(at);
  float haze = 1.0 - exp(-d * d / (fogRange.y * fogRange.y) * 0.7);
  float f = max(haze * 0.55, smoothstep(fogRange.x, fogRange.y, max(length(at.xz), abs(at.y))));
  return mix(c, fogColour, f);
}
`;

export const quadVertex = head + place + /* glsl */ `
#ifdef SEAMS
uniform float grow; // of a quad, in parts of its distance
#endif
#ifdef TEXTURES
uniform highp usampler2D sides; // the tiles of cells, 128 cells a row, six numbers each
flat out int vTile;
#endif
out vec3 vAt;
out vec3 vLocal;
out float vShade;
flat out vec4 vColour;
flat out int vFace;
flat out ivec4 vCube;

void main() {
  int quad = gl_VertexID / 6, i = gl_VertexID - quad * 6;
  ivec4 cube;
  uvec2 q = texelOf(quad, cube);
  int face = int(q.y & 7u);
  uint ao = q.y >> 3 & 255u;
  uvec4 levels = uvec4(ao & 3u, ao >> 2 & 3u, ao >> 4 & 3u, ao >> 6);
  bool turned = levels.x + levels.w < levels.y + levels.z;
  bool back = face == 1 || face == 3 || face == 4;
  // Six corners, two bits each, the first lowest: 0 1 3 0 3 2 or 0 1 2 1 3 2; or the other way round.
  int order = turned ? (back ? 3672 : 2916) : (back ? 3612 : 2868);
  int corner = order >> (2 * i) & 3;
  vec2 uv = vec2(corner & 1, corner >> 1);
  vec2 size = vec2((q.x >> 18 & 63u) + 1u, (q.x >> 24 & 63u) + 1u);
  vec3 at = vec3(q.x & 63u, q.x >> 6 & 63u, q.x >> 12 & 63u) - 1.0;
  int axis = face >> 1;
  vec3 u = axis == 0 ? vec3(0, 0, 1) : vec3(1, 0, 0);
  vec3 v = axis == 1 ? vec3(0, 0, 1) : vec3(0, 1, 0);
  vec3 n = vec3(axis == 0, axis == 1, axis == 2);
  vec3 local = at + n * float(face & 1) + u * (uv.x * size.x) + v * (uv.y * size.y);
  vec3 eye = fromEye(cube, local);
#ifdef SEAMS
  vec2 more = (uv * 2.0 - 1.0) * grow * length(eye);
  eye += u * more.x + v * more.y;
#endif
  int cell = int(q.y >> 11 & 32767u);
  vColour = texelFetch(looks, ivec2(cell & 255, cell >> 8), 0);
#ifdef TEXTURES
  vTile = int(texelFetch(sides, ivec2((cell & 127) * 6 + face, cell >> 7), 0).x);
#endif
  vShade = float(levels[corner]);
  vFace = face;
  vCube = cube;
  vLocal = local;
  vAt = eye;
  gl_Position = view * vec4(eye, 1);
#ifdef SEAMS
  // Half a block behind the quad, so that it is seen through seams between quads alone.
  vec4 behind = view * vec4(eye * (1.0 + 0.5 / max(length(eye), 0.5)), 1);
  if (gl_Position.w > 0.0 && behind.w > 0.0) gl_Position.z = behind.z / behind.w * gl_Position.w;
#endif
}
`;

export const quadFragment = head + colours + /* glsl */ `
uniform float grain; // strength of the pattern on blocks
flat in int vFace;
#ifdef TEXTURES
uniform sampler2D atlas;
uniform ivec3 tiles; // edge of a tile, its pad, columns
flat in int vTile;

// tileOf returns the pixel of the tile at a place of the face. The pixels of a tile go right and down.
vec4 tileOf(vec3 p) {
  int axis = vFace >> 1;
  vec2 at = axis == 0 ? vec2(vFace == 0 ? p.z : -p.z, -p.y) : axis == 1 ? vec2(p.x, vFace == 3 ? p.z : -p.z) : vec2(vFace == 5 ? p.x : -p.x, -p.y);
  vec2 size = vec2(textureSize(atlas, 0)), edge = vec2(tiles.x);
  vec2 first = vec2(ivec2(vTile % tiles.z, vTile / tiles.z) * (tiles.x + 2 * tiles.y) + tiles.y);
  return textureGrad(atlas, (first + fract(at) * edge) / size, dFdx(at) * edge / size, dFdy(at) * edge / size);
}
#endif
in vec3 vAt;
in vec3 vLocal;
in float vShade;
flat in vec4 vColour;
flat in ivec4 vCube;

void main() {
  vec3 n = vec3(vFace >> 1 == 0, vFace >> 1 == 1, vFace >> 1 == 2) * (vFace % 2 == 1 ? 1.0 : -1.0);
  vec3 c = vColour.rgb;
  float alpha = vColour.a;
  float d = length(vAt);
  bool plain = true;
#ifdef TEXTURES
  vec4 t = tileOf(vLocal * float(1 << vCube.w)); // the same in all lanes, for its derivatives
  if (vTile != 0xFFFF) {
    plain = false;
    c = t.rgb;
    if (SEE == 2) alpha = t.a;
    if (SEE == 1 && t.a < 0.5) discard;
  }
#endif
  if (plain && grain > 0.0) {
    vec3 p = vLocal - n * 0.01;
    float fine = clamp(1.0 - d / 48.0, 0.0, 1.0);
    float block = clamp(1.2 - d / (160.0 * float(1 << vCube.w)), 0.0, 1.0);
    ivec3 whole = ivec3(floor(p)) + (vCube.xyz >> vCube.w);
    float g = (hash(whole) - 0.5) * 0.07 * block;
    if (fine > 0.0) g += (hash(ivec3(floor(p * 8.0)) + (vCube.xyz << 3)) - 0.5) * 0.10 * fine;
    c *= 1.0 + g * grain;
  }
  float shade = 0.46 + 0.54 * smoothstep(0.0, 3.0, vShade + 0.15 * vShade * (3.0 - vShade));
  c *= lightOf(n) * shade;
  colour = vec4(fogged(c, vAt), alpha);
}
`;

export const netVertex = head + place + /* glsl */ `
out vec3 vAt;
out vec3 vNormal;
out vec3 vLocal;
out vec4 vColour;
flat out int vFlat;
flat out ivec4 vCube;

void main() {
  ivec4 cube;
  uvec2 q = texelOf(gl_VertexID, cube);
  vec3 local = vec3(q.x & 8191u, q.x >> 13 & 8191u, q.y & 8191u) / 256.0 - 1.0;
  int material = int(q.x >> 26);
  vec2 o = vec2(q.y >> 13 & 63u, q.y >> 19 & 63u) / 31.0 - 1.0;
  vec3 n = vec3(o, 1.0 - abs(o.x) - abs(o.y));
  if (n.z < 0.0) n.xy = (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
  vColour = texelFetch(looks, ivec2(material, 0), 0);
  vNormal = normalize(n);
  vFlat = int(q.y >> 25 & 1u);
  vLocal = local;
  vCube = cube;
  vAt = fromEye(cube, local);
  gl_Position = view * vec4(vAt, 1);
}
`;

export const netFragment = head + colours + /* glsl */ `
uniform float grain;
in vec3 vAt;
in vec3 vNormal;
in vec3 vLocal;
in vec4 vColour;
flat in int vFlat;
flat in ivec4 vCube;

void main() {
  vec3 n = normalize(vNormal);
  if (vFlat == 1) {
    n = normalize(cross(dFdx(vAt), dFdy(vAt)));
    if (dot(n, vNormal) < 0.0) n = -n;
  }
  vec3 c = vColour.rgb;
  float d = length(vAt);
  float fine = clamp(1.0 - d / 64.0, 0.0, 1.0) * grain;
  if (fine > 0.0) c *= 1.0 + (hash(ivec3(floor(vLocal * 6.0)) + vCube.xyz * 6) - 0.5) * 0.06 * fine;
  c *= lightOf(n);
  colour = vec4(fogged(c, vAt), vColour.a);
}
`;

export const boxVertex = head + /* glsl */ `
uniform mat4 view;
uniform ivec3 eyeBlock;
uniform vec3 eyePart;
in vec3 position; // a corner of blocks
void main() {
  gl_Position = view * vec4(vec3(ivec3(position) - eyeBlock) - eyePart, 1.0);
}
`;

export const boxFragment = head + /* glsl */ `
out vec4 colour;
void main() {
  colour = vec4(1.0, 0.78, 0.2, 1.0);
}
`;

export const skyVertex = head + /* glsl */ `
out vec2 vAt;
void main() {
  vAt = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(vAt, 0.0, 1.0);
}
`;

export const skyFragment = head + /* glsl */ `
uniform mat4 back; // from the screen to directions
uniform vec3 fogColour;
uniform vec3 zenith;
uniform vec3 sun;
uniform vec3 sunColour;
in vec2 vAt;
out vec4 colour;
void main() {
  vec4 p = back * vec4(vAt, 1.0, 1.0);
  vec3 d = normalize(p.xyz / p.w);
  vec3 c = mix(fogColour, zenith, 1.0 - exp(-2.6 * max(d.y, 0.0) * (0.35 + max(d.y, 0.0))));
  float s = max(dot(d, sun), 0.0);
  c += sunColour * (pow(s, 600.0) * 0.9 + pow(s, 12.0) * 0.12);
  colour = vec4(c, 1.0);
}
`;
