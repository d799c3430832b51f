#include "scan.hpp"

#include <algorithm>
#include <queue>
#include <vector>

namespace lormika {

namespace {
// A block of sums stays in the first-level cache while the features are added one after the other. Every row's sum is
// formed in the order of the features, whatever the block: the same row has the same distance in every call.
constexpr size_t kBlock = 1024;
}  // namespace

template <class Code>
void scan(const CodedTable<Code>& table, const double* x, size_t instances, double* squared) {
    // Few distinct values: compute each one's share once and look it up.
    const size_t features = table.features, distinct = table.offsets[features];
    std::vector<double> shares(instances * distinct);
    for (size_t i = 0; i < instances; ++i) {
        for (size_t f = 0; f < features; ++f) {
            const double value = x[i * features + f];
            for (int64_t v = table.offsets[f]; v < table.offsets[f + 1]; ++v) {
                double& share = shares[i * distinct + v];
                if (!table.numeric[f]) {
                    share = static_cast<double>(v - table.offsets[f]) == value ? 0.0 : 2.0;
                } else if (table.scales[f] > 0) {
                    const double z = (table.points[v] - value) / table.scales[f];
                    share = z * z;
                }
            }
        }
    }
    for (size_t start = 0; start < table.rows; start += kBlock) {
        const size_t size = std::min(kBlock, table.rows - start);
        for (size_t i = 0; i < instances; ++i) {
            double* sums = squared + i * table.rows + start;
            std::fill_n(sums, size, 0.0);
            for (size_t f = 0; f < features; ++f) {
                const Code* codes = table.codes + f * table.rows + start;
                const double* share = shares.data() + i * distinct + table.offsets[f];
                for (size_t r = 0; r < size; ++r) sums[r] += share[codes[r]];
            }
        }
    }
}

template void scan(const CodedTable<uint8_t>&, const double*, size_t, double*);
template void scan(const CodedTable<uint16_t>&, const double*, size_t, double*);
template void scan(const CodedTable<uint32_t>&, const double*, size_t, double*);

void reach(const double* squared, const int32_t* labels, size_t rows, int classes, int count, double* result) {
    std::vector<std::priority_queue<double>> nearest(classes);  // largest on top
    for (size_t r = 0; r < rows; ++r) {
        auto& heap = nearest[labels[r]];
        const bool full = static_cast<int>(heap.size()) == count;
        if (full && squared[r] >= heap.top()) continue;
        if (full) heap.pop();
        heap.push(squared[r]);
    }
    for (int c = 0; c < classes; ++c) result[c] = nearest[c].empty() ? 0.0 : nearest[c].top();
}

std::vector<int64_t> within(const double* squared, const int32_t* labels, size_t rows, const double* bounds) {
    std::vector<int64_t> inside;
    for (size_t r = 0; r < rows; ++r)
        if (squared[r] <= bounds[labels[r]]) inside.push_back(static_cast<int64_t>(r));
    return inside;
}

}  // namespace lormika
