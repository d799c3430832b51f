#include "fisher.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lormika {

namespace {
constexpr double kTolerance = 1e-9;
constexpr double kClear = 1e-6;        // far beyond the tolerance
constexpr double kLastDigits = 1e-14;  // what a sum of some doubles may be off, as a share of the greatest of them

// The exponential of the first digits, times that of the rest, which is tiny. That of a long double is slow.
[[maybe_unused]] double exp_of(const Pair& x) { return std::exp(x.high) * (1 + x.low); }
[[maybe_unused]] double exp_of(long double x) {
    const auto high = static_cast<double>(x);
    return exp_of(Pair{high, static_cast<double>(x - high)});
}

constexpr size_t kMostKept = 1 << 16;

// Of at least so many numbers. Each thread keeps them: one search after the other needs about as many.
std::shared_ptr<const LogFactorials> log_factorials(size_t size) {
    thread_local auto kept = std::make_shared<const LogFactorials>();
    if (size <= kept->exact.size()) return kept;
    auto table = std::make_shared<LogFactorials>(*kept);
    table->exact.reserve(size);
    table->rounded.reserve(size);
    while (table->exact.size() < size) {
        table->exact.push_back(table->exact.back() + std::log(static_cast<double>(table->exact.size())));
        table->rounded.push_back(static_cast<double>(table->exact.back()));
    }
    if (size <= kMostKept) kept = table;
    return table;
}

// Logarithm of the probability of exactly `hits` of the rule's rows having the class.
template <class Number>
Number log_point(const std::vector<Number>& lf, const Fourfold& t, int hits) {
    const int misses_all = t.all - t.hits_all, misses = t.inside - hits;
    return lf[t.hits_all] - lf[hits] - lf[t.hits_all - hits]        //
           + lf[misses_all] - lf[misses] - lf[misses_all - misses]  //
           - (lf[t.all] - lf[t.inside] - lf[t.all - t.inside]);
}
}  // namespace

Fisher::Fisher(int rows) : log_factorials_(log_factorials(rows + 1)) {}

double Fisher::log_choose(int n, int r) const {
    const auto& lf = log_factorials_->exact;
    return static_cast<double>(lf[n] - lf[r] - lf[n - r]);
}

double Fisher::point(const Fourfold& t, int hits) const { return exp_of(log_point(log_factorials_->exact, t, hits)); }

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

double Fisher::p_value(const Fourfold& t) const { return std::min(1.0, tail(t, std::numeric_limits<double>::infinity())); }

// Where the p-value is, compared with a limit, as far as the first term tells: the sum is not less than it, and, as every term
// is a smaller share of the one before, not more than that of a geometric series.
Fisher::Verdict Fisher::compare(const Fourfold& t, double log_limit) const {
    const int least = std::max(0, t.inside - (t.all - t.hits_all)), x = t.hits_inside;
    const bool is_above_mean = static_cast<double>(x) * t.all > static_cast<double>(t.hits_all) * t.inside;
    if (x <= least || !is_above_mean) return Verdict::unclear;
    const auto& lf = log_factorials_->rounded;
    const double first = log_point(lf, t, x), unclear = kClear + kLastDigits * lf[t.all];
    if (first > log_limit + unclear) return Verdict::above;
    const double share = static_cast<double>(t.hits_all - x) * (t.inside - x) /
                         ((x + 1.0) * (static_cast<double>(t.all) - t.hits_all - t.inside + x + 1));
    if (!(share < 1)) return Verdict::unclear;
    // -log(1 - share) is at most share / (1 - share), which mostly decides.
    if (first + share / (1 - share) < log_limit - unclear) return Verdict::below;
    if (first - std::log1p(-share) < log_limit - unclear) return Verdict::below;
    return Verdict::unclear;
}

bool Fisher::passes(const Fourfold& t, const Critical& critical) const {
    const double limit = critical.value * (1.0 + kTolerance);
    if (!(limit > 0)) return false;
    const Verdict verdict = compare(t, critical.log_value);
    return verdict == Verdict::below || (verdict == Verdict::unclear && tail(t, limit) <= limit);
}

double Fisher::raise(const Fourfold& t, double other) const {
    if (other > 0 && compare(t, std::log(other)) == Verdict::below) return other;
    return std::max(other, p_value(t));
}

}  // namespace lormika
