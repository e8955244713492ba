/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function that an exception leaves, by the unwinder that C++ and Rust have, whose names are in
 * CamelCase.  Include it behind pmcgrp_span_user.h.
 */
#ifndef PMCGRP_UNWIND_H
#define PMCGRP_UNWIND_H

#include <setjmp.h>
#include <unwind.h>

static jmp_buf caught;
static uintptr_t caught_at;

static _Unwind_Reason_Code unwind_on(int version, _Unwind_Action actions,
				     _Unwind_Exception_Class class,
				     struct _Unwind_Exception *exception,
				     struct _Unwind_Context *context, void *unused)
{
	if (actions & _UA_END_OF_STACK)
		longjmp(caught, 2);
	if (_Unwind_GetCFA(context) > caught_at)
		longjmp(caught, 1);
	return _URC_NO_REASON;
}

long thrown_through(bool throws);
ONE_EXIT(thrown_through);

__attribute__((noipa)) long thrown_through_inside(bool throws)
{
	static struct _Unwind_Exception exception;

	if (throws)
		_Unwind_ForcedUnwind(&exception, unwind_on, NULL);
	return 1;
}

#endif /* PMCGRP_UNWIND_H */
