#include "count.hpp"

#include "processor.hpp"

namespace lormika {

extern const Counter kPortable;
#if defined(LORMIKA_X86)
extern const Counter kAvx2, kAvx512;
const Counter* const kCounters[] = {&kAvx512, &kAvx2, &kPortable, nullptr};
#elif defined(LORMIKA_ARM)
extern const Counter kNeon;
const Counter* const kCounters[] = {&kNeon, &kPortable, nullptr};
#else
const Counter* const kCounters[] = {&kPortable, nullptr};
#endif

const Counter& counter() {
    static const Counter& fastest = [&]() -> const Counter& {
        const Counter* const* each = kCounters;
        while (!(*each)->runs()) ++each;
        return **each;
    }();
    return fastest;
}

}  // namespace lormika
