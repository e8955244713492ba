// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// The pointer over anything that has the axis of time: the line under it, what it says, the drag
// that zooms. What is below a strip's pointer is below that of all the others.
report.point = (function () {
	const view = report.view,
		make = report.make;
	const tip = make("div", { id: "tip", hidden: true, role: "tooltip" });
	let drag = null;

	document.body.append(tip);

	function clamp(t) {
		return Math.min(Math.max(t, view.from), view.to);
	}

	function hide() {
		tip.hidden = true;
	}

	// @rows: the first cell of each is a name; the first row may be empty.
	function show(content, x, y) {
		const table = make("table");

		for (const row of content.rows)
			table.append(
				make(
					"tr",
					{},
					...row.map((cell, i) => make(i ? "td" : "th", {}, cell)),
				),
			);
		tip.replaceChildren(make("b", {}, content.title), table);
		tip.hidden = false;
		const box = tip.getBoundingClientRect(),
			room = document.documentElement;
		const left = x + 18 + box.width > room.clientWidth ? x - 18 - box.width : x + 18;

		tip.style.left =
			Math.max(4, Math.min(left, room.clientWidth - box.width - 4)) + "px";
		tip.style.top =
			Math.max(4, Math.min(y + 18, room.clientHeight - box.height - 4)) + "px";
	}

	// @area: where in @box time lies, in its pixels; @says: what to show of a time and a
	// height.
	function strip(box, area, says) {
		const cross = make("div", { className: "cross", hidden: true });
		const brush = make("div", { className: "brush", hidden: true });
		const x = (t) => area().x + ((t - view.from) / (view.to - view.from)) * area().w;
		const time = (event) =>
			clamp(
				view.from +
					((view.to - view.from) *
						(event.clientX -
							box.getBoundingClientRect().left -
							area().x)) /
						area().w,
			);

		box.append(cross, brush);

		function mark() {
			cross.hidden = view.cursor === null;
			if (view.cursor !== null) cross.style.left = x(view.cursor) + "px";
			brush.hidden = !view.brushed;
			if (view.brushed) {
				brush.style.left = x(Math.min(...view.brushed)) + "px";
				brush.style.width =
					Math.abs(x(view.brushed[1]) - x(view.brushed[0])) + "px";
			}
		}

		function say(event) {
			const content = says(
				view.cursor,
				event.clientY - box.getBoundingClientRect().top,
			);

			if (content) show(content, event.clientX, event.clientY);
			else hide();
		}

		function move(event) {
			view.point(time(event));
			say(event);
		}

		box.addEventListener("pointermove", (event) => drag || move(event));
		box.addEventListener("pointerleave", () => {
			view.point(null);
			hide();
		});
		box.addEventListener("pointerdown", (event) => {
			if (event.button || event.pointerType === "touch") return;
			drag = { from: time(event), x: event.clientX, time, shift: event.shiftKey };
			hide();
		});
		box.addEventListener("dblclick", () => view.all());
		box.addEventListener(
			"wheel",
			(event) => {
				if (!event.ctrlKey) return;
				event.preventDefault();
				view.zoom(event.deltaY > 0 ? 1.25 : 0.8, time(event));
			},
			{ passive: false },
		);
		return { mark, x };
	}

	// The keyboard's way to a value: the legends show what is at the cursor.
	function step(by) {
		const width = Math.max(view.column, (view.to - view.from) / 200);

		view.point(
			view.cursor === null
				? (view.from + view.to) / 2
				: clamp(view.cursor + by * width),
		);
	}

	addEventListener("pointermove", (event) => {
		if (!drag) return;
		const to = drag.time(event);

		if (drag.shift) {
			view.pan((drag.from - to) / (view.to - view.from));
			drag.from = drag.time(event);
		} else {
			view.brush([drag.from, to]);
		}
	});
	addEventListener("pointerup", (event) => {
		const was = drag;

		drag = null;
		if (!was || was.shift) return;
		view.brush(null);
		// A hand that clicks is not quite still.
		if (Math.abs(event.clientX - was.x) > 4)
			view.show(
				Math.min(was.from, was.time(event)),
				Math.max(was.from, was.time(event)),
			);
	});

	function cancel() {
		const was = drag;

		drag = null;
		view.brush(null);
		hide();
		return Boolean(was);
	}

	return { strip, step, cancel, show, hide };
})();
