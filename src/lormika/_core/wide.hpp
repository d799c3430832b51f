// Numbers with more digits than a double has, for sums of many logarithms and their differences.
#pragma once

#include <limits>
#include <type_traits>

namespace lormika {

// A number as a double and what is missing from it: about 106 bits, with the double's own instructions.
struct Pair {
    double high = 0, low = 0;

    Pair() = default;
    Pair(double number) : high(number) {}  // NOLINT: a double is such a number
    Pair(double high, double low) : high(high), low(low) {}

    explicit operator double() const { return high + low; }

    friend Pair operator+(const Pair& x, const Pair& y) {
        const double sum = x.high + y.high, part = sum - x.high;
        const double lost = (x.high - (sum - part)) + (y.high - part) + (x.low + y.low);
        const double high = sum + lost;
        return {high, lost - (high - sum)};
    }
    friend Pair operator-(const Pair& x, const Pair& y) { return x + Pair{-y.high, -y.low}; }
};

// A long double has 64 bits on Intel's processors (but 53 with Microsoft's compiler, and on Apple's processors), and elsewhere
// it may be slow.
using Wide = std::conditional_t<std::numeric_limits<long double>::digits == 64, long double, Pair>;

}  // namespace lormika
