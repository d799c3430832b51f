// Decides whether a rule passes the filter. It looks at the rule's generalisations, so it is asked last, and only of
// rules that would enter the result.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "fisher.hpp"
#include "item_table.hpp"
#include "search.hpp"

namespace lormika {

class Gate {
public:
    Gate(const ItemTable& items, const Fisher& fisher, const Options& options);

    bool passes(const FoundRule& rule);

    // A cheap part of `passes`: against two immediate generalisations whose rows are at hand.
    bool may_pass(const FoundRule& rule, const Cover& without, const Cover& beside) const;

    // A cheap part of `passes`: is the rule's confidence above that of this generalisation?
    bool improves(int antecedent, int both, int c, const Cover& general) const {
        return options_.filter < Filter::productive || int64_t{both} * general.rows > int64_t{general.counts[c]} * antecedent;
    }

    // Whether a rule with more conditions, and at most these rows, can pass.
    bool open_below(int antecedent, int both, int length, int c) const {
        if (options_.filter >= Filter::productive && both == antecedent) return false;  // perfect already
        if (options_.filter < Filter::significant) return true;
        // Against an immediate generalisation inside these rows, the p-value is at least 1 / C(antecedent, both).
        return both >= least_both_[c * (kMostConditions + 1) + length] &&
               fisher_.log_choose(antecedent, both) >= -log_critical_below_[length] - kSlack;
    }

    // Fewest rows of the class that a rule with at least so many conditions needs, and most other rows that one of the
    // greatest length can have beside at most so many of the class: others fail against the empty set.
    int least_both(int c, int length) const {
        return options_.filter < Filter::significant ? 1 : least_both_[c * (kMostConditions + 1) + length - 1];
    }
    int most_other(int c, int both) {
        if (options_.filter < Filter::significant) return std::numeric_limits<int>::max();
        int& known = most_other_[most_other_from_[c] + both];
        if (known == kUnknown) known = find_most_other(c, both);
        return known;
    }

    // The largest p-value against the empty condition set and every immediate generalisation.
    double p_value(const FoundRule& rule);

private:
    static constexpr double kSlack = 1e-6;  // never prune on the last digits of a logarithm

    static constexpr int kUnknown = -2;

    void set_needs();
    int find_most_other(int c, int both) const;
    Cover count(const FoundRule& rule, unsigned subset);
    bool passes_against(const FoundRule& rule, const Cover& general, bool immediate) const;
    Fourfold fourfold(const FoundRule& rule, const Cover& general) const {
        return {general.rows, general.counts[rule.consequent], rule.antecedent_rows, rule.both_rows};
    }

    const ItemTable& items_;
    const Options& options_;
    const Fisher& fisher_;
    std::vector<Critical> critical_;          // lengths
    std::vector<double> log_critical_below_;  // lengths: largest critical value of longer rules
    std::vector<int> least_both_;             // classes x lengths: rows of the class that a longer rule needs
    std::vector<size_t> most_other_from_;     // classes: where the table of a class begins
    std::vector<int> most_other_;             // classes x rows of the class: filled as it is asked for
    std::vector<uint64_t> cover_;             // scratch
    std::vector<int32_t> shared_;             // scratch
};

}  // namespace lormika
