#include "mcugen_counter.h"

#include <stddef.h>

static void stop(mcugen_counter *counter, void *engine, uint32_t reason)
{
    if (counter->reason == MCUGEN_RUNNING) {
        counter->reason = reason;
    }
    counter->stop(engine);
}

/* The block's place in the table, taken when it is new. Linear probing: the table never fills. */
static mcugen_block *find(mcugen_counter *counter, uint64_t address, uint32_t bytes)
{
    const uint32_t mask = counter->capacity - 1U;
    uint32_t index = (((uint32_t)(address >> 1U) * 2654435761U) ^ bytes) & mask;
    mcugen_block *block = &counter->blocks[index];
    while (block->runs != 0U && (block->address != address || block->bytes != bytes)) {
        index = (index + 1U) & mask;
        block = &counter->blocks[index];
    }
    if (block->runs == 0U) {
        block->address = address;
        block->bytes = bytes;
        block->jumps = 0U;
        counter->used++;
    }
    return block;
}

void mcugen_counter_block(void *engine, uint64_t address, uint32_t bytes, void *user)
{
    mcugen_counter *counter = (mcugen_counter *)user;
    mcugen_block *last = counter->last;
    if (last != NULL && last->address + last->bytes != address) {
        last->jumps++;
    }
    counter->last = find(counter, address, bytes);
    counter->last->runs++;
    counter->bytes += bytes;
    if (counter->used > counter->capacity / 2U) {
        stop(counter, engine, MCUGEN_FULL);
    } else if (counter->bytes > counter->limit_bytes) {
        stop(counter, engine, MCUGEN_LIMIT);
    } else {
        /* goes on */
    }
}

void mcugen_counter_access(void *engine, int kind, uint64_t address, int bytes, int64_t value,
                           void *user)
{
    mcugen_counter *counter = (mcugen_counter *)user;
    (void)kind;
    (void)value;
    if ((address % (uint64_t)(uint32_t)bytes) != 0U && counter->reason == MCUGEN_RUNNING) {
        counter->address = address;
        counter->access_bytes = (uint32_t)bytes;
        stop(counter, engine, MCUGEN_UNALIGNED);
    }
}
