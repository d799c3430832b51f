// Threads that work on one search.
#pragma once

#include <functional>

#include "watch.hpp"

namespace lormika {

// Calls work(0), work(1) … at the same time, work(0) in this thread. If one throws, the others are stopped, and it is thrown
// here once they have ended. While others work, this thread looks at the watch.
void run_crew(int threads, Watch& watch, const std::function<void(int)>& work);

}  // namespace lormika
