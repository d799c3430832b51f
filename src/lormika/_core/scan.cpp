#include "scan.hpp"

#include <algorithm>
#include <vector>

namespace lormika {

namespace {
// A block of sums stays in the first-level cache while the features are added one after the other. Every row's sum is
// formed in the order of the features, whatever the block: the same row has the same distance in every call.
constexpr size_t kBlock = 1024;

// Adds what points of a number contribute to the distances from a value.
void add(const double* points, size_t size, double value, double scale, double* sums) {
    if (!(scale > 0)) return;
    for (size_t r = 0; r < size; ++r) {
        const double z = (points[r] - value) / scale;
        sums[r] += z * z;
    }
}

// Leaves the `count` smallest numbers, the largest of them last; all, if there are no more.
void keep_smallest(std::vector<double>& numbers, size_t count) {
    if (numbers.size() <= count) return;
    std::nth_element(numbers.begin(), numbers.begin() + (count - 1), numbers.end());
    numbers.resize(count);
}
}  // namespace

template <class Code>
void scan(const CodedTable<Code>& table, const double* x, size_t instances, double* squared) {
    // Few distinct values: compute each one's share once and look it up. Many: compute it for each row.
    const size_t features = table.features;
    std::vector<size_t> first(features);  // where the shares of each feature begin
    size_t distinct = 0;
    for (size_t f = 0; f < features; ++f) {
        first[f] = distinct;
        if (table.column[f] < 0) distinct += table.offsets[f + 1] - table.offsets[f];
    }
    std::vector<double> shares(instances * distinct);
    for (size_t i = 0; i < instances; ++i) {
        for (size_t f = 0; f < features; ++f) {
            if (table.column[f] >= 0) continue;
            const double value = x[i * features + f];
            double* share = shares.data() + i * distinct + first[f];
            const size_t size = table.offsets[f + 1] - table.offsets[f];
            if (table.numeric[f])
                add(table.points + table.offsets[f], size, value, table.scales[f], share);
            else
                for (size_t v = 0; v < size; ++v) share[v] = static_cast<double>(v) == value ? 0.0 : 2.0;
        }
    }
    for (size_t start = 0; start < table.rows; start += kBlock) {
        const size_t size = std::min(kBlock, table.rows - start);
        for (size_t i = 0; i < instances; ++i) {
            double* sums = squared + i * table.rows + start;
            std::fill_n(sums, size, 0.0);
            for (size_t f = 0; f < features; ++f) {
                if (table.column[f] >= 0) {
                    add(table.columns + table.column[f] * table.rows + start, size, x[i * features + f], table.scales[f], sums);
                    continue;
                }
                const Code* codes = table.codes + f * table.rows + start;
                const double* share = shares.data() + i * distinct + first[f];
                for (size_t r = 0; r < size; ++r) sums[r] += share[codes[r]];
            }
        }
    }
}

template void scan(const CodedTable<uint8_t>&, const double*, size_t, double*);
template void scan(const CodedTable<uint16_t>&, const double*, size_t, double*);
template void scan(const CodedTable<uint32_t>&, const double*, size_t, double*);

void reach(const double* squared, const int32_t* labels, size_t rows, int classes, const int32_t* counts, int n_counts,
           double* result) {
    const auto most = static_cast<size_t>(counts[n_counts - 1]);
    struct Nearest {
        std::vector<double> found;  // up to twice as many as are wanted, before the rest are dropped
        bool full = false;
        double last = 0;  // no larger one is wanted, once it is full
    };
    std::vector<Nearest> nearest(classes);
    for (size_t r = 0; r < rows; ++r) {
        Nearest& own = nearest[labels[r]];
        if (own.full && squared[r] >= own.last) continue;  // those of huge numbers may be infinite
        own.found.push_back(squared[r]);
        if (own.found.size() < 2 * most) continue;
        keep_smallest(own.found, most);
        own.full = true;
        own.last = own.found.back();
    }
    for (int c = 0; c < classes; ++c)
        for (int n = n_counts - 1; n >= 0; --n) {
            std::vector<double>& found = nearest[c].found;
            keep_smallest(found, static_cast<size_t>(counts[n]));
            result[n * classes + c] = found.empty() ? 0.0 : *std::max_element(found.begin(), found.end());
        }
}

std::vector<int64_t> within(const double* squared, const int32_t* labels, size_t rows, const double* bounds) {
    std::vector<int64_t> inside;
    for (size_t r = 0; r < rows; ++r)
        if (squared[r] <= bounds[labels[r]]) inside.push_back(static_cast<int64_t>(r));
    return inside;
}

}  // namespace lormika
