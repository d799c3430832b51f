#include "crew.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace lormika {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{10};

class Crew {
public:
    explicit Crew(Watch& watch) : watch_(watch) {}
    ~Crew() { join(); }

    // The work is divided as it is done: fewer threads than wanted do as well.
    void start(int threads, const std::function<void(int)>& work) {
        try {
            for (int number = 1; number < threads; ++number) {
                {
                    const std::lock_guard lock(mutex_);
                    ++working_;
                }
                try {
                    threads_.emplace_back([this, number, &work] { run([&] { work(number); }, true); });
                } catch (...) {
                    const std::lock_guard lock(mutex_);
                    --working_;
                    throw;
                }
            }
        } catch (const std::system_error&) {
        }
    }

    void run(const std::function<void()>& work, bool counts) {
        try {
            work();
        } catch (...) {
            watch_.stop(Stopped::interrupt);
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
        }
        if (!counts) return;
        const std::lock_guard lock(mutex_);
        --working_;
        changed_.notify_all();
    }

    void wait() {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, kBetweenLooks, [&] { return working_ == 0; })) {
            lock.unlock();
            run([&] { watch_.look(true); }, false);
            lock.lock();
        }
    }

    void finish() {
        join();
        if (error_) std::rethrow_exception(error_);
    }

private:
    void join() {
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }

    Watch& watch_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int working_ = 0;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

}  // namespace

void run_crew(int threads, Watch& watch, const std::function<void(int)>& work) {
    if (threads == 1) return work(0);
    Crew crew(watch);
    crew.start(threads, work);
    crew.run([&] { work(0); }, false);
    crew.wait();
    crew.finish();
}

}  // namespace lormika
