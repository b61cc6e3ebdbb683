/* The call tree and the table of functions: for those who read rather than look. */
const ROWS_MOST = 500;

/* @most: what a full bar stands for */
function bar(td, self, total, most) {
	const div = element("div");
	div.style.backgroundSize = `${most ? 100 * self / most : 0}% 100%, ${most ? 100 * total / most : 0}% 100%`;
	td.append(div);
	return td;
}

function numbers(tr, self, total, count, all, most) {
	tr.append(element("td", "n", fmtShare(total, all)), element("td", "n", fmtShare(self, all)));
	const n = element("td", "n wide", fmtCount(count));
	tr.append(n, bar(element("td", "b"), self, total, most));
}

const callTree = {
	open: new Set(), all: 0, most: 0,

	key(n) { return pathOf(n).join("/"); },

	draw(root) {
		const box = $("view-tree"), table = element("table");
		box.replaceChildren(table);
		this.all = root.w;
		this.most = root.list.length ? root.list[0].w : 0;
		table.setAttribute("role", "treegrid");
		const head = element("thead"), tr = element("tr");
		for (const [name, cls] of [["Total", "n"], ["Self", "n"], ["Samples", "n wide"], ["", "b"], ["Function", ""], ["Object", ""]]) {
			const th = element("th", cls), b = element("button", "", name);
			b.tabIndex = -1;
			th.append(b);
			tr.append(th);
		}
		head.append(tr);
		this.body = element("tbody");
		table.append(head, this.body);
		for (const k of root.list)
			this.body.append(...this.rows(k, 1));
		if (!root.list.length)
			box.replaceChildren(element("p", "none", "No samples here."));
	},

	/* Adds the row of a node and those of its open branches. */
	rows(n, level) {
		const list = [this.row(n, level)];
		if (this.open.has(this.key(n)))
			for (const k of n.list.slice(0, ROWS_MOST))
				list.push(...this.rows(k, level + 1));
		return list;
	},

	row(n, level) {
		const tr = element("tr"), f = element("td", "f"), is = this.open.has(this.key(n));
		tr.tabIndex = 0;
		tr.node = n;
		tr.level = level;
		tr.setAttribute("aria-level", level);
		if (n.list.length)
			tr.setAttribute("aria-expanded", is);
		numbers(tr, n.self, n.w, n.count, this.all, this.most);
		f.style.paddingLeft = 10 + Math.min(level - 1, 40) * 14 + "px";
		f.append(element("span", "twist", n.list.length ? is ? "\u25be" : "\u25b8" : ""),
			 document.createTextNode(label(n)));
		if (matcher && matcher(n.func))
			tr.className = "hit";
		tr.append(f, element("td", "o", n.func.kind === KIND_THREAD ? "" : n.func.object));
		return tr;
	},

	/* Opens a branch without forks down to its first fork. */
	toggle(tr, all) {
		let n = tr.node;
		if (!n.list.length)
			return;
		if (this.open.has(this.key(n)))
			this.open.delete(this.key(n));
		else
			for (this.open.add(this.key(n)); n.list.length === 1 || (all && n.list.length); ) {
				n = n.list[0];
				this.open.add(this.key(n));
			}
		const rows = this.rows(tr.node, tr.level);
		while (tr.nextSibling && tr.nextSibling.level > tr.level)
			tr.nextSibling.remove();
		tr.replaceWith(...rows);
		rows[0].focus();
	},

	keydown(e, tr) {
		const is = tr.getAttribute("aria-expanded");
		if (e.key === "ArrowDown" && tr.nextSibling)
			tr.nextSibling.focus();
		else if (e.key === "ArrowUp" && tr.previousSibling)
			tr.previousSibling.focus();
		else if (e.key === "Enter" || e.key === " " || (e.key === "ArrowRight" && is === "false") ||
			 (e.key === "ArrowLeft" && is === "true"))
			this.toggle(tr);
		else if (e.key === "*")
			this.toggle(tr, true);
		else if (e.key === "ArrowLeft") {
			let p = tr.previousSibling;
			while (p && p.level >= tr.level)
				p = p.previousSibling;
			if (p)
				p.focus();
		} else
			return;
		e.preventDefault();
	},

	listen() {
		const box = $("view-tree");
		box.addEventListener("click", e => {
			const tr = e.target.closest("tr[tabindex]");
			if (tr)
				this.toggle(tr);
		});
		box.addEventListener("keydown", e => {
			const tr = e.target.closest("tr[tabindex]");
			if (tr)
				this.keydown(e, tr);
		});
		box.addEventListener("focusin", e => {
			const tr = e.target.closest("tr[tabindex]");
			if (tr)
				say(graph.about(tr.node));
		});
	},
};

