// Asked of the processor itself: compilers have functions for that, but not all of them, and not on every system.
#include "processor.hpp"

#if defined(LORMIKA_X86)
#include <cstdint>

#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif

namespace lormika {

namespace {

struct Registers {
    uint32_t a = 0, b = 0, c = 0, d = 0;
};

#if defined(_MSC_VER)
Registers ask(int leaf) {
    int found[4];
    __cpuidex(found, leaf, 0);
    return {uint32_t(found[0]), uint32_t(found[1]), uint32_t(found[2]), uint32_t(found[3])};
}

uint32_t kept_registers() { return static_cast<uint32_t>(_xgetbv(0)); }
#else
Registers ask(int leaf) {
    Registers found;
    __cpuid_count(leaf, 0, found.a, found.b, found.c, found.d);
    return found;
}

uint32_t kept_registers() {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}
#endif

bool has(uint32_t flags, int bit) { return flags >> bit & 1; }

Processor find_out() {
    const Registers first = ask(1);
    const Registers seventh = ask(0).a >= 7 ? ask(7) : Registers{};
    const bool asks_system = has(first.c, 27);
    const uint32_t kept = asks_system ? kept_registers() : 0;
    const bool keeps_256 = (kept & 0x06) == 0x06, keeps_512 = (kept & 0xE6) == 0xE6;
    const bool avx2 = keeps_256 && has(first.c, 28) && has(seventh.b, 5);
    const bool avx512 = avx2 && keeps_512 && has(seventh.b, 16) && has(seventh.c, 14);
    return {has(first.c, 23), avx2, has(seventh.b, 8), avx512};
}

}  // namespace

const Processor& processor() {
    static const Processor known = find_out();
    return known;
}

}  // namespace lormika
#endif
