/* The flame graph, and the same upside down: the icicle graph. */
const graph = {
	row: 20, zoomed: null, selected: null, boxes: [],

	set(root) {
		this.root = root;
		const path = this.zoomed ? pathOf(this.zoomed) : [];
		this.zoomed = follow(root, path);
		this.selected = null;
	},

	up() { return state.view === "flame"; },

	layout() {
		const top = this.zoomed || this.root, boxes = [];
		let depth = 0;
		/* the callers of the zoomed function take the full width */
		for (let n = top.parent; n; n = n.parent)
			boxes.push({ n, x: 0, w: this.width, level: n.depth, faint: true });
		const todo = [{ n: top, x: 0, w: this.width }];
		while (todo.length) {
			const b = todo.pop();
			b.level = b.n.depth;
			boxes.push(b);
			if (b.level > depth)
				depth = b.level;
			let x = b.x;
			for (const k of b.n.list) {
				const w = b.n.w ? b.w * k.w / b.n.w : 0;
				if (w >= 0.4)
					todo.push({ n: k, x, w });
				x += w;
			}
		}
		this.boxes = boxes;
		this.levels = Math.min(depth + 1, 780);
	},

	y(level) { return this.up() ? (this.levels - 1 - level) * this.row : level * this.row; },

	draw() {
		const canvas = $("graph");
		this.width = Math.max(50, canvas.parentElement.clientWidth);
		this.layout();
		const [c, width] = prepare(canvas, this.levels * this.row + 2);
		this.width = width;
		c.font = "12.5px ui-monospace, 'DejaVu Sans Mono', Menlo, monospace";
		c.textBaseline = "middle";
		this.c = c;
		const dark = darkMode.matches;
		for (const b of this.boxes) {
			const y = this.y(b.level), w = Math.max(b.w - 0.6, 0.4), hit = matcher && matcher(b.n.func);
			c.globalAlpha = b.faint || (matcher && !hit) ? 0.55 : 1;
			c.fillStyle = hit ? css("--match") : colorOf(b.n.func);
			c.fillRect(b.x, y, w, this.row - 1);
			c.globalAlpha = b.faint || (matcher && !hit) ? 0.8 : 1;
			if (b.w > 26) {
				c.fillStyle = hit ? (dark ? "#000" : "#fff") : dark ? "#f2f4f7" : "#12161c";
				c.fillText(fit(c, label(b.n), b.w - 8), b.x + 4, y + this.row / 2);
			}
		}
		c.globalAlpha = 1;
		if (this.selected) {
			const b = this.boxes.find(o => o.n === this.selected);
			if (b) {
				c.strokeStyle = css("--text");
				c.lineWidth = 2;
				c.strokeRect(b.x + 1, this.y(b.level) + 1, Math.max(b.w - 2, 1), this.row - 3);
			}
		}
		$("unzoom").hidden = !(this.zoomed && this.zoomed.parent);
		if (this.up() && !this.scrolled) {
			const s = $("view-graph");
			s.scrollTop = s.scrollHeight;
			this.scrolled = true;
		}
	},

	at(e) {
		const r = $("graph").getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
		return this.boxes.find(b => x >= b.x && x < b.x + b.w && y >= this.y(b.level) &&
				       y < this.y(b.level) + this.row);
	},

	about(n) {
		const f = n.func, all = this.root.w;
		let text = `${label(n)}\n`;
		if (f.kind !== KIND_THREAD)
			text += `${f.object}\n`;
		text += `${fmtShare(n.w, all)} of all, ${fmtCount(n.count)} samples`;
		if (n.self && n.self !== n.w)
			text += `\n${fmtShare(n.self, all)} in itself`;
		if (n.parent && n.parent !== this.root && n.parent.w)
			text += `\n${fmtShare(n.w, n.parent.w)} of ${label(n.parent)}`;
		return text;
	},

	zoom(n) {
		this.zoomed = n && n.parent ? n : null;
		this.scrolled = false;
		this.draw();
		saveState();
	},

	/* Moves to the caller, the heaviest callee or a neighbour. */
	move(key) {
		let n = this.selected || this.zoomed || this.root, to = null;
		const inwards = this.up() ? "ArrowUp" : "ArrowDown", out = this.up() ? "ArrowDown" : "ArrowUp";
		if (!this.selected)
			to = n;
		else if (key === inwards)
			to = n.list[0];
		else if (key === out)
			to = n.parent;
		else if (n.parent) {
			const i = n.parent.list.indexOf(n) + (key === "ArrowRight" ? 1 : -1);
			to = n.parent.list[i];
		}
		if (!to)
			return;
		this.selected = to;
		this.draw();
		say(this.about(to));
		const box = this.boxes.find(b => b.n === to), s = $("view-graph");
		if (box) {
			const y = this.y(box.level);
			if (y < s.scrollTop || y + this.row > s.scrollTop + s.clientHeight)
				s.scrollTop = y - s.clientHeight / 2;
		}
	},

	listen() {
		const el = $("graph");
		el.addEventListener("pointermove", e => {
			const b = this.at(e);
			el.style.cursor = b ? "pointer" : "default";
			tip(b ? this.about(b.n) : "", e.clientX, e.clientY);
			if (b)
				say(this.about(b.n));
		});
		el.addEventListener("pointerleave", () => tip(""));
		el.addEventListener("click", e => {
			const b = this.at(e);
			if (b) {
				this.selected = b.n;
				this.zoom(b.n);
			}
		});
		el.addEventListener("keydown", e => {
			if (e.key.startsWith("Arrow")) {
				this.move(e.key);
				e.preventDefault();
			} else if (e.key === "Enter" && this.selected) {
				this.zoom(this.selected);
			}
		});
		$("unzoom").onclick = () => this.zoom(null);
	},
};

function label(n) {
	return n.func.name;
}

function pathOf(n) {
	const path = [];
	for (; n.parent; n = n.parent)
		path.push(n.func.id);
	return path.reverse();
}

function follow(root, path) {
	let at = root;
	for (const id of path) {
		const kid = at.kids.get(id);
		if (!kid)
			break;
		at = kid;
	}
	return at === root ? null : at;
}
