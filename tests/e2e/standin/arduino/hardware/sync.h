#ifndef STANDIN_SYNC_H
#define STANDIN_SYNC_H

#include <atomic>
#include <chrono>
#include <thread>

inline void __dmb() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __wfe() { std::this_thread::sleep_for(std::chrono::seconds(1)); }

#endif
