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

// The probability of exactly `hits` of the rule's rows having the class.
double Fisher::point(const Fourfold& t, int hits) const {
    const auto& lf = log_factorial_;
    const int misses_all = t.all - t.hits_all, misses = t.inside - hits;
    return static_cast<double>(std::exp(lf[t.hits_all] - lf[hits] - lf[t.hits_all - hits]         //
                                        + lf[misses_all] - lf[misses] - lf[misses_all - misses]  //
                                        - (lf[t.all] - lf[t.inside] - lf[t.all - t.inside])));
}

// Sums away from the mean, where terms only shrink, until the rest no longer matters or the sum exceeds `stop`.
double Fisher::tail(const Fourfold& t, double stop) const {
    const double misses_all = t.all - t.hits_all;
    const int least = std::max(0, t.inside - (t.all - t.hits_all)), most = std::min(t.inside, t.hits_all);
    if (t.hits_inside <= least) return 1.0;
    if (static_cast<double>(t.hits_inside) * t.all > static_cast<double>(t.hits_all) * t.inside) {
        double term = point(t, t.hits_inside), sum = term;
        for (int x = t.hits_inside; x < most && sum <= stop && term > sum * 1e-17; ++x) {
            term *= (static_cast<double>(t.hits_all - x) * (t.inside - x)) / ((x + 1.0) * (misses_all - t.inside + x + 1));
            sum += term;
        }
        return sum;
    }
    double term = point(t, t.hits_inside - 1), below = term;
    for (int x = t.hits_inside - 1; x > least && term > below * 1e-17; --x) {
        term *= (x * (misses_all - t.inside + x)) / ((t.hits_all - x + 1.0) * (t.inside - x + 1.0));
        below += term;
    }
    return std::max(0.0, 1.0 - below);
}

double Fisher::p_value(const Fourfold& t) const {
    return std::min(1.0, tail(t, std::numeric_limits<double>::infinity()));
}

bool Fisher::passes(const Fourfold& t, double critical) const {
    const double limit = critical * (1.0 + kTolerance);
    return limit > 0 && tail(t, limit) <= limit;
}

}  // namespace lormika
