/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Instructions, as far as they say where a function goes, by libcapstone. */
#ifndef FUNCTION_INSN_H
#define FUNCTION_INSN_H

#include <stdbool.h>
#include <stdint.h>

/**
 * enum insn_kind - what an instruction does to the flow
 * @INSN_PLAIN: nothing: the next one follows
 * @INSN_CALL: a call: the next one follows, as a rule
 * @INSN_RETURN: a return
 * @INSN_JUMP: a jump to @target
 * @INSN_BRANCH: a jump to @target, or none
 * @INSN_INDIRECT: a jump to where a register or memory says
 * @INSN_STOP: nothing follows: a trap
 * @INSN_STRANGE: a jump or return that no probe can be put at: a far one, or one of arm64 that
 *	checks a signature, at which a probe is never hit
 * @INSN_UNKNOWN: libcapstone does not know it
 */
enum insn_kind {
	INSN_PLAIN,
	INSN_CALL,
	INSN_RETURN,
	INSN_JUMP,
	INSN_BRANCH,
	INSN_INDIRECT,
	INSN_STOP,
	INSN_STRANGE,
	INSN_UNKNOWN,
};

/**
 * enum insn_value - what an instruction writes into a register, or jumps to
 * @VALUE_NONE: nothing
 * @VALUE_OTHER: something else
 * @VALUE_ADDRESS: @target: an address of the program
 * @VALUE_LOADED: what is in memory at a register and a constant
 * @VALUE_INDEXED: what is in memory at a place that an index makes, of 8 bytes, @target on where no
 *	register has the beginning
 * @VALUE_SUM: a sum of two registers, or one of a register and the address of the program in it
 * @VALUE_COPY: another register
 */
enum insn_value {
	VALUE_NONE,
	VALUE_OTHER,
	VALUE_ADDRESS,
	VALUE_LOADED,
	VALUE_INDEXED,
	VALUE_SUM,
	VALUE_COPY,
};

/**
 * struct insn - an instruction
 * @address: where it is
 * @target: of a jump, or of @value
 * @size: bytes
 * @kind: what it does to the flow
 * @value: of a plain one: what it writes into @to; of an indirect jump: where it jumps
 * @to: register that it writes; 0: none
 * @from: registers that @value is made of; 0: none
 * @literal: bytes of data at @target, which it loads; 0: none
 * @moves_stack: it changes the stack pointer
 * @frees_stack: it does, and gives room on the stack back
 */
struct insn {
	uint64_t address;
	uint64_t target;
	uint16_t size;
	uint8_t kind;
	uint8_t value;
	uint16_t to;
	uint16_t from[2];
	uint8_t literal;
	bool moves_stack;
	bool frees_stack;
};

struct disasm;

/*
 * disasm_open - get libcapstone
 * @machine: EM_X86_64 or EM_AARCH64
 *
 * Returns 0; -ENOENT: it is not installed; -ENOMEM.
 */
int disasm_open(struct disasm **disasm, unsigned int machine);

void disasm_close(struct disasm *disasm);

/* disasm_next - decode the instruction at @code, of @left bytes; @insn->address is set */
void disasm_next(struct disasm *disasm, const unsigned char *code, uint64_t left,
		 struct insn *insn);

#endif
