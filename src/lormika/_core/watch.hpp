// When to stop a search before it is complete.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "search.hpp"

namespace lormika {

// Shared by all threads.
class Watch {
public:
    explicit Watch(const Stops& stops) : stops_(stops), start_(std::chrono::steady_clock::now()) {}

    void stop(Stopped why) {
        Stopped running = Stopped::no;
        why_.compare_exchange_strong(running, why);
    }
    Stopped why() const { return why_.load(); }
    bool stopped() const { return why_.load(std::memory_order_relaxed) != Stopped::no; }

    int64_t most_nodes() const { return stops_.nodes; }

    // May throw, in the main thread.
    void look(bool is_main) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
        if (passed.count() >= stops_.seconds) stop(Stopped::time);
        if (is_main && !stopped() && stops_.poll()) stop(Stopped::interrupt);
    }

private:
    const Stops& stops_;
    const std::chrono::steady_clock::time_point start_;
    std::atomic<Stopped> why_{Stopped::no};
};

// One thread's share of the work, and when it looks at the watch.
class Pace {
public:
    Pace(Watch& watch, bool is_main) : watch_(watch), is_main_(is_main) {}

    int64_t nodes = 0;  // condition sets that were looked at

    // After some work; false: stop.
    bool advance(int64_t more_nodes, int64_t lines) {
        nodes += more_nodes;
        work_ += lines;
        if (nodes >= watch_.most_nodes()) watch_.stop(Stopped::nodes);
        if (work_ >= kWorkBetweenLooks) {
            work_ = 0;
            watch_.look(is_main_);
        }
        return !watch_.stopped();
    }

private:
    static constexpr int64_t kWorkBetweenLooks = 1 << 20;  // lines counted: about a millisecond

    Watch& watch_;
    bool is_main_;
    int64_t work_ = 0;
};

}  // namespace lormika
