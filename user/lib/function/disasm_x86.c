// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "disasm_arch.h"

static bool is_in(const cs_insn *from, unsigned int group)
{
	unsigned int i;

	for (i = 0; i < from->detail->groups_count; i++)
		if (from->detail->groups[i] == group)
			return true;
	return false;
}

/* The register of 8 bytes that one is a part of. */
static uint16_t whole(unsigned int reg)
{
	static const uint16_t parts[][5] = {
		{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
		{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
		{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
		{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
		{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
		{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
		{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL },
		{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL },
	};
	unsigned int i, k;

	if (reg >= X86_REG_R8B && reg <= X86_REG_R15W)
		return (uint16_t)(X86_REG_R8 + (reg - X86_REG_R8B) % 8);
	for (i = 0; reg && i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (k = 0; k < sizeof(parts[0]) / sizeof(parts[0][0]); k++)
			if (parts[i][k] == reg)
				return parts[i][0];
	}
	return (uint16_t)reg;
}

/* What is at a memory operand. */
static void take_memory(const x86_op_mem *mem, struct insn *insn)
{
	if (mem->segment != X86_REG_INVALID) {
		insn->value = VALUE_OTHER;
	} else if (mem->index != X86_REG_INVALID) {
		insn->value = mem->scale == 8 ? VALUE_INDEXED : VALUE_OTHER;
		insn->from[0] = whole(mem->base);
		insn->target = (uint64_t)mem->disp;
	} else {
		insn->value = VALUE_LOADED;
		insn->from[0] = mem->base == X86_REG_RIP ? 0 : whole(mem->base);
	}
}

static void take_lea(const cs_insn *from, const x86_op_mem *mem, struct insn *insn)
{
	if (mem->base == X86_REG_RIP && mem->index == X86_REG_INVALID) {
		insn->value = VALUE_ADDRESS;
		insn->target = from->address + from->size + (uint64_t)mem->disp;
	} else if (mem->base != X86_REG_INVALID && mem->index != X86_REG_INVALID && mem->scale == 1 &&
		   !mem->disp) {
		insn->value = VALUE_SUM;
		insn->from[0] = whole(mem->base);
		insn->from[1] = whole(mem->index);
	} else {
		insn->value = VALUE_OTHER;
	}
}

/* What a plain instruction writes into a register, if that may be a place to jump to. */
static void take_value(const cs_insn *from, struct insn *insn)
{
	const cs_x86 *x86 = &from->detail->x86;
	const cs_x86_op *to = &x86->operands[0], *with = &x86->operands[1];

	if (!x86->op_count || to->type != X86_OP_REG || !(to->access & CS_AC_WRITE))
		return;
	insn->to = whole(to->reg);
	insn->value = VALUE_OTHER;
	insn->moves_stack |= insn->to == X86_REG_RSP;
	/* One of 4 bytes clears the rest, a smaller one leaves it. */
	if (x86->op_count < 2 || to->size < 4)
		return;
	insn->frees_stack |= to->reg == X86_REG_RSP && from->id == X86_INS_ADD;
	if (from->id == X86_INS_LEA) {
		take_lea(from, &with->mem, insn);
	} else if (from->id == X86_INS_ADD && with->type == X86_OP_REG) {
		insn->value = VALUE_SUM;
		insn->from[0] = insn->to;
		insn->from[1] = whole(with->reg);
	} else if (from->id == X86_INS_MOV && with->type == X86_OP_REG) {
		insn->value = VALUE_COPY;
		insn->from[0] = whole(with->reg);
	} else if (from->id == X86_INS_MOV && with->type == X86_OP_MEM) {
		take_memory(&with->mem, insn);
	}
}

static void take_jump(const cs_insn *from, struct insn *insn)
{
	const cs_x86_op *op = &from->detail->x86.operands[0];

	if (from->id == X86_INS_LJMP) {
		insn->kind = INSN_STRANGE;
	} else if (op->type == X86_OP_IMM) {
		insn->kind = from->id == X86_INS_JMP ? INSN_JUMP : INSN_BRANCH;
		insn->target = (uint64_t)op->imm;
	} else {
		insn->kind = INSN_INDIRECT;
		insn->value = VALUE_COPY;
		if (op->type == X86_OP_REG)
			insn->from[0] = whole(op->reg);
		else
			take_memory(&op->mem, insn);
	}
}

void disasm_x86(const cs_insn *from, struct insn *insn)
{
	insn->kind = INSN_PLAIN;
	switch (from->id) {
	case X86_INS_RET:
		insn->kind = INSN_RETURN;
		return;
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_XBEGIN:
		insn->kind = INSN_STRANGE;
		return;
	case X86_INS_UD2:
	case X86_INS_HLT:
	case X86_INS_INT3:
		insn->kind = INSN_STOP;
		return;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		take_jump(from, insn);
		return;
	default:
		break;
	}
	if (is_in(from, X86_GRP_CALL)) {
		insn->kind = INSN_CALL;
		insn->moves_stack = true;
	} else if (is_in(from, X86_GRP_JUMP)) {
		take_jump(from, insn);
	} else {
		insn->frees_stack = from->id == X86_INS_POP || from->id == X86_INS_LEAVE;
		insn->moves_stack = insn->frees_stack || from->id == X86_INS_PUSH;
		take_value(from, insn);
	}
}
