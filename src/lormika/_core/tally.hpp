// Counts a candidate together with those before it, and keeps those whose counts are within the limits.
#pragma once

#include <bit>
#include <vector>

#include "level.hpp"
#include "limits.hpp"

namespace lormika {

class Tally {
public:
    explicit Tally(int classes) : end_(classes), any_(classes) {}

    // Which blocks hold partners of the t-th candidate; false: none.
    bool choose(const Alive& alive, unsigned reach, size_t t) {
        blocks_.clear();
        wanted_.clear();
        nodes_ = 0;
        for (size_t b = 0; b * kLanes < t; ++b) {
            const uint8_t lanes = alive.lanes(b, reach, t);
            if (lanes == 0) continue;
            blocks_.push_back(static_cast<int>(b));
            wanted_.push_back(lanes);
            nodes_ += lanes == 0xFF ? kLanes : std::popcount(lanes);
        }
        return nodes_ > 0;
    }

    // Counts the chosen blocks. The last condition of a rule may leave few rows of other classes: that is seen from some of
    // the words already, and then the rest need not be counted.
    template <class Limits>
    void count(const Level& here, size_t t, const Limits& limits, bool is_last) {
        here_ = &here;
        copy_base(t);
        lines_ = 0;
        if (is_last && choose_probe(here.cover(t), limits)) {
            const Screen screen{0, any_.data(), limits.screen().most_other};
            count(end_.data(), screen);
            keep_passing();
        }
        count(here.layout.begin.data() + 1, limits.screen());
    }

    // Calls with each partner within the limits, and the function from a class to its count.
    template <class Function>
    void each(Function function) const {
        const int classes = here_->layout.classes();
        for (size_t i = 0; i < blocks_.size(); ++i)
            for (unsigned left = passing_[i] & wanted_[i]; left != 0; left &= left - 1) {
                const int lane = std::countr_zero(left);
                const int32_t* counts = counts_.data() + i * classes * kLanes + lane;
                function(static_cast<size_t>(blocks_[i]) * kLanes + lane, [&](int c) { return counts[c * kLanes]; });
            }
    }

    const uint64_t* base() const { return base_.data(); }
    int64_t nodes() const { return nodes_; }
    int64_t lines() const { return lines_; }

private:
    static constexpr int kWorthProbing = 8;  // words: fewer are counted at once
    static constexpr int kRowsToProbe = 8;   // of the base, for each row that a partner may share with it and a little more
    static constexpr int kOverhead = 4;      // lines that take as long as what is done once for a block

    // Never shrinks: what is new in a vector is set to 0, which takes time.
    template <class T>
    static void grow(std::vector<T>& scratch, size_t size) {
        if (scratch.size() < size) scratch.resize(size);
    }

    void copy_base(size_t t) {
        const int words = here_->layout.words();
        const Strided<const uint64_t> own = here_->bits[t];
        grow(base_, words);
        for (int w = 0; w < words; ++w) base_[w] = own[w];
    }

    void count(const int* end, const Screen& screen) {
        const Layout& layout = here_->layout;
        const int n_blocks = static_cast<int>(blocks_.size());
        grow(counts_, static_cast<size_t>(n_blocks) * layout.classes() * kLanes);
        grow(passing_, n_blocks);
        counter().count({layout.classes(), layout.begin.data(), end, base_.data(), here_->bits.data(),
                         static_cast<size_t>(layout.words()), blocks_.data(), n_blocks, counts_.data()},
                        screen, passing_.data());
        int words = kOverhead;
        for (int c = 0; c < layout.classes(); ++c) words += end[c] - layout.begin[c];
        lines_ += int64_t{n_blocks} * words;
    }

    // As many words of each class as hold enough rows of the base to show that a partner shares too many with it; false: that
    // would be most of them.
    template <class Limits>
    bool choose_probe(const Cover& rows, const Limits& limits) {
        const Layout& layout = here_->layout;
        if (layout.words() < kWorthProbing) return false;
        int words = 0;
        for (int c = 0; c < layout.classes(); ++c) {
            int most = -1;  // of the classes for which rows of this one are others
            for (int other = 0; other < layout.classes(); ++other)
                if (other != c && limits.is_open(other)) most = std::max(most, limits.most_other(other));
            any_[c] = limits.is_open(c) ? 0 : std::numeric_limits<int32_t>::max();
            const int64_t wanted = most < 0 ? 0 : kRowsToProbe * (int64_t{most} + 2),
                          all = layout.begin[c + 1] - layout.begin[c];
            const int own = static_cast<int>(std::min(all, wanted * all / std::max(1, rows.counts[c]) + (wanted > 0)));
            end_[c] = layout.begin[c] + own;
            words += own;
        }
        return words * 2 <= layout.words();
    }

    void keep_passing() {
        size_t kept = 0;
        for (size_t i = 0; i < blocks_.size(); ++i) {
            if ((passing_[i] & wanted_[i]) == 0) continue;
            blocks_[kept] = blocks_[i];
            wanted_[kept++] = wanted_[i];
        }
        blocks_.resize(kept);
        wanted_.resize(kept);
    }

    const Level* here_ = nullptr;
    std::vector<int> blocks_;       // in which there are partners
    std::vector<uint8_t> wanted_;   // their lanes
    std::vector<uint8_t> passing_;  // lanes within the limits
    std::vector<int32_t> counts_;   // blocks x classes x lanes
    std::vector<uint64_t> base_;    // bits of the candidate
    std::vector<int> end_;          // classes: where the probe ends
    std::vector<int32_t> any_;      // classes: 0, if its rules are in question
    int64_t nodes_ = 0, lines_ = 0;
};

}  // namespace lormika
