// What `billow bench surface` compares with: a ball's level set made anew by OpenVDB, by its rebuilding from
// a mesh and by its fast sweeping. Arguments: radius and band in cells, threads. Prints the best seconds of
// five, and the cells of the band.
#include <openvdb/openvdb.h>
#include <openvdb/tools/FastSweeping.h>
#include <openvdb/tools/LevelSetRebuild.h>
#include <openvdb/tools/LevelSetSphere.h>

#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace
{

template <typename Work> double best_of_five(Work work)
{
    double best = 1e30;
    for (int n = 0; n < 5; n++) {
        auto begin = std::chrono::steady_clock::now();
        work();
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 4)
        return 1;
    float radius = std::strtof(arguments[1], nullptr), band = std::strtof(arguments[2], nullptr);
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                static_cast<size_t>(std::atoi(arguments[3])));
    openvdb::initialize();
    auto grid = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(
        radius, openvdb::Vec3f(128.013f, 127.979f, 128.007f), 1.0f, band);
    double rebuild = best_of_five([&] { openvdb::tools::levelSetRebuild(*grid, 0.0f, band, band); });
    double sweep = best_of_five([&] { openvdb::tools::sdfToSdf(*grid); });
    std::printf("%.6f %.6f %lld\n", rebuild, sweep, static_cast<long long>(grid->activeVoxelCount()));
    return 0;
}
