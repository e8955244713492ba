// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>
#include <unistd.h>

#include "args/cli.h"
#include "draw.h"

#ifdef PMCGRP_NCURSES

#include <locale.h>

#include <ncurses.h>

#define FRAME 3		/* title, columns, the line at the bottom */

static SCREEN *terminal;
static bool coloured;

static void colours_init(void)
{
	/* From blue to red: in the cube of 256 colours, else of what eight there are. */
	static const short many[TOP_HEATS] = { 17, 18, 24, 30, 28, 64, 100, 136, 130, 124 };
	static const short few[TOP_HEATS] = { COLOR_BLUE, COLOR_BLUE, COLOR_BLUE, COLOR_CYAN,
					      COLOR_CYAN, COLOR_GREEN, COLOR_GREEN, COLOR_YELLOW,
					      COLOR_YELLOW, COLOR_RED };
	short i;

	coloured = has_colors() && start_color() == OK && use_default_colors() == OK;
	if (!coloured)
		return;
	init_pair(TOP_HOT, COLOR_MAGENTA, -1);
	init_pair(TOP_PARTIAL, COLOR_YELLOW, -1);
	init_pair(TOP_LOST, COLOR_RED, -1);
	for (i = 0; i < TOP_HEATS; i++)
		init_pair((short)(TOP_HEAT + i), COLOR_WHITE, COLORS >= 256 ? many[i] : few[i]);
}

int top_draw_begin(bool colour)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		cli_say("it needs a terminal; --batch and --json print what can be piped");
		return -1;
	}
	/* Names are UTF-8. */
	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
		cli_say("this terminal is not known: is TERM right?");
		return -1;
	}
	set_term(terminal);
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	/* Of Escape alone: how long to wait for the rest of a sequence, in ms. */
	set_escdelay(50);
	if (colour)
		colours_init();
	return 0;
}

void top_draw_end(void)
{
	endwin();
	delscreen(terminal);
}

void top_draw_suspend(void)
{
	endwin();
}

void top_draw_resume(void)
{
	clearok(stdscr, TRUE);
	refresh();
}

unsigned int top_draw_width(void)
{
	return (unsigned int)COLS;
}

size_t top_draw_room(void)
{
	return LINES > FRAME ? (size_t)(LINES - FRAME) : 1;
}

static attr_t attributes(unsigned char style)
{
	static const attr_t plain[TOP_HEAT] = {
		[TOP_BOLD] = A_BOLD,
		[TOP_HEADER] = A_REVERSE,
		[TOP_HOT] = A_BOLD,
		[TOP_LOST] = A_BOLD,
	};
	attr_t attr = style < TOP_HEAT ? plain[style] : A_NORMAL;

	return coloured && style >= TOP_HOT ? attr | (attr_t)COLOR_PAIR(style) : attr;
}

static void put_line(int y, const struct top_line *line)
{
	size_t i, end;

	/* A character of several bytes takes one column: where the next one goes curses knows. */
	move(y, 0);
	for (i = 0; i < line->len; i = end) {
		for (end = i + 1; end < line->len && line->style[end] == line->style[i]; end++)
			;
		attrset(attributes(line->style[i]));
		addnstr(line->text + i, (int)(end - i));
	}
	attrset(A_NORMAL);
}

void top_draw_show(const struct top_screen *screen)
{
	size_t i, room = top_draw_room();

	erase();
	put_line(0, &screen->title);
	attrset(A_REVERSE);
	mvhline(1, 0, ' ', COLS);
	put_line(1, &screen->columns);
	for (i = 0; i < room && i < screen->nr; i++)
		put_line(2 + (int)i, &screen->rows[i]);
	put_line(LINES - 1, &screen->foot);
	refresh();
}

int top_draw_key(void)
{
	int key = getch();

	switch (key) {
	case ERR:
		return TOP_KEY_NONE;
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_RESIZE:
		return TOP_KEY_RESIZE;
	case KEY_BACKSPACE:
		return TOP_KEY_BACKSPACE;
	case KEY_ENTER:
		return '\n';
	default:
		return key >= 0 && key < 128 ? key : TOP_KEY_OTHER;
	}
}

#else /* !PMCGRP_NCURSES */

int top_draw_begin(bool colour)
{
	(void)colour;
	cli_say("built without ncurses: install it (Debian: libncurses-dev) and build again; "
		"--batch and --json do without");
	return -1;
}

void top_draw_end(void)
{
}

void top_draw_suspend(void)
{
}

void top_draw_resume(void)
{
}

unsigned int top_draw_width(void)
{
	return 80;
}

size_t top_draw_room(void)
{
	return 1;
}

void top_draw_show(const struct top_screen *screen)
{
	(void)screen;
}

int top_draw_key(void)
{
	return TOP_KEY_NONE;
}

#endif