const funcTable = {
	by: "self", down: true,

	value(r) {
		return { self: r.self, total: r.total, count: r.count, name: r.func.name.toLowerCase(),
			 object: r.func.object.toLowerCase() }[this.by];
	},

	draw(all) {
		const box = $("view-table"), table = element("table"), head = element("thead"), tr = element("tr");
		const rows = sumFunctions().filter(r => !matcher || matcher(r.func));
		const columns = [["Total", "total", "n"], ["Self", "self", "n"], ["Samples", "count", "n wide"], ["", null, "b"],
				 ["Function", "name", ""], ["Object", "object", ""]];
		for (const [name, key, cls] of columns) {
			const th = element("th", cls), b = element("button", "", name);
			if (key) {
				th.setAttribute("aria-sort", key !== this.by ? "none" : this.down ? "descending" : "ascending");
				b.onclick = () => {
					this.down = this.by === key ? !this.down : cls.startsWith("n");
					this.by = key;
					this.draw(all);
				};
				if (key === this.by)
					b.textContent += this.down ? " \u2193" : " \u2191";
			}
			th.append(b);
			tr.append(th);
		}
		head.append(tr);
		const body = element("tbody");
		rows.sort((a, b) => {
			const x = this.value(a), y = this.value(b);
			return (x < y ? 1 : x > y ? -1 : 0) * (this.down ? 1 : -1) || b.total - a.total ||
			       (a.func.name < b.func.name ? -1 : 1);
		});
		const most = rows.reduce((m, r) => Math.max(m, r.total), 0);
		for (const r of rows.slice(0, ROWS_MOST)) {
			const line = element("tr");
			line.tabIndex = 0;
			line.func = r.func;
			line.about = `${r.func.name}\n${r.func.object} (${KINDS[r.func.kind]})\n` +
				     `${fmtShare(r.total, all)} with what it called, ${fmtShare(r.self, all)} itself`;
			numbers(line, r.self, r.total, r.count, all, most);
			line.append(element("td", "f", r.func.name), element("td", "o", r.func.object));
			body.append(line);
		}
		table.append(head, body);
		box.replaceChildren(table);
		if (rows.length > ROWS_MOST)
			box.append(element("p", "none", `${fmtCount(rows.length - ROWS_MOST)} more: search to see them.`));
		if (!rows.length)
			box.replaceChildren(element("p", "none", matcher ? "No function matches." : "No samples here."));
	},

	/* Shows where a function was called from: searches for it in the graph. */
	choose(tr) {
		$("search").value = "^" + tr.func.name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";
		setSearch($("search").value);
		show("icicle");
	},

	listen() {
		const box = $("view-table");
		box.addEventListener("click", e => {
			const tr = e.target.closest("tr[tabindex]");
			if (tr)
				this.choose(tr);
		});
		box.addEventListener("keydown", e => {
			const tr = e.target.closest("tr[tabindex]");
			if (!tr)
				return;
			if (e.key === "Enter")
				this.choose(tr);
			else if (e.key === "ArrowDown" && tr.nextSibling)
				tr.nextSibling.focus();
			else if (e.key === "ArrowUp" && tr.previousSibling)
				tr.previousSibling.focus();
			else
				return;
			e.preventDefault();
		});
		box.addEventListener("focusin", e => {
			const tr = e.target.closest("tr[tabindex]");
			if (tr)
				say(tr.about);
		});
	},
};
