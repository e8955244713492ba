// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <string.h>

#include "disasm_arch.h"

/*
 * Returns and jumps that check a signature of the address: retaa, retab, braa and the like. The
 * kernel takes a probe there, and it is never hit. libcapstone calls them returns, or knows none.
 */
bool disasm_arm64_special(const unsigned char *code, uint64_t left, struct insn *insn)
{
	uint32_t word;

	if (left < sizeof(word))
		return true;
	memcpy(&word, code, sizeof(word));
	insn->size = sizeof(word);
	/* Branches to a register (C4.1): bits 11 and 10 tell the signed ones from others. */
	if ((word & 0xfe000000) != 0xd6000000 || !(word & 0x00000800))
		return false;
	insn->kind = INSN_STRANGE;
	return true;
}

/* The register of 8 bytes that one is, or is a half of. */
static uint16_t whole(unsigned int reg)
{
	if (reg < ARM64_REG_W0 || reg > ARM64_REG_W30)
		return (uint16_t)reg;
	if (reg >= ARM64_REG_W29)
		return (uint16_t)(ARM64_REG_X29 + (reg - ARM64_REG_W29));
	return (uint16_t)(ARM64_REG_X0 + (reg - ARM64_REG_W0));
}

static bool is_stack(const cs_arm64_op *op)
{
	return op->type == ARM64_OP_REG && (op->reg == ARM64_REG_SP || op->reg == ARM64_REG_WSP);
}

static uint64_t last_number(const cs_arm64 *arm)
{
	return arm->op_count ? (uint64_t)arm->operands[arm->op_count - 1].imm : 0;
}

static void take_sum(const cs_arm64 *arm, struct insn *insn)
{
	const cs_arm64_op *with = &arm->operands[1], *more = &arm->operands[2];

	insn->value = VALUE_OTHER;
	if (arm->op_count < 3 || with->type != ARM64_OP_REG)
		return;
	insn->value = VALUE_SUM;
	insn->from[0] = whole(with->reg);
	if (more->type == ARM64_OP_REG)
		insn->from[1] = whole(more->reg);
	else
		insn->target = (uint64_t)more->imm;
}

static void take_load(const cs_arm64 *arm, struct insn *insn)
{
	const cs_arm64_op *with = &arm->operands[1];

	insn->value = VALUE_OTHER;
	if (with->type == ARM64_OP_IMM) {
		/* As much as the largest register, which nobody jumps into. */
		insn->value = VALUE_LOADED;
		insn->target = (uint64_t)with->imm;
		insn->literal = 16;
		if (arm->operands[0].reg >= ARM64_REG_X0 && arm->operands[0].reg <= ARM64_REG_X28)
			insn->literal = 8;
		if (arm->operands[0].reg >= ARM64_REG_W0 && arm->operands[0].reg <= ARM64_REG_W30)
			insn->literal = 4;
	} else if (with->type == ARM64_OP_MEM && with->mem.index == ARM64_REG_INVALID) {
		insn->value = VALUE_LOADED;
		insn->from[0] = whole(with->mem.base);
	} else if (with->type == ARM64_OP_MEM && with->shift.value == 3) {
		insn->value = VALUE_INDEXED;
		insn->from[0] = whole(with->mem.base);
	}
}

static void take_value(const cs_insn *from, struct insn *insn)
{
	const cs_arm64 *arm = &from->detail->arm64;
	unsigned int i;

	for (i = 0; i < arm->op_count; i++)
		insn->moves_stack |= arm->writeback && arm->operands[i].type == ARM64_OP_MEM &&
				     arm->operands[i].mem.base == ARM64_REG_SP;
	insn->frees_stack = insn->moves_stack &&
			    (from->id == ARM64_INS_LDP || from->id == ARM64_INS_LDR);
	/* libcapstone takes comparisons, which are subtractions without a result, for writes. */
	if (!arm->op_count || arm->operands[0].type != ARM64_OP_REG ||
	    !(arm->operands[0].access & CS_AC_WRITE) || from->id == ARM64_INS_CMP ||
	    from->id == ARM64_INS_CMN || from->id == ARM64_INS_TST)
		return;
	insn->moves_stack |= is_stack(&arm->operands[0]);
	insn->to = whole(arm->operands[0].reg);
	insn->value = VALUE_OTHER;
	switch (from->id) {
	case ARM64_INS_ADR:
	case ARM64_INS_ADRP:
		insn->value = VALUE_ADDRESS;
		insn->target = last_number(arm);
		break;
	case ARM64_INS_ADD:
		insn->frees_stack |= is_stack(&arm->operands[0]) && is_stack(&arm->operands[1]);
		take_sum(arm, insn);
		break;
	case ARM64_INS_MOV:
		if (arm->op_count == 2 && arm->operands[1].type == ARM64_OP_REG) {
			insn->value = VALUE_COPY;
			insn->from[0] = whole(arm->operands[1].reg);
		}
		break;
	case ARM64_INS_LDR:
	case ARM64_INS_LDRSW:
		take_load(arm, insn);
		break;
	default:
		break;
	}
}

void disasm_arm64(const cs_insn *from, struct insn *insn)
{
	const cs_arm64 *arm;

	insn->kind = INSN_PLAIN;
	/* All that jump are known. What came with a later processor is of no concern. */
	if (!from)
		return;
	arm = &from->detail->arm64;
	switch (from->id) {
	case ARM64_INS_RET:
		insn->kind = INSN_RETURN;
		break;
	case ARM64_INS_B:
		insn->kind = arm->cc == ARM64_CC_INVALID || arm->cc == ARM64_CC_AL ? INSN_JUMP :
										       INSN_BRANCH;
		insn->target = last_number(arm);
		break;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		insn->kind = INSN_BRANCH;
		insn->target = last_number(arm);
		break;
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		insn->kind = INSN_CALL;
		break;
	case ARM64_INS_BR:
		insn->kind = INSN_INDIRECT;
		insn->value = VALUE_COPY;
		insn->from[0] = whole(arm->operands[0].reg);
		break;
	case ARM64_INS_ERET:
	case ARM64_INS_DRPS:
		insn->kind = INSN_STRANGE;
		break;
	case ARM64_INS_BRK:
	case ARM64_INS_HLT:
		insn->kind = INSN_STOP;
		break;
	default:
		take_value(from, insn);
	}
}
