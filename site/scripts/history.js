/** halved is every second one of a list; the newest, its last, stays. */
export const halved = (list) => list.filter((_, i) => (list.length - i) % 2);

/**
 * A curve of any length in bounded memory: at most `limit` points, each the mean of equally many steps. When it is
 * full, neighbours are merged and the points stand for twice as many steps. NaN and null are left out of a mean.
 */
export class History {
  constructor(names, limit = 800) {
    if (limit < 4 || limit % 2) throw new RangeError(`History: limit is ${limit}; give an even number from 4`);
    this.names = names;
    this.limit = limit;
    this.clear();
  }

  clear() {
    this.stride = 1;
    this.x = [];
    this.y = this.names.map(() => []);
    this.#begin();
  }

  #begin() {
    this.count = 0;
    this.sums = this.names.map(() => 0);
    this.valid = this.names.map(() => 0);
  }

  get length() { return this.x.length; }

  /** push adds one step's values, an object by name. */
  push(x, values) {
    this.names.forEach((name, i) => {
      if (Number.isFinite(values[name])) { this.sums[i] += values[name]; this.valid[i]++; }
    });
    if (++this.count < this.stride) return;
    this.x.push(x);
    this.y.forEach((list, i) => list.push(this.valid[i] ? this.sums[i] / this.valid[i] : null));
    this.#begin();
    if (this.x.length >= this.limit) this.#merge();
  }

  #merge() {
    const pair = (list, join) => Array.from({ length: list.length / 2 }, (_, i) => join(list[2 * i], list[2 * i + 1]));
    this.x = pair(this.x, (_, b) => b);
    this.y = this.y.map((list) => pair(list, (a, b) => (a === null ? b : b === null ? a : (a + b) / 2)));
    this.stride *= 2;
  }

  /** cut forgets every point after a step, for a run that was rewound. */
  cut(step) {
    const keep = this.x.filter((x) => x <= step).length;
    this.x.length = keep;
    this.y.forEach((list) => { list.length = keep; });
    this.#begin();
  }

  toJSON() { return { stride: this.stride, x: this.x, y: this.y }; }

  /** restore takes what toJSON gave; anything else leaves the curve empty. */
  restore(data) {
    this.clear();
    if (!Array.isArray(data?.x) || data.x.length >= this.limit || data.y?.length !== this.names.length) return;
    this.stride = data.stride;
    this.x = [...data.x];
    this.y = data.y.map((list) => [...list]);
  }
}
