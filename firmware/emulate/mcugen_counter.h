/* Hooks that count what an emulated processor executes, fast enough for whole models.
 *
 * Built for the host and handed to the Unicorn emulator: a hook in Python costs more than the
 * block of instructions that it counts.
 */
#ifndef MCUGEN_COUNTER_H
#define MCUGEN_COUNTER_H

#include <stdint.h>

/* A block of instructions that ran: entered at its first, left after its last. */
typedef struct mcugen_block {
    uint64_t address;
    uint64_t runs;  /* 0: this place of the table is free */
    uint64_t jumps; /* runs after which something else than the next address was executed */
    uint32_t bytes;
    uint32_t reserved;
} mcugen_block;

/* Why the emulation was stopped. */
#define MCUGEN_RUNNING 0U
#define MCUGEN_LIMIT 1U     /* more than `limit_bytes` of instructions */
#define MCUGEN_UNALIGNED 2U /* an access that is not aligned to its size */
#define MCUGEN_FULL 3U      /* more distinct blocks than the table may hold */

typedef struct mcugen_counter {
    mcugen_block *blocks; /* a hash table by address and size */
    mcugen_block *last;   /* the block that is running; NULL before the first */
    void (*stop)(void *engine);
    uint64_t bytes; /* of instructions, executed so far */
    uint64_t limit_bytes;
    uint64_t address; /* of the access that was stopped */
    uint32_t capacity; /* places in the table, a power of 2 */
    uint32_t used;
    uint32_t access_bytes;
    uint32_t reason; /* MCUGEN_RUNNING or why it was stopped */
} mcugen_counter;

/* Unicorn's UC_HOOK_BLOCK: a block is entered. */
void mcugen_counter_block(void *engine, uint64_t address, uint32_t bytes, void *user);

/* Unicorn's UC_HOOK_MEM_READ and UC_HOOK_MEM_WRITE, on cores that cannot access unaligned data. */
void mcugen_counter_access(void *engine, int kind, uint64_t address, int bytes, int64_t value,
                           void *user);

#endif
