// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The page of report --html in a real browser: what it has drawn, what stands at its axes,
 * and that a drag zooms all plots.
 */
#include "test.h"

#include "fake_recording.h"
#include "tool.h"

#define WIDTH 1200
#define HEIGHT 1400

static char folder[] = "/tmp/pmcgrp-browser-XXXXXX";

/*
 * Put behind the page: counts the pixels that are painted in the canvases of each plot,
 * drags over the middle half of the first, and writes down all labels of the x axes.
 */
static const char probe[] =
	"<script>\n"
	"addEventListener('load', function () {\n"
	"  const plots = [...document.querySelectorAll('.plot')], lines = [];\n"
	"  function painted(plot) {\n"
	"    let n = 0;\n"
	"    for (const c of plot.querySelectorAll('canvas')) {\n"
	"      const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;\n"
	"      for (let i = 3; i < d.length; i += 4)\n"
	"        n += d[i] > 0;\n"
	"    }\n"
	"    return n;\n"
	"  }\n"
	"  function labels(what, axis) {\n"
	"    for (const p of plots)\n"
	"      lines.push(what + ' ' + [...p.querySelectorAll('.dygraph-axis-label-' + axis)]\n"
	"        .map((l) => l.textContent).join(' ') + ' end');\n"
	"  }\n"
	"  for (const p of plots)\n"
	"    lines.push(painted(p) > 2000 ? 'painted' : 'empty');\n"
	"  labels('whole', 'x');\n"
	"  labels('values', 'y');\n"
	"  const canvas = plots[0].querySelectorAll('canvas')[1];\n"
	"  const box = canvas.getBoundingClientRect();\n"
	"  function mouse(target, type, part) {\n"
	"    target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window,\n"
	"      button: 0, clientX: box.left + part * box.width, clientY: box.top + box.height / 2 }));\n"
	"  }\n"
	"  mouse(canvas, 'mousedown', 0.3);\n"
	"  mouse(document, 'mousemove', 0.5);\n"
	"  mouse(document, 'mousemove', 0.7);\n"
	"  mouse(document, 'mouseup', 0.7);\n"
	"  labels('zoomed', 'x');\n"
	"  const pre = document.createElement('pre');\n"
	"  pre.id = 'probe';\n"
	"  pre.textContent = '\\n' + lines.join('\\n') + '\\n';\n"
	"  document.body.appendChild(pre);\n"
	"});\n"
	"</script>\n";

static int begin(void **state)
{
	struct fake f;
	char path[64];
	FILE *file;

	(void)state;
	if (!mkdtemp(folder) || setenv("D", folder, 1))
		return -1;
	/* As root it must be told so; its profile goes with the folder. */
	setenv("B", "chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
	       "--hide-scrollbars --no-first-run --user-data-dir=$D/profile", 1);
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	fake_recording(&f);
	fake_save(&f, path);
	fake_free(&f);
	snprintf(path, sizeof(path), "%s/probe", folder);
	file = fopen(path, "w");
	if (!file)
		return -1;
	fputs(probe, file);
	fclose(file);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r $D").status;
}

static void need(const char *command, const char *what)
{
	if (run(command).status) {
		print_message("# skipped: no %s\n", what);
		skip();
	}
}

static void page(void)
{
	need("command -v chromium", "chromium (Debian: chromium)");
	need("$T report --html $D/page.html $D/perf.data",
	     "dygraphs where the tool looks for it (Debian: libjs-dygraphs)");
}

/*
 * What a browser makes of the page with the probe: a line for each tag, those that matter,
 * without the scripts that are in it.
 */
static const char *document(void)
{
	static struct result r;

	r = run("cat $D/page.html $D/probe > $D/probed.html && cd $D && "
		"eval \"HOME=$D $B --dump-dom file://$D/probed.html\" 2>$D/err >$D/dom; "
		"sed -e '/<script/,/<\\/script/d' -e '/<style/,/<\\/style/d' -e 's/</\\n</g' $D/dom | "
		"grep -v -E '^<(/|span|canvas|div style|div class=.dygraph-axis)'");
	return r.out;
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		nr++;
	return nr;
}

static void expect_in(const char *text, const char *what, unsigned int times)
{
	if (count(text, what) != times)
		fail_msg("not %u times '%s': %s", times, what, text);
}

static void plots(void **state)
{
	const char *text;

	(void)state;
	page();
	text = document();
	expect_in(text, "dygraph-title\">", 4);
	expect_in(text, "dygraph-title\">instructions/cycles\n", 1);
	expect_in(text, "dygraph-ylabel\">cycles/sec\n", 1);
	expect_in(text, "dygraph-ylabel\">insn per cycle\n", 1);
	expect_in(text, "dygraph-xlabel\">seconds since 1.000000\n", 4);
	/* A name from the recording stays text. */
	expect_in(text, "dygraph-title\">&lt;/script&gt;,\"&lt;b&gt;'x?\n", 1);
	expect_in(text, "<b>'x", 0);
	expect_in(text, "200 intervals in 4000 columns of 2.5e-05 s.", 1);
	expect_in(text, "Permission is hereby granted", 1);
	expect_in(text, "\npainted", 4);
	expect_in(text, "\nwhole 0 0.02 0.04 0.06 0.08 end", 4);
	/* Up to 200 millions a second, and a ratio of 2. */
	expect_in(text, "\nvalues 0 50M 100M 150M 200M end", 2);
	expect_in(text, "\nvalues 0 0.5 1 1.5 2 end", 1);
	/* From a little above 0.03 to a little below 0.07. */
	expect_in(text, "\nzoomed 0.03 0.04 0.05 0.06 end", 4);
}

/* A PNG of the size asked for, with more in it than an empty page has. */
static void screenshot(void **state)
{
	static const unsigned char head[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13,
					      'I', 'H', 'D', 'R', 0, 0, WIDTH >> 8, WIDTH & 255,
					      0, 0, HEIGHT >> 8, HEIGHT & 255 };
	unsigned char bytes[sizeof(head)];
	long size[2];
	char path[64];
	FILE *file;
	int i;

	(void)state;
	page();
	setenv("SIZE", "--window-size=1200,1400", 1);
	run("cd $D; echo '<!DOCTYPE html><title>empty</title>' >empty.html; for page in page empty; do "
	    "eval \"HOME=$D $B $SIZE --screenshot=$D/$page.png file://$D/$page.html\" 2>$D/err; done");
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s.png", folder, i ? "page" : "empty");
		file = fopen(path, "r");
		assert_non_null(file);
		assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes));
		assert_memory_equal(bytes, head, sizeof(head));
		fseek(file, 0, SEEK_END);
		size[i] = ftell(file);
		fclose(file);
	}
	assert_true(size[1] > 5 * size[0] && size[1] > 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plots),
		cmocka_unit_test(screenshot),
	};

	tool_init();
	return cmocka_run_group_tests_name("rep_browser", tests, begin, end);
}
