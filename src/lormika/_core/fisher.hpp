// One-sided Fisher exact test: is a class more frequent among the rows of a rule than among those of its generalisation?
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "wide.hpp"

namespace lormika {

// `inside` of the generalisation's `all` rows match the rule; `hits_all` and `hits_inside` of them have the class.
struct Fourfold {
    int all, hits_all, inside, hits_inside;
};

// A critical value, with what decides most cases.
struct Critical {
    double value, log_value;
    explicit Critical(double p) : value(p), log_value(std::log(p)) {}
};

// Logarithms of factorials. Exact ones have more digits than a double: for 100,000 rows they are around a million, and their
// differences count.
struct LogFactorials {
    std::vector<Wide> exact = std::vector<Wide>(2, Wide(0.0));
    std::vector<double> rounded = std::vector<double>(2, 0.0);
};

class Fisher {
public:
    explicit Fisher(int rows);

    // P[X >= hits_inside] for hypergeometric X.
    double p_value(const Fourfold& t) const;

    // Whether p_value <= critical, up to the relative tolerance that keeps rounding out of the decision. The first term of
    // the sum nearly always decides, and its logarithm will do.
    bool passes(const Fourfold& t, const Critical& critical) const;

    // The larger of the p-value and another number.
    double raise(const Fourfold& t, double other) const;

    double log_choose(int n, int r) const;

private:
    enum class Verdict { below, above, unclear };
    Verdict compare(const Fourfold& t, double log_limit) const;

    double point(const Fourfold& t, int hits) const;
    double tail(const Fourfold& t, double stop) const;

    const std::shared_ptr<const LogFactorials> log_factorials_;
};

}  // namespace lormika
