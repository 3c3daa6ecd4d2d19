/* A plugin for QEMU, built for the host: counts the instructions that run between marks.
 *
 * Arguments, numbers in decimal:
 *   mark=ADDRESS  a function, there may be two: when one is entered, a line with the count
 *                 since the last mark goes into the file
 *   from=, to=    addresses: only instructions from the one to before the other count
 *   limit=COUNT   more of them between two marks end QEMU, after the line "limit"
 *   log=PATH      where the lines go
 */
#include "mcugen_qemu_plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_STATUS 3
#define MOST_MARKS 2U

int qemu_plugin_version = MCUGEN_QEMU_PLUGIN_API;

static uint64_t count;
static uint64_t marks[MOST_MARKS];
static uint32_t mark_count;
static uint64_t from;
static uint64_t to;
static uint64_t limit;
static FILE *file;

static void on_instruction(unsigned int cpu, void *user)
{
    (void)cpu;
    (void)user;
    count++;
    if (count > limit) {
        (void)fputs("limit\n", file);
        (void)fflush(file);
        exit(LIMIT_STATUS);
    }
}

static void on_mark(unsigned int cpu, void *user)
{
    (void)cpu;
    (void)user;
    (void)fprintf(file, "%" PRIu64 "\n", count);
    (void)fflush(file);
    count = 0U;
}

static int is_mark(uint64_t address)
{
    int found = 0;
    for (uint32_t i = 0; i < mark_count; i++) {
        found = found || marks[i] == address;
    }
    return found;
}

/* Calls of every single instruction: a block may be left in its middle, by an exception. */
static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    const size_t instructions = qemu_plugin_tb_n_insns(block);
    (void)id;
    for (size_t i = 0; i < instructions; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        const uint64_t address = qemu_plugin_insn_vaddr(instruction);
        if (is_mark(address)) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_mark, QEMU_PLUGIN_CB_NO_REGS,
                                                   NULL);
        } else if (address >= from && address < to) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_instruction,
                                                   QEMU_PLUGIN_CB_NO_REGS, NULL);
        } else {
            /* neither counted nor a mark */
        }
    }
}

/* The value of "key=value" if that is the key, else NULL. */
static const char *value_of(const char *argument, const char *key)
{
    const size_t length = strlen(key);
    return (strncmp(argument, key, length) == 0 && argument[length] == '=') ? &argument[length + 1U]
                                                                             : NULL;
}

static void read_argument(const char *argument)
{
    const struct {
        const char *key;
        uint64_t *number;
    } numbers[] = {{"from", &from}, {"to", &to}, {"limit", &limit}};
    const char *path = value_of(argument, "log");
    const char *mark = value_of(argument, "mark");
    if (path != NULL) {
        file = fopen(path, "w");
    }
    if (mark != NULL && mark_count < MOST_MARKS) {
        marks[mark_count] = strtoull(mark, NULL, 10);
        mark_count++;
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const char *text = value_of(argument, numbers[i].key);
        if (text != NULL) {
            *numbers[i].number = strtoull(text, NULL, 10);
        }
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int arguments_count,
                        char **arguments)
{
    (void)info;
    for (int i = 0; i < arguments_count; i++) {
        read_argument(arguments[i]);
    }
    if (file == NULL) {
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
