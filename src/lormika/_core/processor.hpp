// What differs between compilers and processors, and what this processor can do.
#pragma once

#if defined(__x86_64__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define LORMIKA_X86 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define LORMIKA_ARM 1
#endif

// Microsoft's compiler knows every instruction everywhere; others must be told which ones a function may use.
#if defined(_MSC_VER) && !defined(__clang__)
#define LORMIKA_INLINE __forceinline
#define LORMIKA_USES(instructions)
#else
#define LORMIKA_INLINE inline __attribute__((always_inline))
#define LORMIKA_USES(instructions) __attribute__((target(instructions)))
#endif

#if defined(LORMIKA_X86)
namespace lormika {

// The processor has the instructions, and the system keeps their registers.
struct Processor {
    bool popcnt, avx2, bmi2;
    bool avx512;  // and VPOPCNTDQ
};

const Processor& processor();

}  // namespace lormika
#endif
