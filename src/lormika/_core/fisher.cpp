#include "fisher.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lormika {

namespace {
constexpr double kTolerance = 1e-9;
}

Fisher::Fisher(int rows) : log_factorial_(rows + 1, 0.0L) {
    for (int i = 2; i <= rows; ++i) log_factorial_[i] = log_factorial_[i - 1] + std::log(static_cast<double>(i));
}

double Fisher::log_choose(int n, int r) const {
    return static_cast<double>(log_factorial_[n] - log_factorial_[r] - log_factorial_[n - r]);
}

// Sums the tail from hits_inside upwards, until it exceeds `stop` or its rest no longer matters.
double Fisher::tail(const Fourfold& t, double stop) const {
    const auto& lf = log_factorial_;
    const int misses_all = t.all - t.hits_all;
    const int first = std::max(t.hits_inside, t.inside - misses_all);
    const int last = std::min(t.inside, t.hits_all);
    if (first == std::max(0, t.inside - misses_all)) return 1.0;
    const long double log_first = lf[t.hits_all] - lf[first] - lf[t.hits_all - first]                             //
                                  + lf[misses_all] - lf[t.inside - first] - lf[misses_all - (t.inside - first)]  //
                                  - (lf[t.all] - lf[t.inside] - lf[t.all - t.inside]);
    double term = static_cast<double>(std::exp(log_first));
    double sum = term;
    for (int x = first; x < last && sum <= stop; ++x) {
        const double ratio = (static_cast<double>(t.hits_all - x) * (t.inside - x)) /
                             (static_cast<double>(x + 1) * (misses_all - t.inside + x + 1));
        term *= ratio;
        sum += term;
        if (ratio < 1.0 && term < sum * 1e-17) break;
    }
    return sum;
}

double Fisher::p_value(const Fourfold& t) const {
    return std::min(1.0, tail(t, std::numeric_limits<double>::infinity()));
}

bool Fisher::passes(const Fourfold& t, double critical) const {
    const double limit = critical * (1.0 + kTolerance);
    return tail(t, limit) <= limit;
}

}  // namespace lormika
