/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF programs of a few instructions, without libbpf. */
#ifndef PMCGRP_BPF_H
#define PMCGRP_BPF_H

#include "pmcgrp_test.h"
#include <linux/bpf.h>
#include <linux/btf.h>

#define INSN(c, d, s, o, i)	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), \
				  .imm = (i) }
#define MOV(d, s)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, s)		INSN(BPF_ALU64 | BPF_ADD | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i)		INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)		INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s)		INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE_IMM(d, o, i)	INSN(BPF_ST | BPF_MEM | BPF_DW, d, 0, o, i)
#define IF_ZERO(d, o)		INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, 0)
#define CALL(f)			INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* two instructions */
#define MAP(d, fd)		INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd), \
				INSN(0, 0, 0, 0, 0)

static inline int bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

/* Returns a descriptor or -errno. */
static inline int bpf_map_of(int type, unsigned int key_size, unsigned int size, unsigned int nr)
{
	union bpf_attr attr = { .map_type = type, .key_size = key_size, .value_size = size,
				.max_entries = nr };

	return bpf(BPF_MAP_CREATE, &attr);
}

/* An array of one element. */
static inline int bpf_map(unsigned int size)
{
	return bpf_map_of(BPF_MAP_TYPE_ARRAY, 4, size, 1);
}

static inline int bpf_map_write(int map, uint32_t key, const void *value)
{
	union bpf_attr attr = { .map_fd = map, .key = (uintptr_t)&key,
				.value = (uintptr_t)value };

	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static inline int bpf_map_read(int map, void *value)
{
	uint32_t key = 0;
	union bpf_attr attr = { .map_fd = map, .key = (uintptr_t)&key,
				.value = (uintptr_t)value };

	return bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

/* Returns a descriptor or -errno; the verifier's words are printed then. */
static inline int bpf_load(int type, const struct bpf_insn *insn, unsigned int nr)
{
	static char log[65536];
	union bpf_attr attr = { .prog_type = type, .insns = (uintptr_t)insn, .insn_cnt = nr,
				.license = (uintptr_t)"GPL", .log_buf = (uintptr_t)log,
				.log_size = sizeof(log), .log_level = 1 };
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		fprintf(stderr, "# BPF: %s\n", log);
	return fd;
}

static inline int bpf_raw_tracepoint(int prog, const char *name)
{
	union bpf_attr attr = { .raw_tracepoint = { .name = (uintptr_t)name, .prog_fd = prog } };

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* BTF of the kernel or a module: its types follow those of the kernel, as its strings do. */
struct btf {
	int fd;
	unsigned int nr;	/* types */
	char *data;
	const char *strings;
	unsigned int strings_len;
};

/* Bytes behind a struct btf_type. */
static inline unsigned int btf_more(const struct btf_type *type)
{
	unsigned int vlen = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return vlen * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return vlen * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return vlen * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return vlen * 12;
	default:
		return 0;
	}
}

/*
 * The number of a function among the types of a BTF, or 0; without a name the number of types is
 * found. @base: the kernel's, or NULL: it is that.
 */
static inline unsigned int btf_find(struct btf *btf, const struct btf *base, const char *function)
{
	const struct btf_header *header = (const void *)btf->data;
	const char *types = btf->data + header->hdr_len + header->type_off;
	unsigned int before = base ? base->strings_len : 0, id = base ? base->nr : 1, at;
	const struct btf_type *type;

	btf->strings = btf->data + header->hdr_len + header->str_off;
	btf->strings_len = header->str_len;
	for (at = 0; at < header->type_len; at += sizeof(*type) + btf_more(type), id++) {
		type = (const void *)(types + at);
		if (function && BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    type->name_off >= before &&
		    !strcmp(btf->strings + type->name_off - before, function))
			return id;
	}
	btf->nr = id;
	return 0;
}

/* Finds the BTF of that name, "vmlinux" or a module's, to be closed and freed. */
static inline bool btf_get(struct btf *btf, const char *name)
{
	union bpf_attr attr = { .start_id = 0 }, open;
	struct bpf_btf_info info;
	char its_name[64];
	uint32_t size;

	while (!bpf(BPF_BTF_GET_NEXT_ID, &attr)) {
		attr.start_id = attr.next_id;
		open = (union bpf_attr){ .btf_id = attr.next_id };
		btf->fd = bpf(BPF_BTF_GET_FD_BY_ID, &open);
		if (btf->fd < 0)
			continue;
		info = (struct bpf_btf_info){ .name = (uintptr_t)its_name,
					      .name_len = sizeof(its_name) };
		open = (union bpf_attr){ .info = { .bpf_fd = btf->fd, .info_len = sizeof(info),
						   .info = (uintptr_t)&info } };
		if (!bpf(BPF_OBJ_GET_INFO_BY_FD, &open) && !strcmp(its_name, name)) {
			size = info.btf_size;
			btf->data = malloc(size);
			info = (struct bpf_btf_info){ .btf = (uintptr_t)btf->data,
						      .btf_size = size };
			if (btf->data && !bpf(BPF_OBJ_GET_INFO_BY_FD, &open))
				return true;
			free(btf->data);
		}
		close(btf->fd);
	}
	return false;
}

#endif /* PMCGRP_BPF_H */
