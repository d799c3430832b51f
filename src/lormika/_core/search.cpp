#include "search.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "best.hpp"
#include "crew.hpp"
#include "worker.hpp"

namespace lormika {

namespace {

template <Objective objective>
class Search {
public:
    Search(const Table& table, const Lists& lists, const Options& options, const Stops& stops)
        : lists_(lists), items_(table, lists.instance), fisher_(table.rows),
          measures_(table.rows, items_.rows_of_class, options, items_.is_weighted()),
          task_{lists, options, items_, measures_, fisher_}, best_(lists.count, options.k), watch_(stops),
          root_(table.classes) {}

    Result run(int threads) {
        workers_.push_back(std::make_unique<Worker<objective>>(task_, best_, watch_, true));
        workers_[0]->begin(root_);
        watch_.look(false);  // not asking for signals: a short search is over before
        if (!watch_.stopped()) expand(std::clamp<int>(threads, 1, std::max<int>(1, int(root_.candidates.size()))));
        return result();
    }

private:
    // Every candidate of the root is a piece of work; the next one goes to the first thread that is free.
    void expand(int threads) {
        while (int(workers_.size()) < threads)
            workers_.push_back(std::make_unique<Worker<objective>>(task_, best_, watch_, false));
        finished_ = std::make_unique<std::atomic<bool>[]>(root_.candidates.size());
        run_crew(threads, watch_, [&](int number) {
            size_t current = root_.candidates.size();
            const auto next = [&] {
                if (current < root_.candidates.size()) finished_[current] = true;
                return current = next_++;
            };
            workers_[number]->run(root_, next);
        });
    }

    Result result() {
        Result result{{}, 0, watch_.why(), std::vector<double>(lists_.count, std::numeric_limits<double>::quiet_NaN())};
        for (const auto& worker : workers_) result.nodes += worker->nodes();
        Gate& gate = workers_[0]->gate();
        for (const BestList& list : best_.all())
            for (FoundRule rule : list.sorted()) {
                rule.p_value = gate.p_value(rule);
                result.rules.push_back(rule);
            }
        if (result.stopped != Stopped::no)
            for (int list = 0; list < lists_.count; ++list) result.open[list] = open_bound(list);
        return result;
    }

    // The best of what the unfinished candidates can lead to.
    double open_bound(int list) {
        double best = std::numeric_limits<double>::quiet_NaN(), worth = 0;
        for (size_t t = 0; t < root_.candidates.size(); ++t)
            if (!(finished_ && finished_[t]) && workers_[0]->bound(root_, t, list, worth) && !(worth <= best)) best = worth;
        return best;
    }

    const Lists& lists_;
    const ItemTable items_;
    const Fisher fisher_;
    const Measures<objective> measures_;
    const Task<objective> task_;
    BestLists best_;
    Watch watch_;
    Level root_;
    std::vector<std::unique_ptr<Worker<objective>>> workers_;
    std::atomic<size_t> next_{0};
    std::unique_ptr<std::atomic<bool>[]> finished_;  // candidates of the root
};

}  // namespace

Result search(const Table& table, const Lists& lists, const Options& options, const Stops& stops, int threads) {
    switch (options.objective) {
        case Objective::support: return Search<Objective::support>(table, lists, options, stops).run(threads);
        case Objective::coverage: return Search<Objective::coverage>(table, lists, options, stops).run(threads);
        case Objective::confidence: return Search<Objective::confidence>(table, lists, options, stops).run(threads);
        case Objective::lift: return Search<Objective::lift>(table, lists, options, stops).run(threads);
        default: return Search<Objective::leverage>(table, lists, options, stops).run(threads);
    }
}

}  // namespace lormika
