// Plays a trace of texture calls through OpenImageIO, as the package beside it does through
// cairn's:
//
//	oiio TRACE THREADS CALLS WARM MEGABYTES CORE EXR_THREADS FILE...
//	oiio lookups FILE
//
// The second reads lookups, as same.go writes them, and prints their results.
//
// TRACE is coh, inc or the name of a recording, whose files end in .0 and .1. WARM calls are made before the clock starts. It prints one line: the
// seconds and the processor seconds of the calls, the sum of the first channel of all results, the
// tiles read and those of them that were read before, and the most kilobytes of memory, at the end
// and before the first call.

#include <OpenImageIO/imagecache.h>
#include <OpenImageIO/texture.h>

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace OIIO;

struct Call {  // also a record: recording.go
    int file;
    float s, t, dsdx, dtdx, dsdy, dtdy;
};

// The trace of one thread. trace.go has the same.
struct Trace {
    bool coherent;
    int thread, threads, files;
    uint64_t state, made = 0;
    std::vector<Call> records;

    Trace(const std::string& name, int thread, int threads, int files)
        : coherent(name == "coh"), thread(thread), threads(threads), files(files), state(0x1234 + 7919 * uint64_t(thread)) {
        if (name == "coh" || name == "inc")
            return;
        std::ifstream in(name + "." + std::to_string(thread), std::ios::binary | std::ios::ate);
        records.resize(in ? size_t(in.tellg()) / sizeof(Call) : 0);
        if (records.empty() || !in.seekg(0).read(reinterpret_cast<char*>(records.data()), records.size() * sizeof(Call))) {
            std::fprintf(stderr, "no recording %s of thread %d\n", name.c_str(), thread);
            std::exit(1);
        }
    }

    uint64_t next() {
        uint64_t z = state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    double u() { return double(next() >> 40) / (1 << 24); }

    Call call() {
        if (!records.empty()) {
            uint64_t at = made++;
            if (made == records.size())
                made = 0;
            return records[at];
        }
        if (coherent) {
            uint64_t bucket = (thread + made / 256 * threads) % (128 * 128), in = made % 256;
            made++;
            uint64_t x = bucket % 128 * 16 + in % 16, y = bucket / 128 * 16 + in / 16;
            return { 0, float((x + 0.5) / 2048), float((y + 0.5) / 2048), 1.0f / 2048, 0, 0, 1.0f / 2048 };
        }
        Call c;
        c.file = files > 1 ? int(next() % files) : 0;
        c.s = float(u());
        c.t = float(u());
        double e = std::exp2(4 * u() - 1), a = 1 + 3 * u(), theta = 2 * M_PI * u();
        double l = e * a / 2048, m = e / 2048;
        c.dsdx = float(l * std::cos(theta));
        c.dtdx = float(l * std::sin(theta));
        c.dsdy = float(-m * std::sin(theta));
        c.dtdy = float(m * std::cos(theta));
        return c;
    }
};

static double processor() {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + 1e-6 * (u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

// getrusage would also count the program that started this one.
static long peak() {
    std::ifstream in("/proc/self/status");
    long kilobytes = 0;
    for (std::string word; in >> word;)
        if (word == "VmHWM:")
            in >> kilobytes;
    return kilobytes;
}

static double play(TextureSystem* system, Trace& trace, long calls, const std::vector<std::string>& names) {
    TextureSystem::Perthread* own = system->get_perthread_info();
    std::vector<TextureSystem::TextureHandle*> files;
    for (auto& name : names)
        files.push_back(system->get_texture_handle(ustring(name), own));
    TextureOpt options;
    options.swrap = options.twrap = TextureOpt::WrapPeriodic;
    options.interpmode = TextureOpt::InterpBilinear;
    options.anisotropic = 8;
    double sum = 0;
    for (long i = 0; i < calls; i++) {
        Call c = trace.call();
        float result[3];
        if (!system->texture(files[c.file], own, options, c.s, c.t, c.dsdx, c.dtdx, c.dsdy, c.dtdy, 3, result)) {
            std::fprintf(stderr, "%s\n", system->geterror().c_str());
            std::exit(1);
        }
        sum += result[0];
    }
    return sum;
}

static int lookups(const char* file) {
    TextureSystem* system = TextureSystem::create(false);
    int interp, mip, anisotropic, conservative, swrap, twrap;
    float s, t, dsdx, dtdx, dsdy, dtdy;
    TextureOpt o;
    while (std::scanf("%d %d %d %d %d %d %f %f %f %f %f %f %f %f %f %f", &interp, &mip, &anisotropic, &conservative, &swrap, &twrap, &o.swidth, &o.twidth,
                      &o.sblur, &o.tblur, &s, &t, &dsdx, &dtdx, &dsdy, &dtdy) == 16) {
        o.interpmode = TextureOpt::InterpMode(interp);
        o.mipmode = TextureOpt::MipMode(mip);
        o.anisotropic = anisotropic;
        o.conservative_filter = conservative;
        o.swrap = TextureOpt::Wrap(swrap);
        o.twrap = TextureOpt::Wrap(twrap);
        float result[3];
        if (!system->texture(ustring(file), o, s, t, dsdx, dtdx, dsdy, dtdy, 3, result))
            return 1;
        std::printf("%.9g %.9g %.9g\n", result[0], result[1], result[2]);
    }
    return 0;
}

int main(int argc, char** argv) {
    if (argc == 3 && std::string(argv[1]) == "lookups")
        return lookups(argv[2]);
    if (argc < 9)
        return 2;
    std::string name = argv[1];
    int threads = std::atoi(argv[2]);
    long calls = std::atol(argv[3]), warm = std::atol(argv[4]);
    OIIO::attribute("openexr:core", std::atoi(argv[6]));
    OIIO::attribute("exr_threads", std::atoi(argv[7]));
    std::vector<std::string> files(argv + 8, argv + argc);
    TextureSystem* system = TextureSystem::create(false);
    system->attribute("max_memory_MB", float(std::atof(argv[5])));
    system->attribute("deduplicate", 0);  // the files of the scene are links
    Trace first(name, 0, 1, int(files.size()));
    std::vector<Trace> traces;
    for (int i = 0; i < threads; i++)
        traces.emplace_back(name, i, threads, int(files.size()));
    long before = peak();
    if (warm > 0)
        play(system, first, warm, files);
    std::vector<double> sums(threads);
    auto from = std::chrono::steady_clock::now();
    double used = processor();
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++)
        all.emplace_back([&, i] { sums[i] = play(system, traces[i], calls / threads, files); });
    double sum = 0;
    for (int i = 0; i < threads; i++) {
        all[i].join();
        sum += sums[i];
    }
    used = processor() - used;
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    int created = 0;
    system->getattribute("stat:tiles_created", created);
    std::string text = system->getstats(1), mark = "redundant reads: ";
    size_t at = text.find(mark);
    long again = at == std::string::npos ? 0 : std::atol(text.c_str() + at + mark.size());
    std::printf("%.6f %.6f %.9g %d %ld %ld %ld\n", seconds, used, sum, created, again, peak(), before);
    TextureSystem::destroy(system);
}
