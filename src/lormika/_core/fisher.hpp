// One-sided Fisher exact test: is a class more frequent among the rows of a rule than among those of its generalisation?
#pragma once

#include <vector>

namespace lormika {

// `inside` of the generalisation's `all` rows match the rule; `hits_all` and `hits_inside` of them have the class.
struct Fourfold {
    int all, hits_all, inside, hits_inside;
};

class Fisher {
public:
    explicit Fisher(int rows);

    // P[X >= hits_inside] for hypergeometric X.
    double p_value(const Fourfold& t) const;

    // Whether p_value <= critical, up to the relative tolerance that keeps rounding out of the decision.
    bool passes(const Fourfold& t, double critical) const;

    double log_choose(int n, int r) const;

private:
    double point(const Fourfold& t, int hits) const;
    double tail(const Fourfold& t, double stop) const;

    // Extended precision: for 100,000 rows the logarithms are around a million, and their differences count.
    std::vector<long double> log_factorial_;
};

}  // namespace lormika
