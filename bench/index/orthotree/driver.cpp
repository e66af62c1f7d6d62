// Measures the trees of OrthoTree on the objects and queries of a file, and prints what each takes:
//
//   driver FILE ROUNDS SECONDS
//
// A line is the class, the variant, nanoseconds (or bytes), a checksum and how many were found. The file is written by
// orthotree.go. All words have 8 bytes.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <malloc.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Compilers before GCC 13 take static_assert(false) in a template for a mistake, and their bit_width has another
// type. So the standard headers come first, and the library sees other names.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#include <array>
#include <bit>
#include <bitset>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <deque>
#include <execution>
#include <iterator>
#include <limits>
#include <memory_resource>
#include <numeric>
#include <queue>
#include <ranges>
#include <set>
#include <span>
#include <stack>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
namespace std { constexpr int bit_width_int(auto x) noexcept { return int(bit_width(x)); } }
#define bit_width bit_width_int
#define static_assert(...)
#endif
#include "orthotree/bvh.h"
#include "orthotree/octree.h"

using namespace OrthoTree;

enum Kind : uint64_t { Point, Overlap, Inside, Ball, Nearest, First, All, Frustum, PlaneCross, Pairs };

struct Class
{
  std::string name;
  uint64_t kind, count, width, k;
  std::vector<double> of;
  double const* at(uint64_t q) const { return of.data() + q * width; }
};

struct Scene
{
  bool points;
  std::vector<double> objects;            // 6 numbers each
  std::vector<std::vector<double>> steps; // other places of all objects
  std::vector<uint64_t> churn;            // objects to take out and put back
  std::vector<Class> classes;
};

