// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// The tree of call chains: what each function has counted with its callees, and where it lies in a
// flame graph. Functions are in preorder: callees follow their caller. null: there are no chains.
report.tree = (function () {
	const data = report.stacks;

	if (!data) return null;
	const nr = data.depth.length;
	const parent = new Int32Array(nr),
		end = new Int32Array(nr); // behind the last callee of each
	const totals = [];
	const path = [];

	for (let i = 0; i < nr; i++) {
		const depth = data.depth[i];

		while (path.length > depth) end[path.pop()] = i;
		parent[i] = depth ? path[depth - 1] : -1;
		path.push(i);
	}
	while (path.length) end[path.pop()] = nr;

	// Of member @m, with the callees.
	function total(m) {
		if (totals[m]) return totals[m];
		const sums = Float64Array.from(data.members[m].self);

		for (let i = nr - 1; i > 0; i--) sums[parent[i]] += sums[i];
		totals[m] = sums;
		return sums;
	}

	function name(i) {
		return data.names[data.name[i]];
	}

	function ratio(which, i) {
		const of = total(which.of)[i];

		return of ? (which.scale * total(which.event)[i]) / of : null;
	}

	// From @i to the root.
	function callers(i) {
		const list = [];

		for (let at = i; at >= 0; at = parent[at]) list.push(at);
		return list;
	}

	// The boxes of a flame graph of @root: its callers, it, and what of its callees is not
	// narrower than @least. Not more than @rows of them lie below each other.
	function boxes(root, m, width, least, rows) {
		const sums = total(m),
			x = new Float64Array(nr);
		const above = callers(parent[root]).slice(0, Math.floor(rows / 4)).reverse();
		const list = above.map((node, row) => ({ node, row, x: 0, width }));
		let deeper = false;

		for (let i = root; i < end[root]; ) {
			const row = above.length + data.depth[i] - data.depth[root];
			const wide = (width * sums[i]) / sums[root];

			if (i !== root) {
				x[i] = x[parent[i]];
				x[parent[i]] += wide;
			}
			deeper = deeper || (row >= rows && wide >= least);
			if (!(wide >= least) || row >= rows) {
				i = end[i];
				continue;
			}
			list.push({ node: i, row, x: x[i], width: wide });
			i++;
		}
		return { list, deeper };
	}

	// Which functions have @text in their names; null: none is looked for.
	function find(text) {
		const low = text.trim().toLowerCase();
		const names = data.names.map((one) => one.toLowerCase().includes(low));

		return low ? Uint8Array.from(data.name, (at, i) => (i && names[at] ? 1 : 0)) : null;
	}

	// What those that were found have counted; a callee of one is part of it.
	function share(found, m) {
		const sums = total(m);
		let count = 0,
			functions = 0;

		for (let i = 0; i < nr; ) {
			count += found[i] ? sums[i] : 0;
			i = found[i] ? end[i] : i + 1;
		}
		for (let i = 0; i < nr; i++) functions += found[i];
		return { count, functions, part: sums[0] ? count / sums[0] : 0 };
	}

	return { data, nr, parent, end, total, name, ratio, boxes, find, share };
})();
