/* Draws CPUs as tracks, single events as marks above them; dragging filters the rest. */
const timeline = {
	from: 0, to: D.info.duration || 1, left: 64, drag: null, hover: null,
	trackHeight: 20, axis: 22, marks: 18,

	x(t) { return this.left + (t - this.from) / (this.to - this.from) * (this.width - this.left - 8); },
	t(x) {
		const v = this.from + (x - this.left) / (this.width - this.left - 8) * (this.to - this.from);
		return Math.max(0, Math.min(D.info.duration, v));
	},

	step() {
		const least = (this.to - this.from) / Math.max(2, (this.width - this.left) / 110);
		if (D.fleet)
			return (CLOCK_STEPS.find(v => v * 1e9 >= least) || 31536000) * 1e9;
		let s = Math.pow(10, Math.floor(Math.log10(least)));
		for (const m of [1, 2, 5, 10])
			if (s * m >= least)
				return s * m;
		return s * 10;
	},

	trackTop(i) { return this.axis + (markers.length ? this.marks : 0) + i * this.trackHeight; },

	draw() {
		const tracks = D.tracks.length;
		this.trackHeight = tracks > 24 ? 10 : tracks > 12 ? 14 : 20;
		this.left = innerWidth < 600 ? 46 : 64;
		const height = D.fleet ? this.axis + fleet.bars :
					 this.trackTop(Math.max(tracks, 1)) + 6;
		const [c, width] = prepare($("tracks"), height);
		this.width = width;
		this.height = height;
		this.c = c;
		c.font = "12px system-ui, sans-serif";
		c.textBaseline = "middle";
		this.drawAxis();
		if (D.fleet) {
			fleet.draw(this);
		} else {
			D.tracks.forEach((track, i) => this.drawTrack(track, i));
			this.drawMarkers();
		}
		this.drawSelection();
	},

	drawAxis() {
		const c = this.c, s = this.step();
		c.strokeStyle = css("--line");
		c.fillStyle = css("--soft");
		c.lineWidth = 1;
		const first = D.fleet ? fleet.axisFirst(this.from, s) :
					Math.ceil(this.from / s) * s;
		for (let t = first; t <= this.to; t += s) {
			const x = Math.round(this.x(t)) + 0.5;
			c.beginPath();
			c.moveTo(x, this.axis - 4);
			c.lineTo(x, this.height);
			c.stroke();
			const label = D.fleet  ? fleet.axisLabel(t, s) :
				      s >= 1e9 ? Math.round(t / 1e9) + " s" :
				      s >= 1e6 ? +(t / 1e6).toFixed(0) + " ms" :
				      s >= 1e3 ? +(t / 1e3).toFixed(0) + " \u00b5s" :
						 t + " ns";
			c.fillText(label, Math.min(x + 3, this.width - c.measureText(label).width - 2), 10);
		}
	},

	drawTrack(track, i) {
		const c = this.c, top = this.trackTop(i), h = this.trackHeight - 3;
		c.fillStyle = css("--soft");
		if (this.trackHeight >= 14 || i % 4 === 0)
			c.fillText("CPU " + track.cpu, 6, top + h / 2 + 1);
		c.fillStyle = css("--panel");
		c.fillRect(this.left, top, this.width - this.left - 8, h);
		let until = -1;
		c.save();
		c.beginPath();
		c.rect(this.left, top, this.width - this.left - 8, h);
		c.clip();
		for (let k = 0; k < track.begin.length; k++) {
			if (track.end[k] < this.from || track.begin[k] > this.to)
				continue;
			const x = this.x(track.begin[k]), w = Math.max(this.x(track.end[k]) - x, 0.7);
			if (x + w < until)
				continue;
			const comm = threads[track.thread[k]].comm;
			c.fillStyle = commColor(comm);
			c.fillRect(x, top, w, h);
			until = x + w;
			if (w > 34 && this.trackHeight >= 14) {
				c.fillStyle = darkMode.matches ? "#fff" : "#111";
				c.fillText(fit(c, comm, Math.min(w, this.width) - 8), Math.max(x, this.left) + 4, top + h / 2 + 1);
			}
		}
		c.restore();
	},

	drawMarkers() {
		if (!markers.length)
			return;
		const c = this.c, y = this.axis + 4;
		c.fillStyle = css("--soft");
		c.fillText("events", 6, y + 5);
		for (const m of markers) {
			if (m.at < this.from || m.at > this.to)
				continue;
			const x = this.x(m.at);
			c.fillStyle = commColor(m.name);
			c.beginPath();
			c.moveTo(x, y + 10);
			c.lineTo(x - 3.5, y);
			c.lineTo(x + 3.5, y);
			c.fill();
		}
	},

	drawSelection() {
		const c = this.c;
		const [a, b] = this.drag ? this.drag : [state.from, state.to];
		if (!(b > a))
			return;
		c.fillStyle = css("--accent");
		c.globalAlpha = 0.18;
		c.fillRect(this.x(a), this.axis, this.x(b) - this.x(a), this.height);
		c.globalAlpha = 1;
		for (const t of [a, b])
			c.fillRect(this.x(t) - 1, this.axis, 2, this.height);
	},

	about(x, y) {
		const t = this.t(x);
		if (x < this.left)
			return "";
		if (D.fleet)
			return fleet.about(t);
		if (markers.length && y < this.trackTop(0)) {
			const near = 5 * (this.to - this.from) / this.width;
			let best = null;
			for (const m of markers)
				if (Math.abs(m.at - t) < near && (!best || Math.abs(m.at - t) < Math.abs(best.at - t)))
					best = m;
			return best ? `${best.name}\n${fmtTime(best.at)}  CPU ${best.cpu}  ${best.thread.comm} (${best.thread.tid})\n${best.text}` : "";
		}
		const track = D.tracks[Math.floor((y - this.trackTop(0)) / this.trackHeight)];
		if (!track)
			return fmtTime(t);
		for (let k = 0; k < track.begin.length; k++)
			if (track.begin[k] <= t && t < track.end[k]) {
				const th = threads[track.thread[k]];
				return `${th.comm}  (process ${th.pid}, thread ${th.tid})\nCPU ${track.cpu}  ` +
				       (D.exact ? `from ${fmtTime(track.begin[k])} for ${fmtTime(track.end[k] - track.begin[k])}` :
						  `sampled about ${fmtTime(t)}`);
			}
		return `CPU ${track.cpu}: ${D.exact ? "idle" : "nothing sampled"}\n${fmtTime(t)}`;
	},

	zoom(factor, at) {
		const all = D.info.duration || 1, mid = at === undefined ? (this.from + this.to) / 2 : at;
		const len = Math.min(all, Math.max(1000, (this.to - this.from) * factor));
		const share = (mid - this.from) / (this.to - this.from);
		this.from = Math.max(0, Math.min(all - len, mid - share * len));
		this.to = this.from + len;
		this.draw();
	},

	pan(share) {
		const len = this.to - this.from, all = D.info.duration || 1;
		this.from = Math.max(0, Math.min(all - len, this.from + share * len));
		this.to = this.from + len;
		this.draw();
	},

	select(a, b) {
		const real = b - a > D.info.duration / 2000;
		/* weights are known for whole spans only: widen the selection to show that */
		state.from = real ? Math.floor(a / D.span) * D.span : 0;
		state.to = real ? Math.min(Math.ceil(b / D.span) * D.span, D.info.duration) : 0;
		refresh();
	},

	listen() {
		const el = $("tracks");
		const at = e => {
			const r = el.getBoundingClientRect();
			return [e.clientX - r.left, e.clientY - r.top];
		};
		el.addEventListener("pointerdown", e => {
			const [x] = at(e);
			this.start = this.t(x);
			el.setPointerCapture(e.pointerId);
		});
		el.addEventListener("pointermove", e => {
			const [x, y] = at(e);
			if (this.start !== undefined) {
				const t = this.t(x);
				this.drag = [Math.min(this.start, t), Math.max(this.start, t)];
				this.draw();
				tip(`${fmtAt(this.drag[0])} to ${fmtAt(this.drag[1])}`, e.clientX,
				    e.clientY);
			} else {
				tip(this.about(x, y), e.clientX, e.clientY);
			}
		});
		el.addEventListener("pointerup", () => {
			const d = this.drag;
			this.start = undefined;
			this.drag = null;
			if (d)
				this.select(d[0], d[1]);
		});
		el.addEventListener("pointercancel", () => {
			this.start = undefined;
			this.drag = null;
			this.draw();
		});
		el.addEventListener("pointerleave", () => tip(""));
		el.addEventListener("wheel", e => {
			if (!e.ctrlKey && !e.shiftKey)
				return;
			e.preventDefault();
			this.zoom(e.deltaY + e.deltaX > 0 ? 1.25 : 0.8, this.t(at(e)[0]));
		}, { passive: false });
		el.addEventListener("keydown", e => {
			if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
				this.pan(e.key === "ArrowLeft" ? -0.2 : 0.2);
				e.preventDefault();
			}
		});
		$("zoom-in").onclick = () => this.zoom(0.5);
		$("zoom-out").onclick = () => this.zoom(2);
		$("all-time").onclick = () => this.select(0, 0);
	},
};
