/* The second core is a thread for each launch; what was launched before is forgotten. */
#ifndef STANDIN_MULTICORE_H
#define STANDIN_MULTICORE_H

#include <cstddef>
#include <cstdint>
#include <thread>

inline thread_local unsigned int standin_core = 0;

inline unsigned int get_core_num() { return standin_core; }
inline void multicore_reset_core1() {}
inline void multicore_launch_core1_with_stack(void (*entry)(), uint32_t *stack, size_t bytes)
{
    if (stack != nullptr && bytes >= 1024) {
        std::thread([entry] {
            standin_core = 1;
            entry();
        }).detach();
    }
}

struct StandinRp2040 {
    uint32_t getCycleCount() { return static_cast<uint32_t>(standin_us() * 133U); }
};

inline StandinRp2040 rp2040;

#endif
