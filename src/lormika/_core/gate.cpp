#include "gate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace lormika {

Gate::Gate(const ItemTable& items, const Fisher& fisher, const Options& options)
    : items_(items), options_(options), fisher_(fisher), shared_(items.layout.classes()) {
    if (options.filter == Filter::significant) set_needs();
}

bool Gate::passes(const FoundRule& rule) {
    if (options_.filter == Filter::none) return true;
    if (!passes_against(rule, items_.everything(), true)) return false;
    if (rule.length == 1) return true;
    // Immediate generalisations first: they decide redundancy and significance, and most rejections.
    const unsigned whole = (1u << rule.length) - 1;
    for (int i = 0; i < rule.length; ++i)
        if (!passes_against(rule, count(rule, whole & ~(1u << i)), true)) return false;
    if (options_.filter == Filter::nonredundant) return true;
    for (unsigned subset = 1; subset < whole; ++subset)
        if (std::popcount(subset) < rule.length - 1 && !passes_against(rule, count(rule, subset), false)) return false;
    return true;
}

bool Gate::may_pass(const FoundRule& rule, const Cover& without, const Cover& beside) const {
    if (options_.filter < Filter::significant || rule.length == 1) return true;
    return passes_against(rule, without, true) && passes_against(rule, beside, true);
}

bool Gate::passes_against(const FoundRule& rule, const Cover& general, bool immediate) const {
    if (options_.filter == Filter::nonredundant) return rule.antecedent_rows < general.rows;
    if (!improves(rule.antecedent_rows, rule.both_rows, rule.consequent, general)) return false;
    if (options_.filter == Filter::productive || !immediate) return true;
    return fisher_.passes(fourfold(rule, general), critical_[rule.length]);
}

// The more other rows, the larger the p-value: halve the interval until the greatest number that passes is found.
int Gate::find_most_other(int c, int both) const {
    const int length = options_.max_conditions, class_rows = items_.rows_of_class[c];
    int passing = -1, failing = items_.rows - class_rows + 1;
    while (failing - passing > 1) {
        const int other = passing + (failing - passing) / 2;
        const Fourfold counts{items_.rows, class_rows, both + other, both};
        (fisher_.passes(counts, critical_[length]) ? passing : failing) = other;
    }
    return passing;
}

double Gate::p_value(const FoundRule& rule) {
    double largest = fisher_.p_value(fourfold(rule, items_.everything()));
    const unsigned whole = (1u << rule.length) - 1;
    for (int i = 0; rule.length > 1 && i < rule.length; ++i)
        largest = fisher_.raise(fourfold(rule, count(rule, whole & ~(1u << i))), largest);
    return largest;
}

// Rows that match a subset of a rule's conditions.
Cover Gate::count(const FoundRule& rule, unsigned subset) {
    const auto take = [&] {
        const int item = rule.items[std::countr_zero(subset)];
        subset &= subset - 1;
        return item;
    };
    const int first = take();
    if (subset == 0) return items_.cover_of(first);
    const Layout& layout = items_.layout;
    cover_.assign(items_.bits_of(first), items_.bits_of(first) + layout.words());
    while (!std::has_single_bit(subset)) {
        const uint64_t* other = items_.bits_of(take());
        for (int w = 0; w < layout.words(); ++w) cover_[w] &= other[w];
    }
    items_.count(cover_.data(), items_.bits_of(take()), shared_.data());
    return {shared_.data(), std::accumulate(shared_.begin(), shared_.end(), 0)};
}

// Against the empty set, a rule with a rows of its class has a p-value of at least C(class, a) / C(rows, a).
void Gate::set_needs() {
    constexpr int lengths = kMostConditions + 1;
    for (const double p : options_.critical) critical_.emplace_back(p);
    log_critical_below_.assign(lengths, -std::numeric_limits<double>::infinity());
    for (int length = options_.max_conditions - 1; length >= 0; --length)
        log_critical_below_[length] = std::max(log_critical_below_[length + 1], critical_[length + 1].log_value);
    least_both_.assign(items_.rows_of_class.size() * lengths, std::numeric_limits<int>::max());
    for (size_t c = 0; c < items_.rows_of_class.size(); ++c) {
        const int class_rows = items_.rows_of_class[c];
        for (int length = 0, a = 0; length < options_.max_conditions; ++length) {
            const double limit = log_critical_below_[length] + kSlack;
            while (a <= class_rows && fisher_.log_choose(class_rows, a) - fisher_.log_choose(items_.rows, a) > limit) ++a;
            if (a <= class_rows) least_both_[c * lengths + length] = a;
        }
        most_other_from_.push_back(most_other_.size());
        most_other_.resize(most_other_.size() + class_rows + 1, kUnknown);
    }
}

}  // namespace lormika
