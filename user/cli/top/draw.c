// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>
#include <unistd.h>

#include "common/cli.h"
#include "draw.h"

#ifdef PMCGRP_NCURSES

#include <ncurses.h>

#define FRAME 3		/* title, columns, the line at the bottom */

static SCREEN *terminal;

int top_draw_begin(void)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		cli_say("it needs a terminal; \"pmcgrp stat -a -I 1000\" prints what can be piped");
		return -1;
	}
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
	return 0;
}

void top_draw_end(void)
{
	endwin();
	delscreen(terminal);
}

unsigned int top_draw_width(void)
{
	return (unsigned int)COLS;
}

size_t top_draw_room(void)
{
	return LINES > FRAME ? (size_t)(LINES - FRAME) : 1;
}

static void put_line(int y, const char *text)
{
	mvaddnstr(y, 0, text, COLS);
}

void top_draw_show(const struct top_screen *screen, size_t offset)
{
	size_t i, room = top_draw_room();
	char foot[100];

	erase();
	attron(A_BOLD);
	put_line(0, screen->title);
	attroff(A_BOLD);
	attron(A_REVERSE);
	mvhline(1, 0, ' ', COLS);
	put_line(1, screen->columns);
	attroff(A_REVERSE);
	for (i = 0; i < room && offset + i < screen->nr; i++)
		put_line(2 + (int)i, screen->rows[offset + i]);
	if (screen->nr > room)
		snprintf(foot, sizeof(foot), "q: quit  rows %zu to %zu of %zu, arrow keys scroll",
			 offset + 1, offset + i, screen->nr);
	else
		snprintf(foot, sizeof(foot), "q: quit");
	put_line(LINES - 1, foot);
	refresh();
}

enum top_key top_draw_wait(int ms)
{
	timeout(ms > 0 ? ms : 0);
	switch (getch()) {
	case ERR:
		return TOP_KEY_NONE;
	case 'q':
	case 'Q':
	case 27:	/* Escape alone */
		return TOP_KEY_QUIT;
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
	default:
		return TOP_KEY_OTHER;
	}
}

#else /* !PMCGRP_NCURSES */

int top_draw_begin(void)
{
	cli_say("built without ncurses: install it (Debian: libncurses-dev) and build again; "
		"\"pmcgrp stat -a -I 1000\" does without");
	return -1;
}

void top_draw_end(void)
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

void top_draw_show(const struct top_screen *screen, size_t offset)
{
	(void)screen;
	(void)offset;
}

enum top_key top_draw_wait(int ms)
{
	(void)ms;
	return TOP_KEY_QUIT;
}

#endif