static double now()
{
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

// mix is the finalizer of splitmix64. A checksum is a sum of mixed numbers, so it depends on no order.
static uint64_t mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static uint64_t key(uint64_t query, uint64_t value) { return mix((query << 40) + value); }

static Scene read(char const* path)
{
  auto* f = std::fopen(path, "rb");
  if (!f)
    std::exit(3);
  auto raw = [&](void* to, size_t n) {
    if (n && std::fread(to, n, 1, f) != 1)
      std::exit(4);
  };
  auto word = [&] { uint64_t v; raw(&v, 8); return v; };
  auto numbers = [&](size_t n) { std::vector<double> v(n); raw(v.data(), n * 8); return v; };
  Scene s;
  s.points = word() != 0;
  auto const n = word();
  s.objects = numbers(6 * n);
  for (auto i = word(); i > 0; --i)
    s.steps.push_back(numbers(6 * n));
  s.churn.resize(word());
  raw(s.churn.data(), 8 * s.churn.size());
  for (auto i = word(); i > 0; --i)
  {
    Class c;
    c.name.resize(word());
    raw(c.name.data(), c.name.size());
    c.kind = word(), c.count = word(), c.width = word(), c.k = word();
    c.of = numbers(c.count * c.width);
    s.classes.push_back(std::move(c));
  }
  std::fclose(f);
  return s;
}

template<typename G>
static G geometry(double const* p)
{
  if constexpr (std::is_same_v<G, Point3D>)
    return Point3D{ p[0], p[1], p[2] };
  else
    return BoundingBox3D{ { p[0], p[1], p[2] }, { p[3], p[4], p[5] } };
}

static double squared(double const* p, BoundingBox3D const& b)
{
  double sum = 0;
  for (int d = 0; d < 3; ++d)
  {
    auto const v = std::max({ b.Min[d] - p[d], 0.0, p[d] - b.Max[d] });
    sum += v * v;
  }
  return sum;
}

static double squared(double const* p, Point3D const& b)
{
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    sum += (b[d] - p[d]) * (b[d] - p[d]);
  return sum;
}

static double enters(double const* p, Point3D const& b)
{
  double t = 0;
  for (int d = 0; d < 3; ++d)
    t += (b[d] - p[d]) * p[3 + d];
  return t;
}

static double enters(double const* p, BoundingBox3D const& b)
{
  double t = 0;
  for (int d = 0; d < 3; ++d)
    if (p[3 + d] != 0)
      t = std::max(t, std::min((b.Min[d] - p[d]) / p[3 + d], (b.Max[d] - p[d]) / p[3 + d]));
  return t;
}

// fine is a distance in steps so coarse that no rounding shows.
static uint64_t fine(double d) { return uint64_t(std::llround(d * 4096)); }

// Ids are those of objects, and stay when one is erased.
template<typename Base>
struct Stable : Base
{
  static constexpr EntityIdStrategy ENTITY_ID_STRATEGY = EntityIdStrategy::StableIndex;
};

using G3 = GeneralGeometryAdapterND<3, double>;

template<bool POINTS>
using Adapter = Stable<std::conditional_t<POINTS, PointEntitySpanAdapter<Point3D>, BoxEntitySpanAdapter<BoundingBox3D>>>;

// As the project's own trees of boxes and of points, with and without the way from object to node.
template<bool POINTS, bool REVERSE>
using Dynamic = OrthoTreeBase<
  Adapter<POINTS>,
  G3,
  std::conditional_t<POINTS, PointConfiguration<NodeGeometryStorage::MinPoint, REVERSE>, BoxConfiguration<true, NodeGeometryStorage::MBR, REVERSE>>>;

template<bool POINTS>
using Static = std::conditional_t<POINTS, StaticOctreePoint, StaticOctreeBox>;
template<bool POINTS, int N>
using BVH = std::conditional_t<POINTS, StaticBVHPointND<3, double, true, N>, StaticBVHBoxND<3, double, true, N>>;

struct Sum
{
  uint64_t sum = 0, found = 0;
};

// A trial measures one class on one variant: once for the checksum, often for the time.
struct Trial
{
  std::string name, variant;
  std::function<Sum(bool check)> once;
  double work; // of each call, to divide the time by
  std::vector<double> times;
  Sum sum;
};

static std::vector<Trial> trials;

template<typename Tree, typename G>
static Sum query(Tree const& tree, std::vector<G> const& of, Class const& c, bool check, bool way)
{
  Sum r;
  auto take = [&](uint64_t q, auto const& ids) {
    r.found += ids.size();
    if (check)
      for (auto id : ids)
        r.sum += key(q, id);
  };
  for (uint64_t q = 0; q < c.count; ++q)
  {
    auto const* p = c.at(q);
    auto const at = Point3D{ p[0], p[1], p[2] };
    switch (c.kind)
    {
    case Point:
      if constexpr (!std::is_same_v<G, Point3D>)
        take(q, tree.PickSearch(at, of, 0));
      break;
    case Overlap: take(q, tree.RangeSearch(geometry<BoundingBox3D>(p), of, RangeSearchMode::Overlap, 0)); break;
    case Inside: take(q, tree.RangeSearch(geometry<BoundingBox3D>(p), of, RangeSearchMode::Inside, 0)); break;
    case Ball: {
      auto const radius = p[3];
      auto const range = BoundingBox3D{ { p[0] - radius, p[1] - radius, p[2] - radius }, { p[0] + radius, p[1] + radius, p[2] + radius } };
      take(q, tree.RangeSearch(range, of, RangeSearchMode::Overlap, 0, [&](index_t id) { return squared(p, of[id]) <= radius * radius; }));
      break;
    }
    case Nearest: {
      std::vector<index_t> ids;
      if (way)
        ids = tree.GetNearestNeighbors(at, c.k, of, 0, [&](index_t id) { return std::sqrt(squared(p, of[id])); });
      else
        ids = tree.GetNearestNeighbors(at, c.k, of, 0);
      if (ids.size() > c.k)
        ids.resize(c.k);
      r.found += ids.size();
      if (check)
        for (auto id : ids)
          r.sum += key(q, fine(std::sqrt(squared(p, of[id]))));
      break;
    }
    case First: {
      auto const ids = tree.RayIntersectedFirst(at, Point3D{ p[3], p[4], p[5] }, of, 0, 0, p[6]);
      r.found += !ids.empty();
      if (check && !ids.empty())
        r.sum += key(q, fine(enters(p, of[ids.back()])));
      break;
    }
    case All: take(q, tree.RayIntersectedAll(at, Point3D{ p[3], p[4], p[5] }, of, 0, 0, p[6])); break;
    case Frustum: {
      std::array<Plane3D, 6> planes;
      for (int i = 0; i < 6; ++i)
        planes[i] = Plane3D{ -p[4 * i + 3], { p[4 * i], p[4 * i + 1], p[4 * i + 2] } };
      take(q, tree.FrustumCulling(planes, of, 0));
      break;
    }
    case PlaneCross: take(q, tree.PlaneSearch(-p[3], at, of, 0)); break;
    case Pairs:
      if constexpr (!std::is_same_v<G, Point3D>)
        for (auto [a, b] : tree.CollisionDetection(of, 0))
        {
          ++r.found;
          if (check)
            r.sum += mix((uint64_t(std::max(a, b)) << 32) + std::min(a, b));
        }
    }
  }
  return r;
}

template<typename Tree, typename G>
static Tree* create(std::vector<G> const& of)
{
  return new Tree(std::span<G const>(of));
}

// space is where all objects ever are.
static BoundingBox3D space(Scene const& s)
{
  auto b = geometry<BoundingBox3D>(s.objects.data());
  auto widen = [&](std::vector<double> const& all) {
    for (size_t i = 0; i < all.size(); i += 6)
      for (int d = 0; d < 3; ++d)
        b.Min[d] = std::min(b.Min[d], all[i + d]), b.Max[d] = std::max(b.Max[d], all[i + 3 + d]);
  };
  widen(s.objects);
  for (auto const& to : s.steps)
    widen(to);
  return b;
}

// queries adds the trials of a tree that is built anew in each round of the class build.
template<typename Tree, typename G>
static std::shared_ptr<Tree> queries(Scene const& s, std::vector<G>& of, std::string variant)
{
  auto const before = mallinfo2();
  auto tree = std::shared_ptr<Tree>(create<Tree>(of));
  auto const after = mallinfo2();
  std::printf("bytes\t%s\t%.3f\t0\t0\n", variant.c_str(), double(int64_t(after.uordblks + after.hblkhd) - int64_t(before.uordblks + before.hblkhd)) / double(of.size()));
  trials.push_back({ "build", variant, [&of](bool) {
                      static std::map<void*, std::unique_ptr<Tree>> last;
                      last[&of].reset(); // not timed: see run
                      last[&of].reset(create<Tree>(of));
                      return Sum{};
                    }, double(of.size()), {}, {} });
  for (auto const& c : s.classes)
  {
    if constexpr (std::is_same_v<G, Point3D>)
      if (c.kind == Pairs || c.kind == Point)
        continue;
    auto add = [&](std::string name, bool way) {
      trials.push_back({ c.name, name, [tree, &of, &c, way](bool check) { return query(*tree, of, c, check, way); }, double(c.count), {}, {} });
    };
    add(variant, false);
    if (c.kind == Nearest)
      add(variant + "+distance", true);
  }
  return tree;
}

template<bool POINTS, bool REVERSE, typename G>
static void dynamic(Scene const& s, std::vector<G>& of, std::string variant)
{
  using Tree = Dynamic<POINTS, REVERSE>;
  auto tree = queries<Tree>(s, of, variant);
  for (bool balanced : { true, false })
  {
    if (s.steps.empty())
      break;
    // Its own tree: boxes move far from where they were when they are put into what leaves there are.
    auto boxes = std::make_shared<std::vector<G>>(of);
    auto moving = std::make_shared<Tree>(std::span<G const>(*boxes), std::nullopt, space(s));
    auto cycle = std::make_shared<std::vector<std::vector<G>>>(); // there and back
    auto const steps = int(s.steps.size());
    for (int i = 1; i <= 2 * steps; ++i)
    {
      auto const k = i <= steps ? i : 2 * steps - i;
      auto const& from = k == 0 ? s.objects : s.steps[k - 1];
      std::vector<G> all;
      for (size_t o = 0; o < of.size(); ++o)
        all.push_back(geometry<G>(from.data() + 6 * o));
      cycle->push_back(std::move(all));
    }
    trials.push_back({ "move", variant + (balanced ? "" : "+leaf"), [=, &s, &of](bool check) {
                        Sum r;
                        for (auto const& to : *cycle)
                          for (index_t id = 0; id < to.size(); ++id)
                          {
                            auto const was = (*boxes)[id];
                            (*boxes)[id] = to[id];
                            if (balanced)
                              r.found += moving->Update(id, was, to[id], *boxes);
                            else
                              r.found += moving->Update(id, was, to[id], InsertionMode::ExistingLeaf);
                          }
                        if (check)
                          for (auto const& c : s.classes)
                            if (c.kind == Overlap)
                              r.sum += query(*moving, *boxes, c, true, false).sum;
                        return r;
                      }, double(of.size() * 2 * steps), {}, {} });
  }
  if (s.churn.empty())
    return;
  // Erase and insert are timed apart: the first trial erases, the second puts back.
  auto churned = std::shared_ptr<Tree>(create<Tree>(of));
  auto const work = double(s.churn.size());
  trials.push_back({ "remove", variant, [=, &s, &of](bool) {
                      Sum r;
                      for (auto id : s.churn)
                        r.found += churned->Erase(index_t(id), of[id]);
                      return r;
                    }, work, {}, {} });
  trials.push_back({ "insert", variant, [=, &s, &of](bool check) {
                      Sum r;
                      for (auto id : s.churn)
                        r.found += churned->Insert(index_t(id), of[id], of);
                      if (check)
                        for (auto const& c : s.classes)
                          if (c.kind == Overlap)
                            r.sum += query(*churned, of, c, true, false).sum;
                      return r;
                    }, work, {}, {} });
}

template<bool POINTS>
static void all(Scene const& s)
{
  using G = std::conditional_t<POINTS, Point3D, BoundingBox3D>;
  static std::vector<G> of;
  for (size_t i = 0; i < s.objects.size(); i += 6)
    of.push_back(geometry<G>(s.objects.data() + i));
  dynamic<POINTS, true>(s, of, "dynamic");
  dynamic<POINTS, false>(s, of, "dynamic-plain");
  queries<Static<POINTS>>(s, of, "static");
  queries<BVH<POINTS, 2>>(s, of, "bvh2");
  queries<BVH<POINTS, 8>>(s, of, "bvh8");
}

int main(int argc, char** argv)
{
  if (argc != 4)
    return 2;
  auto const s = read(argv[1]);
  auto const rounds = std::atoi(argv[2]);
  auto const seconds = std::atof(argv[3]) * 1e9;
  if (s.points)
    all<true>(s);
  else
    all<false>(s);
  for (auto& t : trials)
    t.sum = t.once(true);
  for (int r = 0; r < rounds; ++r)
    for (size_t i = 0; i < trials.size(); ++i)
    {
      auto& t = trials[i];
      if (t.name == "remove")
      { // in turns with the insert that follows
        double a = 0, b = 0;
        int n = 0;
        do
        {
          auto const t0 = now();
          t.once(false);
          auto const t1 = now();
          trials[i + 1].once(false);
          a += t1 - t0, b += now() - t1, ++n;
        } while (a + b < seconds);
        t.times.push_back(a / n / t.work), trials[i + 1].times.push_back(b / n / t.work), ++i;
        continue;
      }
      auto const start = now();
      int n = 0;
      double took = 0;
      do
      {
        t.once(false), ++n;
        took = now() - start;
      } while (took < seconds);
      t.times.push_back(took / n / t.work);
    }
  for (auto& t : trials)
  {
    std::sort(t.times.begin(), t.times.end());
    std::printf("%s\t%s\t%.3f\t%016llx\t%llu\n", t.name.c_str(), t.variant.c_str(), t.times[t.times.size() / 2],
                (unsigned long long)t.sum.sum, (unsigned long long)t.sum.found);
  }
}
