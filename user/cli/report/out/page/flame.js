// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// A flame graph of the call chains: a box for each function, below its caller, as wide as what it
// and its callees have counted of the member that is chosen.
report.flame = (function () {
	const view = report.view,
		units = report.units,
		make = report.make,
		tree = report.tree;
	const ROW = 19,
		LEAST = 0.4, // pixels of a box
		ROWS = 300,
		FONT = "12px ui-monospace, \"DejaVu Sans Mono\", monospace";

	if (!tree) return null;
	const members = tree.data.members,
		ratios = tree.data.ratios;
	const state = { member: 0, ratio: null, root: 0, at: 0, found: null, boxes: [] };
	const canvas = make("canvas", { tabIndex: 0, id: "flame" });
	const box = make("div", { className: "flame" }, canvas);
	const now = make("output", { id: "flame-now" });
	const legend = make("p", { className: "scale", id: "flame-legend" });
	const found = make("output", { id: "flame-found" });
	const deep = make("p", { className: "more", hidden: true });
	const all = make("button", { type: "button", id: "flame-all" }, "All");

	function count(m, value) {
		return members[m].clock ? units.time(value / 1e9) : units.count(value);
	}

	function percent(part) {
		return (100 * part).toFixed(2) + "\u00a0%";
	}

	// Of all, with the callees and without them.
	function facts(i) {
		const m = state.member,
			sums = tree.total(m),
			part = (value) => (sums[0] ? percent(value / sums[0]) : "–");
		const self = members[m].self[i];
		const rows = [
			[members[m].name, count(m, sums[i]), "(" + part(sums[i]) + ")"],
			["by itself", count(m, self), "(" + part(self) + ")"],
		];

		if (state.root && sums[state.root])
			rows.push(["of what is shown", "", percent(sums[i] / sums[state.root])]);
		for (const one of ratios) {
			const value = tree.ratio(one, i);

			if (value !== null)
				rows.push([one.name, units.digits(value, 3), one.unit]);
		}
		return rows;
	}

	function title(i) {
		return tree.name(i) + (tree.data.kind[i] === 2 ? " (kernel)" : "");
	}

	// What the box under the keyboard is, in words.
	function say() {
		const sums = tree.total(state.member);

		now.textContent = sums[0]
			? title(state.at) +
				": " +
				facts(state.at)
					.map((row) => row.filter((cell) => cell).join(" "))
					.join(" · ")
			: "Nothing was counted of " + members[state.member].name + ".";
	}

	// ---- Drawing ----

	function label(ctx, one, color, wide) {
		const text = tree.name(one.node),
			room = Math.floor((one.width - 7) / wide);

		if (room < 3) return;
		ctx.fillStyle = color;
		ctx.fillText(
			text.length > room ? text.slice(0, room - 1) + "…" : text,
			one.x + 4,
			one.row * ROW + ROW / 2,
		);
	}

	// The box that the keyboard is at, where that is in the canvas.
	function mark(ctx) {
		const one = state.boxes.find((other) => other.node === state.at);

		if (!one || document.activeElement !== canvas) return;
		ctx.strokeStyle = view.colors.text;
		ctx.lineWidth = 3;
		ctx.strokeRect(
			one.x + 1.5,
			one.row * ROW + 1.5,
			Math.max(1, one.width - 3),
			ROW - 4,
		);
	}

	function draw() {
		const ratio = window.devicePixelRatio || 1,
			width = box.clientWidth;
		const ctx = canvas.getContext("2d"),
			ramp = report.heat.scale();
		const sums = tree.total(state.member);

		while (state.root && !sums[state.root]) state.root = tree.parent[state.root];
		const graph = sums[0]
			? tree.boxes(state.root, state.member, width, LEAST, ROWS)
			: { list: [], deeper: false };

		state.boxes = graph.list;
		state.most = state.ratio ? report.paint.most(state) : 0;
		const rows = state.boxes.reduce((max, one) => Math.max(max, one.row + 1), 1);

		canvas.width = width * ratio;
		canvas.height = rows * ROW * ratio;
		canvas.style.width = width + "px";
		canvas.style.height = rows * ROW + "px";
		ctx.scale(ratio, ratio);
		ctx.font = FONT;
		ctx.textBaseline = "middle";
		const wide = ctx.measureText("0").width;

		for (const one of state.boxes) {
			const [back, text] = report.paint.colors(state, one, ramp);

			ctx.fillStyle = back;
			ctx.fillRect(
				one.x,
				one.row * ROW,
				Math.max(one.width - (one.width > 2 ? 1 : 0), 0.4),
				ROW - 1,
			);
			label(ctx, one, text, wide);
		}
		mark(ctx);
		legend.replaceChildren(...report.paint.legend(state, ramp));
		deep.hidden = !graph.deeper;
		all.disabled = !state.root;
		say();
	}

	// ---- What is chosen ----

	function zoom(node) {
		state.root = node;
		state.at = node;
		report.point.hide();
		draw();
	}

	function search(text) {
		state.found = tree.find(text);
		draw();
		if (!state.found) {
			found.textContent = "";
			return;
		}
		const share = tree.share(state.found, state.member);

		found.textContent = share.functions
			? percent(share.part) +
				" of " +
				members[state.member].name +
				", in " +
				units.count(share.functions) +
				(share.functions === 1 ? " box" : " boxes")
			: "not found";
	}

	function select(id, what, values, act) {
		const one = make(
			"select",
			{ id },
			...values.map((text, value) => make("option", { value }, text)),
		);

		one.addEventListener("change", () => act(Number(one.value)));
		// Letters choose in it.
		one.addEventListener("keydown", (event) => event.stopPropagation());
		return make("label", { className: "field" }, what, one);
	}

	function field() {
		const one = make("input", {
			type: "search",
			id: "flame-search",
			placeholder: "part of a name",
			autocomplete: "off",
			spellcheck: false,
		});

		one.addEventListener("input", () => search(one.value));
		one.addEventListener("keydown", (event) => {
			event.stopPropagation();
			if (event.key !== "Escape") return;
			one.value = "";
			search("");
		});
		return [make("label", { className: "field" }, "Search", one), one];
	}

	// ---- The keyboard and the pointer ----

	function beside(by) {
		const here = state.boxes.find((one) => one.node === state.at);
		const row = here ? state.boxes.filter((one) => one.row === here.row) : [];
		const next = row[row.indexOf(here) + by];

		return next ? next.node : state.at;
	}

	// The widest callee.
	function below() {
		const sums = tree.total(state.member);
		let widest = state.at;

		for (const one of state.boxes) {
			if (
				tree.parent[one.node] === state.at &&
				(widest === state.at || sums[one.node] > sums[widest])
			)
				widest = one.node;
		}
		return widest;
	}

	function above() {
		const up = tree.parent[state.at];

		return state.boxes.some((one) => one.node === up) ? up : state.at;
	}

	const acts = {
		ArrowUp: () => go(above()),
		ArrowDown: () => go(below()),
		ArrowLeft: () => go(beside(-1)),
		ArrowRight: () => go(beside(1)),
		Enter: () => zoom(state.at),
		" ": () => zoom(state.at),
		Escape: () => zoom(0),
	};

	function go(node) {
		state.at = node;
		draw();
	}

	function hit(event) {
		const edge = canvas.getBoundingClientRect(),
			x = event.clientX - edge.left,
			row = Math.floor((event.clientY - edge.top) / ROW);

		return state.boxes.find(
			(one) =>
				one.row === row &&
				one.x <= x &&
				x < one.x + Math.max(1, one.width),
		);
	}

	canvas.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey || !acts[event.key]) return;
		// All of the graph is shown: Escape is for the window of time.
		if (event.key === "Escape" && !state.root) return;
		event.preventDefault();
		event.stopPropagation();
		acts[event.key]();
	});
	canvas.addEventListener("focus", draw);
	canvas.addEventListener("blur", draw);
	canvas.addEventListener("pointermove", (event) => {
		const one = hit(event);

		canvas.style.cursor = one ? "pointer" : "default";
		if (!one) {
			report.point.hide();
			return;
		}
		report.point.show(
			{ title: title(one.node), rows: facts(one.node) },
			event.clientX,
			event.clientY,
		);
	});
	canvas.addEventListener("pointerleave", () => report.point.hide());
	canvas.addEventListener("click", (event) => {
		const one = hit(event);

		if (one) zoom(one.node);
	});
	all.addEventListener("click", () => zoom(0));

	function notes() {
		const merged = tree.data.merged,
			list = [...tree.data.notes];

		if (merged)
			list.push(
				units.count(merged) +
					(merged === 1 ? " box is" : " boxes are") +
					" in [small], each less than " +
					percent(tree.data.small) +
					" of every member (--folded has them all)",
			);
		return list.map((text) => make("p", { className: "more" }, text + "."));
	}

	function panel() {
		const [label, input] = field();

		canvas.setAttribute("role", "application");
		canvas.setAttribute("aria-label", "Flame graph of the call chains");
		canvas.setAttribute("aria-describedby", "flame-now flame-keys");
		all.title = "Show all functions";
		now.setAttribute("aria-live", "polite");
		deep.textContent =
			"Only " + ROWS + " rows are drawn: zoom into a box to see those below.";
		view.parts.push({ draw, point: () => undefined });
		return make(
			"section",
			{ className: "panel", id: "flames" },
			make(
				"h2",
				{},
				make("span", { className: "title" }, "Call chains"),
				make(
					"span",
					{ className: "kind" },
					"callees below their callers; all of the time",
				),
			),
			make(
				"div",
				{ className: "fields" },
				select(
					"flame-member",
					"Width",
					members.map((one) => one.name),
					(value) => {
						state.member = value;
						search(input.value);
					},
				),
				ratios.length
					? select(
							"flame-color",
							"Colour",
							[
								"user space, kernel",
								...ratios.map((one) => one.name),
							],
							(value) => {
								state.ratio =
									ratios[value - 1] || null;
								draw();
							},
						)
					: "",
				label,
				all,
				found,
			),
			legend,
			box,
			now,
			make(
				"p",
				{ className: "more", id: "flame-keys" },
				"A click or Enter zooms into a box, Escape out of it; " +
					"arrow keys go from box to box.",
			),
			deep,
			...notes(),
		);
	}

	return { panel, state, draw, zoom };
})();
