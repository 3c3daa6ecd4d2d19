/* What of QEMU's interface for TCG plugins is used: its header is often not installed.
 *
 * Source: QEMU's documentation, "QEMU TCG Plugins", the plugin API.
 */
#ifndef MCUGEN_QEMU_PLUGIN_H
#define MCUGEN_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifndef MCUGEN_QEMU_PLUGIN_API
#define MCUGEN_QEMU_PLUGIN_API 1 /* since QEMU 9.0 it is 2 */
#endif

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

#define QEMU_PLUGIN_CB_NO_REGS 0

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*callback)(qemu_plugin_id_t,
                                                            struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            void (*callback)(unsigned int, void *), int flags,
                                            void *user);

/* What QEMU looks for in a plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count, char **arguments);

#endif
