// Times the mesher of binary-greedy-meshing on boxes of 62 cells with a border, from a file of 64^3
// bytes each. It prints the sum of the least nanoseconds of each box: first of making the
// masks of opaque cells, then of meshing; then the number of quads.
#define BM_IMPLEMENTATION
#include "mesher.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static double now() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) {
  FILE* f = fopen(argv[1], "rb");
  int rounds = atoi(argv[2]);
  std::vector<std::vector<uint8_t>> boxes;
  std::vector<uint8_t> cells(CS_P3);
  while (fread(cells.data(), 1, CS_P3, f) == (size_t)CS_P3) boxes.push_back(cells);
  std::vector<std::vector<uint64_t>> masks(boxes.size(), std::vector<uint64_t>(CS_P2));
  BM_VECTOR<uint64_t> vertices(100000);
  MeshData data;
  data.faceMasks = new uint64_t[CS_2 * 6]();
  data.forwardMerged = new uint8_t[CS_2]();
  data.rightMerged = new uint8_t[CS]();
  data.vertices = &vertices;
  data.maxVertices = 100000;
  std::vector<double> mask(boxes.size(), 1e300), meshed(boxes.size(), 1e300);
  long quads = 0;
  for (int r = 0; r < rounds; r++) {
    quads = 0;
    for (size_t i = 0; i < boxes.size(); i++) {
      const uint8_t* v = boxes[i].data();
      double t0 = now();
      for (int row = 0; row < CS_P2; row++) {
        uint64_t m = 0;
        for (int k = 0; k < CS_P; k++) m |= (uint64_t)(v[row * CS_P + k] != 0) << k;
        masks[i][row] = m;
      }
      double t1 = now();
      data.opaqueMask = masks[i].data();
      mesh(v, data);
      double t2 = now();
      quads += data.vertexCount - 1;
      mask[i] = std::min(mask[i], t1 - t0);
      meshed[i] = std::min(meshed[i], t2 - t1);
    }
  }
  double masks_ = 0, meshes = 0;
  for (size_t i = 0; i < boxes.size(); i++) masks_ += mask[i], meshes += meshed[i];
  printf("%.0f %.0f %ld\n", masks_, meshes, quads);
}
